//! Which changed lines the runs of a comparison reached.

use std::collections::BTreeSet;

use surmise_engine::plan::Plan;
use surmise_ledger::Ledger;

use super::candidate::Version;
use super::changed_lines::{Indentation, changed_lines};

/// Changed lines that a verdict names.
const MOST_NAMED: usize = 5;

/// The changed lines that runs can reach, of both versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    /// How many some run reached.
    pub(super) reached: u32,
    /// In each version those that none reached.
    pub(super) missed: [Vec<u32>; 2],
}

impl Changed {
    /// The changed lines that runs can reach, which those for other versions of Python are not. The header of a function that ran, and what it imports, was reached.
    pub(super) fn of(versions: [&Version; 2], ran: [(&Ledger, &Plan); 2], outdated: &[BTreeSet<u32>; 2]) -> Self {
        let by_text = Self::among(changed_lines(versions[0], versions[1], Indentation::Ignored), ran, outdated);
        if by_text.all() > 0 {
            return by_text;
        }
        // An `else:` that went, say, which is no line that runs.
        Self::among(changed_lines(versions[0], versions[1], Indentation::Counts), ran, outdated)
    }

    fn among(
        (removed, added): (Vec<u32>, Vec<u32>),
        ran: [(&Ledger, &Plan); 2],
        outdated: &[BTreeSet<u32>; 2],
    ) -> Self {
        let mut changed = Self::default();
        for (number, lines) in [removed, added].iter().enumerate() {
            let (ledger, marks) = (ran[number].0, &ran[number].1.instrumented.marks);
            let counted = ledger.lines();
            let lines: BTreeSet<u32> = lines.iter().map(|&line| marks.first_line(line)).collect();
            for line in lines {
                let is_before = counted.first().is_none_or(|first| line < *first);
                if !is_before && !counted.contains(&line) || outdated[number].contains(&line) {
                    continue;
                }
                if ledger.covered().contains(&line) || is_before && !ledger.covered().is_empty() {
                    changed.reached += 1;
                } else {
                    changed.missed[number].push(line);
                }
            }
        }
        changed
    }

    /// How many there are.
    pub(super) fn all(&self) -> u32 {
        self.reached + self.missed.iter().map(|lines| lines.len() as u32).sum::<u32>()
    }

    /// Those that no run reached; `None` if all were.
    pub(super) fn described(&self) -> Option<String> {
        let described = |(lines, version): (&Vec<u32>, &str)| {
            let numbers: Vec<String> = lines.iter().take(MOST_NAMED).map(u32::to_string).collect();
            let more = if lines.len() > MOST_NAMED { ", ..." } else { "" };
            let lines = match lines.len() {
                0 => return None,
                1 => "line",
                _ => "lines",
            };
            Some(format!("{lines} {}{more} of the {version} version", numbers.join(", ")))
        };
        let parts: Vec<String> = self.missed.iter().zip(["old", "new"]).filter_map(described).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}
