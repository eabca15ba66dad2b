//! The function as the tests of its project call it: with real arguments.

use std::collections::BTreeMap;
use std::time::Duration;

use surmise_engine::client::ClientError;
use surmise_engine::execute::Execution;
use surmise_engine::plan::Trial;
use surmise_engine::protocol::Drawing;

use super::at_once::run_at_once;
use super::{Given, PairedRuns};
use crate::candidate::Version;
use crate::verdict::Verdict;

/// Which tests call the function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum ByTest {
    /// None: its arguments are made up.
    #[default]
    Nobody,
    /// All, one after the other.
    Each,
    /// One: its name, and the number of the call.
    One(String, u32),
}

/// Seconds that all calls of tests may take: a project has tests that are slow on purpose.
const LONGEST: Duration = Duration::from_secs(6);
/// Calls under which the versions differ that are repeated one by one.
const MOST_REPEATED: usize = 4;

impl PairedRuns<'_> {
    /// Says in a drawing which tests call the function.
    pub(super) fn call_by_test(&self, drawing: &mut Drawing, by: &ByTest) {
        if *by == ByTest::Nobody {
            return;
        }
        drawing.calls_tests = true;
        drawing.tests.clone_from(&self.tests.files);
        drawing.root_of_tests = self.tests.root.display().to_string();
        drawing.test = match by {
            ByTest::One(name, number) => Some((name.clone(), *number)),
            _ => None,
        };
    }

    /// Lets both versions be called as tests of the new one call the function. Calls with other arguments, which other changes
    /// of the commit made, are not compared.
    pub(super) fn compare_calls_of_tests(&mut self, versions: [&Version; 2]) -> Result<Option<Verdict>, ClientError> {
        let Some(place) = versions[1].place.as_ref().filter(|_| self.in_module && self.may_run()) else {
            return Ok(None);
        };
        self.tests = place.tests.calling(&versions[1].source.name, &versions[1].qualname);
        let has_sessions = versions.iter().all(|version| version.own.contains(">>>"));
        if self.tests.files.is_empty() && !has_sessions {
            return Ok(None);
        }
        let given = Given { by: ByTest::Each, ..Given::default() };
        let prepared = [0, 1].map(|version| {
            let (settings, timeout) = self.settings_of_run(version, &given);
            ((settings, timeout.min(LONGEST)), Trial::default())
        });
        let [old_plan, new_plan] = &mut self.plans;
        let runs = run_at_once(self.zygotes, [Some(old_plan), Some(new_plan)], &mut self.inputs, &prepared)?;
        let [Some(old), Some(new)] = runs else { return Ok(None) };
        let [olds, news] = [calls(&old), calls(&new)];
        let common = || news.iter().filter_map(|(call, now)| Some((call, olds.get(call)?, now)));
        let differing: Vec<(String, u32)> = common()
            .filter(|(_, was, is)| was.0 == is.0 && was.1 != is.1)
            .map(|((name, number), ..)| ((*name).to_owned(), *number))
            .take(MOST_REPEATED)
            .collect();
        let are_all_alike = olds.len() == news.len() && common().filter(|(_, was, is)| was == is).count() == news.len();
        if !news.is_empty() && are_all_alike {
            for (run, ledger) in [old, new].into_iter().zip(&mut self.ledgers) {
                ledger.add(run);
            }
            self.runs += 1;
        }
        for (name, number) in differing {
            let given = Given { by: ByTest::One(name, number), ..Given::default() };
            if let Some(found) = self.attempt(versions, &given)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// By test and number of its call, digests of the arguments and of what the function did.
fn calls(run: &Execution) -> BTreeMap<(&str, u32), (u32, u32)> {
    let calls = run.behaviour.iter().flat_map(|behaviour| &behaviour.of_tests);
    calls.map(|(name, number, given, did)| ((name.as_str(), *number), (*given, *did))).collect()
}
