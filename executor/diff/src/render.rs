//! Comparisons as text and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use surmise_identity::Identity;

use super::comparison::Comparison;
use super::verdict::{Ground, Verdict, Witness};

/// The name of the JSON format.
const SCHEMA: &str = "surmise.diff/1";
/// Values of a witness that text and Markdown show.
pub(super) const SHOWN: usize = 12;

/// How many there are of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Totals {
    /// Behave differently.
    pub different: u32,
    /// Behave differently under unlikely values only.
    pub possible: u32,
    /// Behave the same.
    pub equal: u32,
    /// Could not be compared.
    pub unknown: u32,
    /// Only in the new version.
    pub added: u32,
    /// Only in the old version.
    pub removed: u32,
}

impl Totals {
    /// How many there are together.
    pub fn all(&self) -> u64 {
        let Self { different, possible, equal, unknown, added, removed } = *self;
        [different, possible, equal, unknown, added, removed].into_iter().map(u64::from).sum()
    }

    /// Counts a comparison.
    pub fn add(&mut self, comparison: &Comparison) {
        *(match comparison.verdict {
            Verdict::Different(_) => &mut self.different,
            Verdict::Possible(_) => &mut self.possible,
            Verdict::Equal(_) => &mut self.equal,
            Verdict::Unknown(_) => &mut self.unknown,
            Verdict::Added => &mut self.added,
            Verdict::Removed => &mut self.removed,
        }) += 1;
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { different, possible, equal, unknown, added, removed } = self;
        write!(f, "{different} different, {possible} possible, {equal} equal, {unknown} unknown, ")?;
        write!(f, "{added} added, {removed} removed")
    }
}

/// One comparison as text: a line, and the witness of a difference in lines of at most so many characters.
pub fn text(comparison: &Comparison, width: usize) -> String {
    let mut text = format!("{:<10} {}: {}\n", comparison.verdict.as_str(), comparison.name, summary(comparison));
    if let Some(witness) = comparison.verdict.witness() {
        let mut line = |start: &str, rest: &str| {
            let _infallible = writeln!(text, "    {start}{}", shortened(rest, width.saturating_sub(4 + start.len())));
        };
        for (path, value) in witness.given.iter().take(SHOWN) {
            line("with ", &format!("{path} = {value}"));
        }
        if witness.given.len() > SHOWN {
            line("with ", &format!("{} more values", witness.given.len() - SHOWN));
        }
        line("old: ", witness.old.as_deref().unwrap_or("(nothing more)"));
        line("new: ", witness.new.as_deref().unwrap_or("(nothing more)"));
    }
    text
}

/// A text of at most so many characters, without its middle if it is longer.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(3);
    let (start, end) = (kept - kept / 3, kept / 3);
    let head: String = text.chars().take(start).collect();
    let tail: String = text.chars().skip(count - end).collect();
    format!("{head}...{tail}")
}

/// What is said of a comparison in half a line.
pub fn summary(comparison: &Comparison) -> String {
    let finding = finding(comparison);
    match comparison.reads.as_slice() {
        [] => finding,
        [one] => format!("{finding}; {one} changed, which it reads"),
        [one, another] => format!("{finding}; {one} and {another} changed, which it reads"),
        [one, another, more @ ..] => {
            format!("{finding}; {one}, {another} and {} more changed, which it reads", more.len())
        }
    }
}

fn finding(comparison: &Comparison) -> String {
    let runs = || match comparison.runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    match &comparison.verdict {
        Verdict::Different(witness) => format!("another {}, shown by run {}", noun(&witness.kind), comparison.runs),
        Verdict::Possible(witness) => {
            format!("another {} under unlikely values, shown by run {}", noun(&witness.kind), comparison.runs)
        }
        Verdict::Equal(Ground::Runs) => format!("equal under {}, all changed lines covered", runs()),
        Verdict::Equal(ground) => ground.as_str().to_owned(),
        Verdict::Unknown(why) => why.clone(),
        Verdict::Added => "only in the new version".to_owned(),
        Verdict::Removed => "only in the old version".to_owned(),
    }
}

fn noun(kind: &str) -> &str {
    match kind {
        "raise" => "exception",
        "return" => "result",
        "state" => "content of a container",
        "global" => "global variable",
        "yield" => "element",
        "decorate" => "decorator",
        other => other,
    }
}

/// One comparison for programs.
pub fn document(comparison: &Comparison) -> Value {
    let (reached, all) = comparison.changed;
    let mut document = json!({
        "schema": SCHEMA,
        "name": comparison.name,
        "path": comparison.path,
        "old_line": comparison.lines.0,
        "new_line": comparison.lines.1,
        "verdict": comparison.verdict.as_str(),
        "reason": summary(comparison),
        "in_place": comparison.in_place,
        "unplaced": comparison.unplaced,
        "reads": comparison.reads,
        "runs": comparison.runs,
        "changed_lines": { "total": all, "covered": reached },
        "time_ms": comparison.time.as_secs_f64() * 1000.0,
    });
    if let Some(witness) = comparison.verdict.witness() {
        document["witness"] = of_witness(witness);
    }
    document
}

/// The last line for programs: the totals, and what they depend on.
pub fn sums(totals: &Totals, identity: &Identity) -> Value {
    let Identity { runtime, model } = identity;
    json!({ "schema": SCHEMA, "summary": totals, "runtime": runtime, "model": model })
}

pub(super) fn of_witness(witness: &Witness) -> Value {
    let given: Vec<Value> = witness.given.iter().map(|(path, value)| json!({ "path": path, "value": value })).collect();
    json!({
        "test": witness.test.as_ref().map(|test| &test.call),
        "kind": witness.kind,
        "values": given,
        "old": witness.old,
        "new": witness.new,
        "old_behaviour": witness.old_entries,
        "new_behaviour": witness.new_entries,
    })
}
