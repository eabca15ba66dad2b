//! Why an error is, or may not be, the program's own, in words.

use surmise_blame::{Finding, Verdict};

use crate::Report;

/// Values that are named of those that an error depends on.
const MOST_VALUES: usize = 3;

/// The word for a verdict: a failure that a value was injected for did not end a run.
pub fn word(finding: &Finding) -> &'static str {
    match finding.verdict {
        Verdict::Conditional if finding.passed_over => "probable",
        Verdict::Certain => "certain",
        Verdict::Conditional => "conditional",
        Verdict::Guess => "guess",
    }
}

/// What the verdict rests on; one run has nothing to compare with.
pub fn reason(finding: &Finding, report: &Report) -> String {
    let once = report.runs == 1;
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
    let input = finding.input.zip(report.sampled_input.as_ref());
    if let Some((share, sampled)) = input.filter(|_| !finding.passed_over && finding.verdict != Verdict::Guess) {
        let (of, text) = (format!("{} of {} inputs", share.raised, share.tried), sampled.shown(share.sample));
        return match finding.verdict {
            Verdict::Certain => format!("raised whatever the input is ({of}), such as {text}"),
            _ if values.is_empty() => format!("raised with standard input {text} ({of})"),
            _ => format!("raised {when} and standard input is {text} ({of})"),
        };
    }
    match finding.verdict {
        Verdict::Certain if finding.passed_over => {
            "nothing gives this a value; one was injected so that the run could go on".to_owned()
        }
        _ if finding.passed_over => "a value was injected here instead".to_owned(),
        Verdict::Certain if once => "nothing that was injected has led to it".to_owned(),
        Verdict::Certain => "raised whatever was injected".to_owned(),
        Verdict::Conditional if once => "other injected values may lead elsewhere".to_owned(),
        Verdict::Guess if once => "an injected value may be of the wrong kind".to_owned(),
        Verdict::Conditional => format!("raised {when}"),
        Verdict::Guess if values.is_empty() => "other injected values avoid it".to_owned(),
        Verdict::Guess => format!("raised {when}, other values avoid it"),
    }
}
