//! SARIF 2.1.0 logs, for code scanning: what all of ours have in common.

use std::fmt::Write as _;

use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A kind of result.
pub struct Rule {
    /// How results name it.
    pub id: &'static str,
    /// The name in words that are joined.
    pub name: &'static str,
    /// One sentence.
    pub short: &'static str,
    /// What was done to find it.
    pub full: &'static str,
    /// What to do about it.
    pub help: &'static str,
    /// `warning` or `note`.
    pub level: &'static str,
}

impl Rule {
    fn descriptor(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "shortDescription": { "text": self.short },
            "fullDescription": { "text": self.full },
            "help": { "text": self.help },
            "defaultConfiguration": { "level": self.level },
        })
    }
}

/// A log of results; relative paths in it are below `root`, in words.
pub fn log(rules: &[Rule], results: &[Value], root: &str) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Surmise",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(Rule::descriptor).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": root } } },
            "results": results,
        }],
    })
}

/// A place in a file.
pub fn place(path: &str, region: &Value) -> Value {
    let mut artifact = json!({ "uri": uri(path) });
    if !path.starts_with('/') {
        artifact["uriBaseId"] = json!("SRCROOT");
    }
    json!({ "artifactLocation": artifact, "region": region })
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
