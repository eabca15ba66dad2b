//! What the runs have come to so far: whether there may be more, and the verdict where none shows a difference.

use std::collections::BTreeMap;

use surmise_engine::client::Zygote;
use surmise_ledger::{Entry, Ledger};

use super::PairedRuns;
use crate::candidate::Version;
use crate::changed_reached::Changed;
use crate::verdict::{Ground, Verdict};

/// Runs of a pair that may hang before the pair is given up.
const MOST_HANGS: u32 = 2;
/// Differences that repeated runs did not show again.
const MOST_UNSTEADY: u32 = 2;
/// Differences under values under which a version also differs from an equivalent rewrite of itself.
const MOST_NOISY: u32 = 3;

/// The lines of a run, and the error that ended it.
type Path<'a> = (&'a [u32], Option<(&'a str, u32)>);

impl PairedRuns<'_> {
    /// Why a version did not run in its module, if it should have.
    pub(super) fn unplaced(&self) -> Option<String> {
        let ran = self.ledgers.iter().filter(|_| self.in_module).map(|ledger| {
            let in_place = ledger.entries().iter().find_map(|entry| entry.in_place.clone());
            let fault = || ledger.entries().iter().find_map(|entry| entry.internal.clone());
            let no_module = || "its file is no module of a package".to_owned();
            in_place
                .unwrap_or_else(|| Err(fault().map_or_else(no_module, |fault| format!("a fault of Surmise: {fault}"))))
        });
        let failed = |(ran, version): (Result<(), String>, _)| Some(format!("the {version} version: {}", ran.err()?));
        ran.zip(["old", "new"]).find_map(failed).or_else(|| self.lacks_otherwise())
    }

    /// What the import of one version's module lacks and the other's does not: their surroundings are not alike.
    pub(super) fn lacks_otherwise(&self) -> Option<String> {
        let lacking = |ledger: &Ledger| ledger.entries().first().map(|entry| entry.lacking.clone()).unwrap_or_default();
        let [old, new] = [lacking(&self.ledgers[0]), lacking(&self.ledgers[1])];
        let only = |some: &[String], others: &[String]| some.iter().find(|name| !others.contains(name)).cloned();
        let (version, name) = match (only(&old, &new), only(&new, &old)) {
            (Some(name), _) => ("old", name),
            (None, Some(name)) => ("new", name),
            (None, None) => return None,
        };
        Some(format!("the {version} version: only its module cannot be imported with `{name}`"))
    }

    /// The verdict where no run with likely values showed a difference.
    pub(super) fn without_difference(&mut self, versions: [&Version; 2], changed: &Changed) -> Verdict {
        if let Some(witness) = self.possible.take().or_else(|| self.refused.take()) {
            return Verdict::Possible(witness);
        }
        if self.unsteady >= MOST_UNSTEADY {
            return Verdict::Unknown("the function does something else each time".to_owned());
        }
        if self.noisy > 0 {
            let noise = "the versions differ where one also differs from an equivalent rewrite of itself";
            return Verdict::Unknown(noise.to_owned());
        }
        if let Some(failure) = &self.failure {
            return Verdict::Unknown(format!("it could not be called: {failure}"));
        }
        if self.hangs >= MOST_HANGS {
            return Verdict::Unknown("runs do not end".to_owned());
        }
        if changed.reached == 0 {
            return Verdict::Unknown(format!("no run reached a changed line{}", self.obstacle()));
        }
        if let Some(missed) = changed.described() {
            return Verdict::Unknown(format!("no run reached {missed}{}", self.obstacle()));
        }
        if let Some(missed) = changed.described_parts() {
            return Verdict::Unknown(format!("no run evaluated {missed}"));
        }
        if let Some(name) = versions[1].state.computed_for_one(versions.map(|version| version.own.as_str())) {
            return Verdict::Unknown(format!(
                "`{name}` is kept by one version and computed by a property in the other"
            ));
        }
        Verdict::Equal(Ground::Runs)
    }

    /// The error that stopped most runs.
    pub(super) fn obstacle(&self) -> String {
        let versions = self.ledgers.iter().zip(["old", "new"]);
        let errors = versions.flat_map(|(ledger, version)| {
            ledger.errors().into_iter().map(move |((kind, line), count)| (count, kind, line, version))
        });
        errors.max_by_key(|(count, ..)| *count).map_or_else(String::new, |(_, kind, line, version)| {
            format!("; most ended with {kind} in line {line} of the {version} version")
        })
    }

    pub(super) fn changed(&self, versions: [&Version; 2]) -> Changed {
        Changed::of(versions, [0, 1].map(|version| (&self.ledgers[version], &self.plans[version])), &self.outdated)
    }

    pub(super) fn may_run(&self) -> bool {
        self.runs < self.budget.0
            && self.begin.elapsed() < self.budget.1
            && self.hangs < MOST_HANGS
            && self.unsteady < MOST_UNSTEADY
            && self.noisy < MOST_NOISY
            && !self.zygotes.iter().any(Zygote::is_stopped)
    }

    /// True if a run of this version took the same path.
    pub(super) fn knows_path(&self, version: usize, entry: &Entry) -> bool {
        self.ledgers[version].entries().iter().any(|known| path(known) == path(entry))
    }

    /// True once all that changed was reached and each path through a version was taken more than once: the share of paths
    /// that were taken once is about the odds that the next run takes one that none has taken (Good and Turing's estimate).
    /// While a difference is in doubt, other runs may settle it.
    pub(super) fn has_no_new_paths(&self, versions: [&Version; 2]) -> bool {
        let is_known = |ledger: &Ledger| {
            let mut paths: BTreeMap<Path<'_>, u32> = BTreeMap::new();
            for entry in ledger.entries() {
                *paths.entry(path(entry)).or_default() += 1;
            }
            paths.values().all(|&runs| runs > 1)
        };
        let is_open = self.possible.is_some() || self.refused.is_some();
        !is_open && self.ledgers.iter().all(is_known) && self.changed(versions).is_reached()
    }
}

fn path(entry: &Entry) -> Path<'_> {
    (&entry.covered, entry.error.as_ref().map(|error| (error.kind.as_str(), error.line)))
}
