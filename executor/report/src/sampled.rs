//! The grammar of standard input, and the samples of it under which a program was run.

use std::fmt::Write;

use serde::Serialize;

/// What is known of a program's standard input, and what was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampledInput {
    /// What the grammar was taken from: `description`, `description-and-code` or `code`.
    pub origin: String,
    /// The grammar, as text.
    pub grammar: String,
    /// Contradictions, and what was not understood.
    pub notes: Vec<String>,
    /// The samples, by their number.
    pub samples: Vec<String>,
}

/// Characters of a sample that are shown.
const LONGEST_SAMPLE: usize = 120;

impl SampledInput {
    /// A sample as it is shown in a sentence: in quotes, with escapes, cut where it is long.
    pub(crate) fn shown(&self, sample: u32) -> String {
        let text = self.samples.get(sample as usize).map_or("", String::as_str);
        let cut: String = text.chars().take(LONGEST_SAMPLE).collect();
        let more = if cut.len() < text.len() { "..." } else { "" };
        format!("{cut:?}{more}")
    }

    /// The grammar and the notes, a line each.
    pub(crate) fn lines(&self) -> String {
        let origin = match self.origin.as_str() {
            "description" => "from the description",
            "description-and-code" => "values from the description, their order from the code",
            _ => "from what the code reads",
        };
        let mut out = format!("{origin}, {} samples\n", self.samples.len());
        for line in self.grammar.lines() {
            let _ = writeln!(out, "  {line}");
        }
        for note in &self.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        out
    }
}
