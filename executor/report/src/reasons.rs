//! Why an error is, or may not be, the snippet's own.

use surmise_blame::{Finding, Verdict};

/// Values that are named.
const MOST_VALUES: usize = 3;

/// The verdict in a word, and its reason. One run has nothing to compare with.
pub(crate) fn verdict(finding: &Finding, once: bool) -> (&'static str, String) {
    let values: Vec<String> = finding
        .depends_on
        .iter()
        .take(MOST_VALUES)
        .map(|value| {
            let is = if value.value.starts_with("raises ") { "" } else { "is " };
            format!("`{}` (line {}) {is}{}", value.name, value.line, value.value)
        })
        .collect();
    let when = if values.is_empty() {
        "under some injected values".to_owned()
    } else {
        format!("when {}", values.join(" and "))
    };
    let name = match finding.verdict {
        _ if finding.passed_over => "probable",
        Verdict::Certain => "certain",
        Verdict::Conditional => "conditional",
        Verdict::Guess => "guess",
    };
    let why = match finding.verdict {
        _ if finding.passed_over => "a value was injected here instead".to_owned(),
        Verdict::Certain if once => "nothing that was injected has led to it".to_owned(),
        Verdict::Certain => "raised whatever was injected".to_owned(),
        Verdict::Conditional if once => "other injected values may lead elsewhere".to_owned(),
        Verdict::Guess if once => "an injected value may be of the wrong kind".to_owned(),
        Verdict::Conditional => format!("raised {when}"),
        Verdict::Guess if values.is_empty() => "other injected values avoid it".to_owned(),
        Verdict::Guess => format!("raised {when}, other values avoid it"),
    };
    (name, why)
}
