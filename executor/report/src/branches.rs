//! Where branches led a run.

use surmise_ledger::{Entry, Facts};

/// A block that a branch led a run to.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Branch {
    /// Line of the branch: an `if`, a loop, a `try`, a `match`.
    pub line: u32,
    /// First and last line of the block.
    pub block: (u32, u32),
}

impl Branch {
    /// The blocks that a run went to.
    pub(crate) fn taken(facts: Facts<'_>, run: &Entry) -> Vec<Self> {
        let all = &facts.plan.paths().branches;
        let branch =
            |(number, way): (usize, usize)| Self { line: all[number].whole.0, block: all[number].ways[way].lines };
        facts.outcomes(run).map(branch).collect()
    }
}
