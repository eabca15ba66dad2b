//! One run of each version under the same values, and what it shows.

use std::time::Duration;

use surmise_engine::client::ClientError;
use surmise_engine::execute::Execution;
use surmise_engine::plan::{Settings, Trial};
use surmise_ledger::Entry;

use super::at_once::{Prepared, run_at_once};
use super::carried::own_choices;
use super::from_tests::ByTest;
use super::refusals::{is_order_of_refusals, is_refusal_elsewhere};
use super::{Given, PairedRuns, is_likely};
use crate::behaviour::{difference, is_whole, same, test_case};
use crate::candidate::Version;
use crate::verdict::Verdict;

/// The folder of either revision, in what runs print. In what they do, the runtime writes the same.
const PROJECT: &str = "<project>";

impl PairedRuns<'_> {
    /// The settings of a run of a version, and the time that it may take.
    pub(super) fn settings_of_run(&self, version: usize, given: &Given) -> (Settings, Duration) {
        let mut settings = self.settings[version].clone();
        if let Some(drawing) = &mut settings.drawing {
            (drawing.seed, drawing.once) = (given.seed, given.once);
            drawing.classes.extend(given.classes.clone());
            self.call_by_test(drawing, &given.by);
        }
        let left = self.budget.1.saturating_sub(self.begin.elapsed()).max(Duration::from_millis(50));
        let timeout = settings.timeout.min(left);
        (settings, timeout)
    }

    /// Runs both versions; a difference counts if repeating the runs shows it again.
    pub(super) fn attempt(&mut self, versions: [&Version; 2], given: &Given) -> Result<Option<Verdict>, ClientError> {
        if !self.may_run() {
            return Ok(None);
        }
        self.runs += 1;
        let numbers = self.run_both(given)?;
        self.judge(versions, given, numbers)
    }

    /// What runs under the same values show, of which the entries have these numbers.
    pub(super) fn judge(
        &mut self,
        versions: [&Version; 2],
        given: &Given,
        numbers: [usize; 2],
    ) -> Result<Option<Verdict>, ClientError> {
        let [old, new] = self.entries(numbers);
        let failure = old.internal.as_ref().or(new.internal.as_ref()).cloned();
        let (whole, alike) = (is_whole(old) && is_whole(new), same(old, new));
        let is_order = is_order_of_refusals(old, new);
        let weak = !alike && self.is_weak_under(given, [old, new]);
        self.failure = failure.or(self.failure.take());
        if !whole {
            // One that ends and one that does not may differ in speed alone.
            self.hangs += 1;
            return Ok(None);
        }
        if alike || weak {
            if given.by == ByTest::Nobody {
                self.keep_if_reaching(given, numbers);
            }
            return Ok(None);
        }
        let again = self.run_both(given)?;
        if [0, 1].into_iter().any(|version| !same(self.entries(numbers)[version], self.entries(again)[version])) {
            self.unsteady += 1;
            return Ok(None);
        }
        let first = [0, 1].map(|version| self.plans[version].uses().len() as u32);
        let (smallest, smallest_numbers) = self.minimal(given, numbers)?;
        if self.is_noise(versions, &smallest, smallest_numbers)? {
            self.noisy += 1;
            return Ok(None);
        }
        let entries = self.entries(smallest_numbers);
        let Some(mut witness) = difference(entries[0], entries[1]).map(Box::new) else { return Ok(None) };
        witness.test = test_case(entries, first);
        let entries = self.entries(numbers);
        let are_made_up = given.by == ByTest::Nobody;
        if are_made_up && entries.iter().any(|entry| entry.error.as_ref().is_some_and(is_refusal_elsewhere)) {
            return Ok(None);
        }
        if are_made_up && self.is_refusal_of_class(&smallest, &witness) && !self.fails_by_itself(entries) {
            return Ok(None);
        }
        if is_order {
            self.refused.get_or_insert(witness);
            return Ok(None);
        }
        if is_likely(given) || smallest.classes.is_empty() {
            self.is_likely = true;
            return Ok(Some(Verdict::Different(witness)));
        }
        // What two draws show is no accident of one of them.
        match self.possible.take() {
            Some(first) => return Ok(Some(Verdict::Different(first))),
            None => self.possible = Some(witness),
        }
        Ok(None)
    }

    /// Runs both versions under the same values; the numbers of their entries.
    pub(super) fn run_both(&mut self, given: &Given) -> Result<[usize; 2], ClientError> {
        let prepared = [0, 1].map(|version| self.prepared(version, given));
        let [old_plan, new_plan] = &mut self.plans;
        let runs = run_at_once(self.zygotes, [Some(old_plan), Some(new_plan)], &mut self.inputs, &prepared)?;
        let runs = runs.into_iter().zip(&self.shared.base);
        let runs = runs.map(|(run, base)| Entry::from(without_root(run.expect("both have a plan"), &base.root)));
        let entries: Vec<Entry> = runs.collect();
        Ok(self.add(entries.try_into().expect("there are two versions")))
    }

    /// What a run of a version under some values takes.
    pub(super) fn prepared(&self, version: usize, given: &Given) -> Prepared {
        let choices = own_choices(&self.plans[version], self.aliases(version), &given.choices);
        (self.settings_of_run(version, given), Trial { choices, ..Trial::default() })
    }

    /// Keeps a run of each version; the numbers of their entries.
    pub(super) fn add(&mut self, entries: [Entry; 2]) -> [usize; 2] {
        for (entry, ledger) in entries.into_iter().zip(&mut self.ledgers) {
            ledger.add(entry);
        }
        [0, 1].map(|version| self.ledgers[version].entries().len() - 1)
    }

    pub(super) fn entries(&self, numbers: [usize; 2]) -> [&Entry; 2] {
        [0, 1].map(|version| &self.ledgers[version].entries()[numbers[version]])
    }
}

/// A run in whose output the folder of its revision has another name.
pub(super) fn without_root(mut run: Execution, root: &str) -> Execution {
    if !root.is_empty() {
        run.stdout = run.stdout.replace(root, PROJECT);
    }
    run
}
