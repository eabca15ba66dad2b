//! Comparisons as a SARIF 2.1.0 log, for code scanning: a result for each function that differs or is unknown.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::comparison::Comparison;
use super::render::{SHOWN, of_witness, summary};
use super::verdict::{Verdict, Witness};

/// Where the names of files lead to.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of all comparisons.
pub fn log(comparisons: &[Comparison]) -> Value {
    let results: Vec<Value> = comparisons.iter().filter_map(result).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Surmise",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": [
                    {
                        "id": "behaviour-differs",
                        "name": "BehaviourDiffers",
                        "shortDescription": { "text": "The change alters what the function does." },
                        "fullDescription": {
                            "text": "Both versions were run under the same values and did not do the same.",
                        },
                        "help": { "text": "The message has the values and the first thing that differs. If the change is meant to, nothing is wrong." },
                        "defaultConfiguration": { "level": "warning" },
                    },
                    {
                        "id": "behaviour-may-differ",
                        "name": "BehaviourMayDiffer",
                        "shortDescription": { "text": "The change alters what the function does under unlikely values." },
                        "fullDescription": {
                            "text": "Both versions did not do the same under values that are unlikely there.",
                        },
                        "help": { "text": "The message has the values: if callers never pass such, nothing is wrong." },
                        "defaultConfiguration": { "level": "note" },
                    },
                    {
                        "id": "behaviour-unknown",
                        "name": "BehaviourUnknown",
                        "shortDescription": { "text": "Whether the change alters what the function does was not found out." },
                        "fullDescription": { "text": "Both versions could not be compared, or no run reached the change." },
                        "help": { "text": "The message has the reason. Such a change is for people to read." },
                        "defaultConfiguration": { "level": "note" },
                    },
                ],
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "The root of the repository." } } },
            "results": results,
        }],
    })
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
        let mut artifact = json!({ "uri": uri(&comparison.path) });
        if !comparison.path.starts_with('/') {
            artifact["uriBaseId"] = json!("SRCROOT");
        }
        location["physicalLocation"] =
            json!({ "artifactLocation": artifact, "region": { "startLine": comparison.lines.1.max(1) } });
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

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _infallible = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_references() {
        assert_eq!(uri("src/my module/é.py"), "src/my%20module/%C3%A9.py");
    }
}
