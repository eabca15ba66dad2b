//! Line marks: how the rewritten text tells which lines were reached.
//!
//! A simple statement is marked by `_k_[line]=1;` before it. A compound statement is marked by the statement before
//! it, or inside the first expression of its header. Where there is neither (`def` after a loop, `try:`, `case`),
//! the line follows from others: *implied* lists pairs `(line, by)` such that `line` was reached if `by` was.

use serde::{Deserialize, Serialize};

/// The line that stands for "the module's code was entered".
pub const MODULE_ENTRY: u32 = 0;

/// What the runtime needs to turn marks into line coverage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// `(line, by)`: `line` was reached if `by` was. Never the other way round.
    pub implied: Vec<(u32, u32)>,
    /// First and last line of every statement, header or decorator that spans several lines.
    pub spans: Vec<(u32, u32)>,
    /// First and last line of each docstring.
    pub docstrings: Vec<(u32, u32)>,
    /// Number of lines; the mark of "the module's code came to its end" is one more.
    pub lines: u32,
}

impl Marks {
    /// Closes a set of reached lines (indexed by line, length `lines + 2`) under the implications.
    pub fn close(&self, reached: &mut [bool]) {
        loop {
            let mut changed = false;
            for &(line, by) in self.implied.iter().rev() {
                let (line, by) = (line as usize, by as usize);
                if by < reached.len() && line < reached.len() && reached[by] && !reached[line] {
                    reached[line] = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The first line of the statement that `line` belongs to.
    #[must_use]
    pub fn first_line(&self, line: u32) -> u32 {
        // Spans are few and sorted by their first line; the innermost one that holds the line is the last.
        let end = self.spans.partition_point(|&(first, _)| first <= line);
        let span = self.spans[..end].iter().rev().take(64).find(|&&(_, last)| line <= last);
        span.map_or(line, |&(first, _)| first)
    }
}
