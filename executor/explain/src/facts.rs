//! What runs have shown of a snippet.

use std::collections::BTreeSet;

use surmise_engine::execute::Outcome;
use surmise_llm::Literal;
use surmise_report::Report;

/// One thing that runs have shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A line was executed.
    Executed(u32),
    /// A line was executed in no run.
    NotExecuted(u32),
    /// Something had a value on a line.
    Value {
        /// The line.
        line: u32,
        /// A name or an access path.
        name: String,
        /// The value as it prints.
        value: String,
    },
    /// A line raised an exception of a class.
    Raised {
        /// The line.
        line: u32,
        /// Name of the class.
        kind: String,
    },
    /// The best run came to its end.
    Completed,
}

/// All that the runs of a snippet have shown.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    executed: BTreeSet<u32>,
    not_executed: BTreeSet<u32>,
    values: Vec<(u32, String, String)>,
    raised: Vec<(u32, String)>,
    completed: bool,
    source: Vec<String>,
}

impl Facts {
    /// What a report says.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let value = |name: &str, value: &str, line: u32| (line, name.to_owned(), value.to_owned());
        let mut values = Vec::new();
        for one in &report.injections {
            values.push(value(&one.name, &one.value, one.line));
            values.extend(one.path.as_ref().map(|path| value(path, &one.value, one.line)));
        }
        let raised = report.errors.iter().map(|finding| (finding.raised.line, finding.raised.kind.clone()));
        Self {
            executed: report.covered.iter().copied().collect(),
            not_executed: report.missed().into_iter().collect(),
            values,
            raised: raised.collect(),
            completed: report.outcome == Outcome::Completed,
            source: report.source.lines().map(str::to_owned).collect(),
        }
    }

    /// A line of the snippet, from 1.
    pub(crate) fn source_line(&self, line: u32) -> Option<&str> {
        self.source.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// True if a run raised an error.
    pub(crate) fn has_errors(&self) -> bool {
        !self.raised.is_empty()
    }

    /// True if the runs have shown this.
    #[must_use]
    pub fn bear_out(&self, fact: &Fact) -> bool {
        match fact {
            Fact::Executed(line) => self.executed.contains(line),
            Fact::NotExecuted(line) => self.not_executed.contains(line),
            Fact::Value { line, name, value } => {
                self.values.iter().any(|(own, known, real)| own == line && known == name && is_same(real, value))
            }
            Fact::Raised { line, kind } => self.raised.iter().any(|(own, known)| own == line && known == kind),
            Fact::Completed => self.completed,
        }
    }

    /// The facts as lines of a question.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let listed = |lines: &BTreeSet<u32>| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let coverage = [
            format!("executed lines: {}", listed(&self.executed)),
            format!("lines that no run executed: {}", listed(&self.not_executed)),
        ];
        let values = self.values.iter().map(|(line, name, value)| format!("value in line {line}: {name} = {value}"));
        let raised = self.raised.iter().map(|(line, kind)| format!("line {line} raised {kind}"));
        let ended = self.completed.then(|| "the best run completed".to_owned());
        coverage.into_iter().chain(values).chain(raised).chain(ended)
    }
}

/// True for equal literals, or else for equal texts.
fn is_same(real: &str, claimed: &str) -> bool {
    match (Literal::parse(real), Literal::parse(claimed)) {
        (Ok(real), Ok(claimed)) => real == claimed,
        _ => real.trim() == claimed.trim(),
    }
}
