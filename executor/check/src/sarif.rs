//! Findings as a SARIF 2.1.0 log, for code scanning.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use surmise_report::sarif::{self, Rule};

use crate::checked::{Checked, Found, Verdict};

const RULES: [Rule; 3] = [
    Rule {
        id: "documented-code-fails",
        name: "DocumentedCodeFails",
        short: "Code of the documentation raises an error.",
        full: "The code was run. What the page does not show was injected, and whatever was injected, the error was raised.",
        help: "Correct the code, or show the error below it if the page means to.",
        level: "warning",
    },
    Rule {
        id: "documented-code-may-fail",
        name: "DocumentedCodeMayFail",
        short: "Code of the documentation raises an error under some values of what it leaves out.",
        full: "The code was run with several values of what the page does not show, and some of them led to the error.",
        help: "Nothing is wrong if the values in the message never occur.",
        level: "note",
    },
    Rule {
        id: "documented-code-is-no-python",
        name: "DocumentedCodeIsNoPython",
        short: "Code that the page calls Python does not parse.",
        full: "The block is marked as Python, has no placeholders, and is not accepted by the parser.",
        help: "Correct the code, or mark the block as what it is, such as `text` or `console`.",
        level: "warning",
    },
];

/// The log of what was found on pages.
pub fn log<'a>(pages: impl IntoIterator<Item = &'a Checked>) -> Value {
    let of_page = |page: &'a Checked| page.findings.iter().map(|found| result(&page.page, found));
    let results: Vec<Value> = pages.into_iter().flat_map(of_page).collect();
    sarif::log(&RULES, &results, "The folder in which the command ran.")
}

fn result(page: &str, found: &Found) -> Value {
    let rule = match (found.verdict, found.kind.as_str()) {
        (Verdict::Certain, "SyntaxError") => 2,
        (Verdict::Certain, _) => 0,
        (Verdict::Conditional, _) => 1,
    };
    let mut region = json!({ "startLine": found.line });
    if let Some(column) = found.column {
        region["startColumn"] = json!(column + 1);
        if let Some(end) = found.end_column.filter(|end| *end > column) {
            region["endColumn"] = json!(end + 1);
        }
    }
    let hint = found.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let Rule { id, level, .. } = RULES[rule];
    let print = Sha256::new().chain_update(id).chain_update([0]).chain_update(page).chain_update([0]);
    let print = print.chain_update(&found.kind).chain_update([0]).chain_update(&found.text).finalize();
    json!({
        "ruleId": id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": format!("{}: {}{hint}", found.kind, found.message) },
        "locations": [{ "physicalLocation": sarif::place(page, &region) }],
        "partialFingerprints": { "code/v1": format!("{print:x}")[..32] },
        "properties": { "verdict": found.verdict, "cell": found.cell },
    })
}
