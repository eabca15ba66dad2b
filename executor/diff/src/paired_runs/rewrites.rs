//! The noise floor: each version against an equivalent rewrite of itself.

use std::sync::Arc;

use surmise_engine::client::ClientError;
use surmise_engine::execute;
use surmise_engine::plan::{Plan, PredictorChoice, Settings, Trial};
use surmise_engine::source::Source;
use surmise_instrument::equivalent::equivalent;
use surmise_ledger::Entry;

use super::at_once::for_both;
use super::carried::own_choices;
use super::{Given, PairedRuns, Standpoint};
use crate::behaviour::{first_difference, is_whole};
use crate::candidate::Version;

/// Equivalent rewrites of both versions.
pub(super) struct Rewrites {
    plans: [Option<Plan>; 2],
}

impl PairedRuns<'_> {
    /// True if a version differs under these values from an equivalent rewrite of itself, at the latest where the versions first
    /// differ: then this difference says nothing of the change.
    pub(super) fn is_noise(
        &mut self,
        versions: [&Version; 2],
        given: &Given,
        numbers: [usize; 2],
    ) -> Result<bool, ClientError> {
        if self.rewrites.is_none() {
            self.rewrites = Some(self.rewritten(versions));
        }
        let [old, new] = self.entries(numbers);
        let at = first_difference(old, new);
        for (rewrite, version) in self.run_rewrites(given)?.into_iter().zip(0..) {
            let Some(rewrite) = rewrite else { continue };
            // One that cannot run, or does not end, is no measure.
            let is_measure = rewrite.internal.is_none() && is_whole(&rewrite);
            let differs = first_difference(&rewrite, self.entries(numbers)[version]);
            if is_measure && differs.is_some_and(|differs| at.is_none_or(|at| differs <= at)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn rewritten(&self, versions: [&Version; 2]) -> Rewrites {
        let standpoint = if self.in_module { Standpoint::Module } else { Standpoint::Excerpt };
        let plans = [0, 1].map(|number| {
            let (plan, version) = (&self.plans[number], versions[number]);
            let source = super::source(version, standpoint);
            let text = equivalent(&plan.model)?;
            // The classes of values are those of the version itself.
            let settings = Settings { predictor: PredictorChoice::Naive, ..self.settings[number].clone() };
            let mut plan = Plan::new(Source { text, ..source }, &settings).ok()?;
            if !self.in_module {
                plan.run_with(&version.around.package, &version.around.modules, &settings);
            }
            Some(plan)
        });
        Rewrites { plans }
    }

    /// Runs both rewrites. In the module of its version a rewrite runs in the process that has imported it, if nothing had to be
    /// made up for that.
    fn run_rewrites(&mut self, given: &Given) -> Result<[Option<Entry>; 2], ClientError> {
        let Some(rewrites) = &self.rewrites else { return Ok([None, None]) };
        let prepared = [0, 1].map(|version| {
            let plan = rewrites.plans[version].as_ref();
            let choices = plan.map(|plan| own_choices(plan, self.aliases(version), &given.choices));
            (self.settings_of_run(version, given), Trial { choices: choices.unwrap_or_default(), ..Trial::default() })
        });
        let Some(rewrites) = &mut self.rewrites else { return Ok([None, None]) };
        let versions = [0, 1].map(|number| Arc::clone(self.plans[number].program(&self.settings[number])));
        let in_module = self.in_module;
        let plans = rewrites.plans.each_mut().map(Option::as_mut);
        let runs = for_both(self.zygotes, plans, &mut self.inputs, |zygote, plan, input, number| {
            let ((settings, timeout), trial) = &prepared[number];
            if in_module {
                let version = &*versions[number];
                let run = execute::in_process_of(zygote, version, plan, settings, input, trial, *timeout)?;
                if run.internal.is_none() {
                    return Ok(run);
                }
            }
            execute::once(zygote, plan, settings, input, trial, *timeout)
        })?;
        Ok(runs.map(|run| run.map(Entry::from)))
    }
}
