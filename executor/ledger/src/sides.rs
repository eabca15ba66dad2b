//! Which side of each branch a run took, as far as the lines that it reached show it.

use surmise_engine::plan::Plan;
use surmise_instrument::paths::Way;

use crate::ledger::FirstLines;
use crate::{Entry, Facts};

/// Finds the first line that counts of every way.
fn first_lines(plan: &Plan, lines: &[u32]) -> FirstLines {
    let first = |&Way { lines: (from, to), .. }: &Way| {
        let line = lines.get(lines.partition_point(|&line| line < from));
        line.copied().filter(|&line| line <= to)
    };
    plan.paths().branches.iter().map(|branch| branch.ways.iter().map(first).collect()).collect()
}

impl<'a> Facts<'a> {
    fn first_lines(self) -> &'a FirstLines {
        self.ledger.first_lines.get_or_init(|| first_lines(self.plan, &self.ledger.first().lines))
    }

    /// The branch outcomes of a run: number of the branch, number of the way that it took. A branch that was decided
    /// several times may have several; a way without a line of its own (`if` without `else`) leaves no trace.
    pub fn outcomes(self, entry: &Entry) -> impl Iterator<Item = (usize, usize)> {
        let ways = |(branch, ways): (usize, &'a Vec<Option<u32>>)| {
            ways.iter().enumerate().map(move |(way, line)| (branch, way, *line))
        };
        let all = self.first_lines().iter().enumerate().flat_map(ways);
        all.filter(|(.., line)| line.is_some_and(|line| entry.reached(line))).map(|(branch, way, _)| (branch, way))
    }

    /// Ways that no run took, of the branches that some run came to: number of the branch, number of the way.
    pub fn untaken(self) -> impl Iterator<Item = (usize, usize)> {
        let covered = self.ledger.covered();
        let branches = self.plan.paths().branches.iter().zip(self.first_lines()).enumerate();
        let seen = branches.filter(|(_, (branch, _))| {
            let (first, last) = branch.lines;
            covered.range(first..).next().is_some_and(|&line| line <= last)
        });
        seen.flat_map(move |(branch, (_, ways))| {
            let untaken = ways.iter().enumerate().filter(|(_, line)| line.is_some_and(|line| !covered.contains(&line)));
            untaken.map(move |(way, _)| (branch, way))
        })
    }
}
