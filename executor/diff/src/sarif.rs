//! Comparisons as a SARIF 2.1.0 log, for code scanning: a result for each function that differs or is unknown.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use surmise_report::sarif::{self, Rule};

use super::comparison::Comparison;
use super::render::{SHOWN, of_witness, summary};
use super::verdict::{Verdict, Witness};

const RULES: [Rule; 3] = [
    Rule {
        id: "behaviour-differs",
        name: "BehaviourDiffers",
        short: "The change alters what the function does.",
        full: "Both versions were run under the same values and did not do the same.",
        help: "The message has the values and the first thing that differs. If the change is meant to, nothing is wrong.",
        level: "warning",
    },
    Rule {
        id: "behaviour-may-differ",
        name: "BehaviourMayDiffer",
        short: "The change alters what the function does under unlikely values.",
        full: "Both versions did not do the same under values that are unlikely there.",
        help: "The message has the values: if callers never pass such, nothing is wrong.",
        level: "note",
    },
    Rule {
        id: "behaviour-unknown",
        name: "BehaviourUnknown",
        short: "Whether the change alters what the function does was not found out.",
        full: "Both versions could not be compared, or no run reached the change.",
        help: "The message has the reason. Such a change is for people to read.",
        level: "note",
    },
];

/// The log of all comparisons.
pub fn log(comparisons: &[Comparison]) -> Value {
    let results: Vec<Value> = comparisons.iter().filter_map(result).collect();
    sarif::log(&RULES, &results, "The root of the repository.")
}

fn result(comparison: &Comparison) -> Option<Value> {
    let (rule, number, level) = match &comparison.verdict {
        Verdict::Different(_) => ("behaviour-differs", 0, "warning"),
        Verdict::Possible(_) => ("behaviour-may-differ", 1, "note"),
        Verdict::Unknown(_) => ("behaviour-unknown", 2, "note"),
        Verdict::Equal(_) | Verdict::Added | Verdict::Removed => return None,
    };
    let mut message = format!("{}: {}", comparison.name, summary(comparison));
    let mut properties = json!({ "verdict": comparison.verdict.as_str(), "oldLine": comparison.lines.0 });
    if let Some(witness) = comparison.verdict.witness() {
        message.push_str(&described(witness));
        properties["witness"] = of_witness(witness);
    }
    let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": comparison.name, "kind": "function" }] });
    if !comparison.path.is_empty() {
        let region = json!({ "startLine": comparison.lines.1.max(1) });
        location["physicalLocation"] = sarif::place(&comparison.path, &region);
    }
    let print = Sha256::new().chain_update(rule).chain_update([0]).chain_update(&comparison.name).finalize();
    Some(json!({
        "ruleId": rule,
        "ruleIndex": number,
        "level": level,
        "message": { "text": message },
        "locations": [location],
        "partialFingerprints": { "function/v1": format!("{print:x}")[..32] },
        "properties": properties,
    }))
}

/// The witness in a message.
fn described(witness: &Witness) -> String {
    let mut text = String::new();
    for (path, value) in witness.given.iter().take(SHOWN) {
        let _infallible = write!(text, "\nwith {path} = {value}");
    }
    for (version, entry) in [("old", &witness.old), ("new", &witness.new)] {
        let _infallible = write!(text, "\n{version}: {}", entry.as_deref().unwrap_or("(nothing more)"));
    }
    text
}
