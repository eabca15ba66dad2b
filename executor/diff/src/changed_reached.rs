//! Which changed lines the runs of a comparison reached, and which changed parts of them they evaluated.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use surmise_engine::plan::Plan;
use surmise_instrument::{Outdated, one_line};
use surmise_ledger::Ledger;

use super::candidate::Version;
use super::changed_lines::{Indentation, changed_lines};
use super::render::shortened;

/// Changed lines that a verdict names.
const MOST_NAMED: usize = 5;
/// Characters of a part that a verdict shows.
const MOST_OF_PART: usize = 40;

/// The changed lines that runs can reach, of both versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    /// How many some run reached.
    pub(super) reached: u32,
    /// In each version those that none reached.
    pub(super) missed: [Vec<u32>; 2],
    /// In each version changed parts of expressions that no run evaluated, though one reached their line: line and text.
    parts: [Vec<(u32, String)>; 2],
}

impl Changed {
    /// The changed lines that runs can reach, which those for other versions of Python are not. The header of a function that ran, and what it imports, was reached.
    pub(super) fn of(versions: [&Version; 2], ran: [(&Ledger, &Plan); 2], outdated: &[Outdated; 2]) -> Self {
        let lines = changed_lines(versions[0], versions[1], Indentation::Ignored);
        let parts = [(0, &lines.0), (1, &lines.1)].map(|(version, lines)| {
            let (ledger, plan) = ran[version];
            unevaluated(plan, lines, &ran[1 - version].1.text, ledger, &outdated[version].parts)
        });
        let by_text = Self::among(lines, ran, outdated);
        if by_text.all() > 0 {
            return Self { parts, ..by_text };
        }
        // An `else:` that went, say, which is no line that runs.
        Self::among(changed_lines(versions[0], versions[1], Indentation::Counts), ran, outdated)
    }

    fn among((removed, added): (Vec<u32>, Vec<u32>), ran: [(&Ledger, &Plan); 2], outdated: &[Outdated; 2]) -> Self {
        let mut changed = Self::default();
        for (number, lines) in [removed, added].iter().enumerate() {
            let (ledger, marks) = (ran[number].0, &ran[number].1.instrumented.marks);
            let counted = ledger.lines();
            let lines: BTreeSet<u32> = lines.iter().map(|&line| marks.first_line(line)).collect();
            for line in lines {
                let is_before = counted.first().is_none_or(|first| line < *first);
                if !is_before && !counted.contains(&line) || outdated[number].lines.contains(&line) {
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

    /// True if all that changed was reached and evaluated.
    pub(super) fn is_reached(&self) -> bool {
        self.missed.iter().all(Vec::is_empty) && self.parts.iter().all(Vec::is_empty)
    }

    /// How many there are.
    pub(super) fn all(&self) -> u32 {
        self.reached + self.missed.iter().map(|lines| lines.len() as u32).sum::<u32>()
    }

    /// The first part of each version that no run evaluated; `None` if all were.
    pub(super) fn described_parts(&self) -> Option<String> {
        let described = |(parts, version): (&Vec<(u32, String)>, &str)| {
            let (line, text) = parts.first()?;
            Some(format!("`{text}` in line {line} of the {version} version"))
        };
        let parts: Vec<String> = self.parts.iter().zip(["old", "new"]).filter_map(described).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
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

/// Line and text of the parts of expressions that no run evaluated, of those on changed lines that the other version does not have.
fn unevaluated(
    plan: &Plan,
    lines: &[u32],
    other: &str,
    ledger: &Ledger,
    outdated: &[Range<u32>],
) -> Vec<(u32, String)> {
    let (marks, parts) = (&plan.instrumented.marks, &plan.instrumented.parts);
    let lines: BTreeSet<u32> = lines.iter().map(|&line| marks.first_line(line)).collect();
    let evaluated = ledger.parts();
    let other = LazyCell::new(|| without_layout(other));
    let is_outdated =
        |part: &Range<u32>| outdated.iter().any(|other| other.start <= part.start && part.end <= other.end);
    let missed = (0..).zip(parts).filter(|(number, part)| !evaluated.contains(number) && !is_outdated(part));
    let missed = missed.filter_map(|(_, part)| {
        let text = plan.text.get(part.start as usize..part.end as usize)?;
        let line = plan.model.lines().line(part.start);
        let first = marks.first_line(line);
        let is_reached = lines.contains(&first) && ledger.covered().contains(&first);
        (is_reached && !other.contains(&without_layout(text)))
            .then(|| (line, shortened(&one_line(&plan.model, part.clone()), MOST_OF_PART)))
    });
    missed.collect()
}

/// A text without what a formatter may change: white space, parentheses, commas and quotes.
fn without_layout(text: &str) -> String {
    text.chars().filter(|&letter| !letter.is_whitespace() && !"(),'\"".contains(letter)).collect()
}
