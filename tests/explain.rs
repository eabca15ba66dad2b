//! `surmise explain`: sentences that runs confirm are shown, others are dropped and counted.

use serde_json::{Value, json};
use surmise_test_servers::scripted::{Reply, Server};

use crate::support::{Ended, Folder, ended, surmise};

const SNIPPET: &str = "total = 3\nif total > limit:\n    total = 0\nprint(1 / (total - total))\n";

fn explain(server: &Server, arguments: &[&str]) -> Ended {
    let folder = Folder::of(&[("snippet.py", SNIPPET)]);
    let mut command = surmise();
    command.args(["explain", "--llm-url", &server.url(), "--llm-model", "tiny", "--no-llm-cache"]);
    ended(command.args(arguments).arg("snippet.py").current_dir(folder.root()))
}

fn sentence(text: &str, evidence: &[(&str, u32, &str, &str)]) -> Value {
    let evidence: Vec<Value> = evidence
        .iter()
        .map(|(kind, line, name, value)| json!({"kind": kind, "line": line, "name": name, "value": value}))
        .collect();
    json!({"text": text, "evidence": evidence})
}

#[test]
fn only_what_runs_confirm_is_shown() {
    let error = ("raised", 4, "ZeroDivisionError", "");
    let sentences = [
        sentence("Line 4 divides by zero and raises ZeroDivisionError.", &[error]),
        sentence("The first line runs.", &[("executed", 1, "", "")]),
        sentence("It raises whatever `limit` is.", &[]),
        sentence("Line 3 never runs.", &[("not-executed", 3, "", "")]),
        sentence("Line 4 raises a KeyError.", &[error]),
        sentence("Line 2 raises.", &[("raised", 2, "TypeError", "")]),
        sentence("The limit is 7.", &[("value", 2, "limit", "7")]),
        sentence("Lines 1 and 4 run.", &[error]),
        sentence("It completes.", &[("completed", 0, "", "")]),
        sentence("\u{1b}[2JAll is well.", &[("magic", 1, "", "")]),
        sentence("Line 1 completes.", &[("executed", 1, "", ""), ("completed", 1, "", "")]),
        sentence("The snippet never fails.", &[("executed", 1, "", "")]),
        sentence("It runs safely.", &[("executed", 1, "", "")]),
        sentence("It fails at once.", &[("executed", 1, "", "")]),
        sentence("`limit` is 12.", &[("executed", 2, "", "")]),
        sentence("It calls `total.clear()`.", &[("executed", 1, "", "")]),
        sentence("`total=3` is compared.", &[("executed", 1, "4", "5"), ("executed", 2, "", "")]),
        sentence("The total is 4.", &[("executed", 1, "4", "4")]),
        // Elements of another form do not void the answer.
        json!({"text": "Line 1 runs."}),
        json!({"text": "Line 1 runs.", "evidence": [{"kind": "executed", "line": "one"}]}),
        json!(["Line 1 runs."]),
        json!("It runs."),
    ];
    let reply = json!({"sentences": sentences}).to_string();
    let server = Server::start([Reply::Streamed(reply.clone())]);
    let shown = explain(&server, &["--json"]);
    let report: Value = serde_json::from_slice(&shown.stdout).unwrap_or_else(|error| panic!("{error}: {shown}"));
    assert_eq!(report["schema"], "surmise.explain/1");
    let kept: Vec<&str> = report["sentences"]
        .as_array()
        .map(|all| all.iter().filter_map(|one| one["text"].as_str()).collect())
        .unwrap_or_default();
    let expected =
        ["Line 4 divides by zero and raises ZeroDivisionError.", "The first line runs.", "`total=3` is compared."];
    assert_eq!(kept, expected, "{report:#}");
    let reasons: Vec<&str> = report["dropped"]
        .as_array()
        .map(|all| all.iter().filter_map(|one| one["reason"].as_str()).collect())
        .unwrap_or_default();
    let expected = [
        "it is tied to nothing",
        "no run shows `not-executed` of line 3",
        "it names KeyError, which its evidence does not have",
        "no run shows `raised` of line 2",
        "no run shows `value` of line 2",
        "it names line 1, which its evidence does not have",
        "no run shows `completed` of line 0",
        "no run shows `magic` of line 1",
        "no run shows `completed` of line 1",
        "it says that nothing fails, which the runs do not show",
        "it says that a run succeeds, and is not tied to the end of one",
        "it says that something fails, and is tied to no error",
        "it quotes 12, which its evidence does not have",
        "it quotes `total.clear()`, which its evidence does not have",
        "it quotes 4, which its evidence does not have",
        "it is not of the asked form",
        "it is not of the asked form",
        "it is not of the asked form",
        "it is not of the asked form",
    ];
    assert_eq!(reasons, expected);
    let user = server.asked()[0].user().to_owned();
    assert!(
        user.contains("- line 4 raised ZeroDivisionError\n") && user.contains("- value in line 2: limit = "),
        "{user}"
    );

    let server = Server::start([Reply::Streamed(reply)]);
    let shown = explain(&server, &[]);
    let expected = "explained by tiny\n- Line 4 divides by zero and raises ZeroDivisionError. [4]\n- The first line runs. [1]\n\
                    - `total=3` is compared. [1, 2]\n19 sentences dropped that no run confirms\n";
    assert_eq!((shown.stdout().as_str(), shown.code()), (expected, 0), "{shown}");
}

#[test]
fn an_answer_of_another_form_is_no_explanation() {
    let server = Server::start([Reply::Streamed("It divides by zero.".to_owned())]);
    let shown = explain(&server, &[]);
    assert_eq!((shown.code(), shown.stdout().as_str()), (2, ""), "{shown}");
    assert!(
        shown.stderr().contains("error: the answer of the language model is not of the asked form\nhint: "),
        "{shown}"
    );
    let server = Server::start([Reply::Streamed("{\"sentences\": []}".to_owned())]);
    let shown = explain(&server, &[]);
    assert_eq!(
        (shown.code(), shown.stdout().as_str()),
        (1, "explained by tiny\n0 sentences dropped that no run confirms\n")
    );
}
