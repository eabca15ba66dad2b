//! What was found on a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use surmise_batch::store::Kept;

use crate::page::LeftOut;

/// How far a finding is an error of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The code fails whatever the page leaves out.
    Certain,
    /// The code fails under some values of what the page leaves out, or in some surroundings.
    Conditional,
}

/// An error in the code of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// How far it is an error of the page.
    pub verdict: Verdict,
    /// The exception's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The exception's message.
    pub message: String,
    /// Line of the page, from 1.
    pub line: u32,
    /// Column of the page in characters, from 0, where it is known.
    pub column: Option<u32>,
    /// End of the column's range on the same line.
    pub end_column: Option<u32>,
    /// The number of the notebook's code cell, counted over all its cells from 1.
    pub cell: Option<u32>,
    /// The line of code, without what stands around it in the page.
    pub text: String,
    /// What it depends on, or what was probably meant.
    pub hint: Option<String>,
    /// The function that only Surmise called.
    pub function: Option<String>,
}

/// What was found on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The name of the page, as it was given.
    pub page: String,
    /// Blocks of Python that were run.
    pub blocks: u32,
    /// Programs that they make: blocks that build on each other are one.
    pub programs: u32,
    /// Pieces of code that were not run, by the reason.
    pub left_out: BTreeMap<LeftOut, u32>,
    /// Errors that the page shows or announces.
    pub expected: u32,
    /// Programs that did not end in time.
    pub unfinished: u32,
    /// Errors of the page, in the order of its lines.
    pub findings: Vec<Found>,
    /// Why the page could not be read or run.
    pub problem: Option<String>,
}

impl Checked {
    /// The findings of a verdict.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Found> {
        self.findings.iter().filter(move |found| found.verdict == verdict)
    }

    /// A page that could not be read or run.
    #[must_use]
    pub fn unusable(page: &str, problem: &str) -> Self {
        Self { page: page.to_owned(), problem: Some(problem.to_string()), ..Self::default() }
    }
}

/// What was found on a page, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Tells apart what would give other results.
    pub fingerprint: String,
    /// What was found.
    pub checked: Checked,
}

impl Kept for Record {
    const FORMAT: &'static str = "surmise.check-store/1";
    const COMMAND: &'static str = "surmise check";

    fn keys(&self) -> (&str, &str) {
        (&self.fingerprint, "")
    }
}

/// Sums over pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Pages.
    pub pages: u64,
    /// Pages that could not be read or run.
    pub unusable: u64,
    /// Blocks of Python that were run.
    pub blocks: u64,
    /// Programs that they make.
    pub programs: u64,
    /// Pieces of code that were not run, by the reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Errors that the pages show or announce.
    pub expected: u64,
    /// Programs that did not end in time.
    pub unfinished: u64,
    /// Findings that are certain.
    pub certain: u64,
    /// Findings that depend on what the pages leave out.
    pub conditional: u64,
}

impl Summary {
    /// Adds a page.
    pub fn add(&mut self, checked: &Checked) {
        self.pages += 1;
        self.unusable += u64::from(checked.problem.is_some());
        self.blocks += u64::from(checked.blocks);
        self.programs += u64::from(checked.programs);
        for (reason, count) in &checked.left_out {
            *self.left_out.entry(*reason).or_default() += u64::from(*count);
        }
        self.expected += u64::from(checked.expected);
        self.unfinished += u64::from(checked.unfinished);
        self.certain += checked.of(Verdict::Certain).count() as u64;
        self.conditional += checked.of(Verdict::Conditional).count() as u64;
    }
}
