//! Both versions under many values, in one process each.

use surmise_engine::client::ClientError;
use surmise_engine::execute::{self, Execution};
use surmise_engine::plan::{Settings, Trial};
use surmise_ledger::Entry;

use super::at_once::{Prepared, for_both};
use super::attempts::without_root;
use super::{Given, PairedRuns};
use crate::behaviour::{is_whole, same};
use crate::candidate::Version;
use crate::verdict::Verdict;

/// Runs that one process makes at most.
pub(super) const MOST_RUNS: usize = 16;

impl PairedRuns<'_> {
    /// Runs both versions under one set of values after the other, until one shows a difference. In their modules one process
    /// makes many of the runs; what seems to be a difference there is looked for in processes of their own.
    pub(super) fn attempt_each(
        &mut self,
        versions: [&Version; 2],
        givens: &[Given],
    ) -> Result<Option<Verdict>, ClientError> {
        let mut left = givens;
        while !left.is_empty() && self.may_run() {
            let budget = (self.budget.0 - self.runs) as usize;
            let wanted = left.len().min(MOST_RUNS).min(budget);
            if !self.makes_series || wanted < 2 {
                let (given, others) = left.split_first().expect("there is one");
                left = others;
                if let Some(found) = self.attempt(versions, given)? {
                    return Ok(Some(found));
                }
                continue;
            }
            let made = self.run_series(&left[..wanted])?;
            // If the first run already leaves something, further runs need processes of their own anyway.
            self.makes_series = made.len() > 1;
            let (now, later) = left.split_at(made.len());
            left = later;
            for (given, runs) in now.iter().zip(made) {
                if !self.may_run() {
                    return Ok(None);
                }
                self.runs += 1;
                let [old, new] = runs.map(Entry::from);
                let numbers = if is_whole(&old) && is_whole(&new) && !same(&old, &new) {
                    let numbers = self.run_both(given)?;
                    let [old, new] = self.entries(numbers);
                    self.makes_series &= !same(old, new);
                    numbers
                } else {
                    self.add([old, new])
                };
                if let Some(found) = self.judge(versions, given, numbers)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Runs both versions under some values, as many as one process makes of both: at least the first ones.
    fn run_series(&mut self, givens: &[Given]) -> Result<Vec<[Execution; 2]>, ClientError> {
        let prepared = [0, 1].map(|version| {
            let runs = givens.iter().map(|given| self.prepared(version, given));
            runs.collect::<Vec<Prepared>>()
        });
        let plans = self.plans.each_mut().map(Some);
        let made = for_both(self.zygotes, plans, &mut self.inputs, |zygote, plan, input, version| {
            let prepared = &prepared[version];
            let runs: Vec<(&Settings, &Trial)> =
                prepared.iter().map(|((settings, _), trial)| (settings, trial)).collect();
            let ((_, timeout), _) = &prepared[0];
            execute::in_series(zygote, plan, &runs, input, *timeout)
        })?;
        let [Some(olds), Some(news)] = made else { return Ok(Vec::new()) };
        let [old_root, new_root] = self.shared.base.each_ref().map(|base| &base.root);
        let pairs = olds.into_iter().zip(news);
        Ok(pairs.map(|(old, new)| [without_root(old, old_root), without_root(new, new_root)]).collect())
    }
}
