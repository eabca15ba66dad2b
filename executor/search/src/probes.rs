//! Runs on real values, once coverage has nothing left to try.
//!
//! A stand-in takes whatever is done with it, so it hides the errors that a real list or number would raise. A probe
//! gives every name whose use is that of builtin values a real value of one shape. First shapes are looked for with
//! which the code comes to its end, led by its errors; then the values vary inside them. What fails then is the
//! code's doing, as far as these are the values that it is meant for: `surmise-blame` judges by that.

use std::collections::BTreeSet;

use surmise_engine::client::ClientError;
use surmise_engine::execute::Outcome;
use surmise_ledger::shapes::Values;
use surmise_ledger::{Entry, is_of_types};

use crate::Search;
use crate::givens::{FARTHER, FOR_VALUES, completed, emptied_of, mended, trial_of, typed_names, varied};

/// Runs that look for shapes, when only the module's own code is probed.
const FOR_SHAPES: usize = 26;
/// Functions that are probed, besides the module.
const FUNCTIONS: usize = 3;
/// Probes that may run into the time limit.
const ENDLESS: usize = 2;
/// Alternatives that also run with nothing in any container.
const EMPTIED: usize = 6;

/// A probe that may be run: those that come from the farthest run come first, then the likeliest.
struct Candidate {
    progress: usize,
    rank: usize,
    values: Values,
}

impl Search<'_> {
    /// Probes the module and the functions that were called.
    pub(crate) fn probe(&mut self) -> Result<(), ClientError> {
        let mut calls: Vec<Option<String>> = Vec::new();
        for run in self.ledger.entries() {
            if calls.len() <= FUNCTIONS && !calls.contains(&run.trial.call) {
                calls.push(run.trial.call.clone());
            }
        }
        calls.retain(|call| !typed_names(self.facts(), call.as_ref()).is_empty());
        let share = calls.len().max(1);
        for call in calls {
            self.probe_one(call.as_ref(), FOR_SHAPES / share, FOR_VALUES / share)?;
        }
        Ok(())
    }

    fn probe_one(&mut self, call: Option<&String>, for_shapes: usize, for_values: usize) -> Result<(), ClientError> {
        let mut queue = vec![Candidate { progress: 0, rank: 0, values: Values::new() }];
        let mut known: BTreeSet<Values> = BTreeSet::new();
        let (mut left, mut endless, mut emptied) = (for_shapes, 0, 0);
        let mut clean: Option<Values> = None;
        let mut failures: BTreeSet<(String, u32)> = BTreeSet::new();
        while left > 0 && endless < ENDLESS && clean.is_none() && !queue.is_empty() {
            queue.sort_by_key(|candidate| (std::cmp::Reverse(candidate.progress), candidate.rank));
            let Candidate { rank, values, .. } = queue.remove(0);
            let values = completed(self.facts(), call, values);
            if !known.insert(values.clone()) {
                continue;
            }
            if !self.run_probe(call, &values)? {
                return Ok(());
            }
            left -= 1;
            let run = self.ledger.last();
            let progress = run.covered.len();
            let fuller = completed(self.facts(), call, values.clone());
            if fuller != values {
                // More names were reached: they get real values, too.
                queue.push(Candidate { progress: progress + 1, rank: 0, values: fuller });
                continue;
            }
            match run.outcome {
                Outcome::Completed => clean = Some(values),
                Outcome::Timeout => endless += 1,
                _ => {
                    let Some(error) = &run.error else { continue };
                    // Where a change did nothing, others come first.
                    let again = !failures.insert((error.kind.clone(), error.line));
                    let rank = rank + if again { FARTHER } else { 0 };
                    for (place, changed) in mended(self.facts(), run, error) {
                        queue.push(Candidate { progress, rank: rank + place, values: changed });
                    }
                    if is_of_types(error) && emptied < EMPTIED && left > 0 {
                        let empty = emptied_of(&values);
                        if known.insert(empty.clone()) {
                            emptied += 1;
                            left -= 1;
                            if !self.run_probe(call, &empty)? {
                                return Ok(());
                            }
                        }
                    }
                }
            }
        }
        let Some(clean) = clean else {
            if queue.is_empty() || for_shapes == FOR_SHAPES {
                self.ledger.unsolved.insert(call.cloned());
            }
            return Ok(());
        };
        let mut left = for_values;
        for values in varied(&clean, self.settings.seed) {
            if left == 0 {
                break;
            }
            let values = completed(self.facts(), call, values);
            if known.insert(values.clone()) {
                left -= 1;
                if !self.run_probe(call, &values)? {
                    return Ok(());
                }
                endless += usize::from(self.ledger.last().outcome == Outcome::Timeout);
                if endless >= ENDLESS {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Runs a probe; false if runs or time are used up.
    fn run_probe(&mut self, call: Option<&String>, values: &Values) -> Result<bool, ClientError> {
        if !self.may_run() {
            return Ok(false);
        }
        let trial = trial_of(self.facts(), call, values);
        let run = self.run(&trial)?;
        self.add(Entry { given: values.clone(), ..Entry::from(run) });
        Ok(true)
    }
}
