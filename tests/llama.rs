//! The client and the command against a real llama.cpp server with a model of random weights. A target of its own, which
//! `./dev test` and `./dev llm` build and run once the server is installed.

use std::process::{Command, Output};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::{Value, json};
use surmise_llm::{Client, Endpoint, Limits, LlmError, Prices, Question, Schema, Timeouts};
use surmise_test_servers::llama::Llama;

fn client(url: &str, answer: Duration) -> Client {
    let endpoint = Endpoint::new(url, "random", None, Timeouts { answer, ..Timeouts::default() }).expect("an address");
    let limits = Limits { requests: 10, tokens: 100_000, cost: None };
    Client::new(endpoint, limits, Prices::default(), None)
}

fn question(most_tokens: u32) -> Question {
    Question { system: "Answer.".into(), user: "What is 6 * 7?".into(), most_tokens, schema: None }
}

#[test]
fn a_real_server_streams_constrains_and_is_cancelled() {
    let llama = Llama::start();
    let patient = client(&llama.url(), Duration::from_mins(2));

    let answer = patient.ask(&question(40)).expect("it answers");
    assert!(answer.is_cut && !answer.text.is_empty(), "random weights end nothing: {answer:?}");
    assert_eq!(patient.spent().requests, 1, "it takes the request as it is");
    assert!(answer.usage.completion_tokens > 0 && answer.usage.prompt_tokens > 0, "{answer:?}");

    let properties = json!({"id": {"type": "integer"}, "value": {"type": "boolean"}});
    let item = json!({"type": "object", "properties": properties, "required": ["id", "value"]});
    let values = json!({"type": "array", "minItems": 2, "maxItems": 3, "items": item});
    let schema = json!({"type": "object", "properties": {"values": values}, "required": ["values"]});
    let asked = Question { schema: Some(Schema { name: "values", schema }), ..question(600) };
    let constrained = patient.ask(&asked).expect("it answers");
    let parsed: Result<Value, _> = serde_json::from_str(&constrained.text);
    let items = parsed.ok().and_then(|parsed| Some(parsed["values"].as_array()?.len()));
    assert!(items.is_some_and(|items| items >= 2), "the grammar leaves nothing else: {constrained:?}");

    // An answer of so many tokens would have ended, had it been waited for.
    let late =
        client(&llama.url(), Duration::from_millis(300)).ask(&question(7000)).expect_err("300 ms are not enough");
    assert!(matches!(late, LlmError::Timeout { .. }), "{late}");

    // The server may go on with what was cancelled, so another one is killed.
    drop(llama);
    let mut llama = Llama::start();
    let url = llama.url();
    let asking = spawn(move || client(&url, Duration::from_mins(1)).ask(&question(7500)));
    sleep(Duration::from_millis(700));
    llama.kill();
    let died = asking.join().expect("no panic").expect_err("the server is gone");
    assert!(matches!(died, LlmError::Unreachable { .. } | LlmError::Broken { .. }), "{died}");
}

/// Runs `surmise` on a program against a server and returns its report.
fn report(llama: &Llama, arguments: &[&str], program: &str) -> (Value, Output) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.py"), program).expect("the program is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_surmise"));
    let named = ["--llm-url", &llama.url(), "--llm-model", "random", "--no-llm-cache", "--llm-answer-tokens", "400"];
    let ended = command.args(arguments).args(named).arg("program.py").current_dir(folder.path()).output();
    let ended = ended.expect("the command runs");
    let report = serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (report, ended)
}

#[test]
fn the_command_asks_a_real_server_and_says_how_wrong_it_is() {
    let llama = Llama::start();
    let (predicted, ended) =
        report(&llama, &["predict", "--orca", "--json"], "n = 3\nfor i in range(n):\n    n += i\n");
    assert_eq!(
        (&predicted["spent"]["requests"], &predicted["metrics"]["exact_match"]),
        (&1.into(), &false.into()),
        "{ended:?}"
    );
    assert!(predicted["answer"].as_str().is_some_and(|answer| !answer.is_empty()), "{ended:?}");

    let snippet = "rows = load(path)\nfor row in rows:\n    if row.size: total = 1\nprint(len(rows) + undefined)\n";
    let (run, ended) = report(&llama, &["run", "--json", "--predictor", "llm"], snippet);
    let advice = &run["language_model"];
    assert!(advice["asked"].as_u64() > Some(0) && advice["spent"]["completion_tokens"].as_u64() > Some(0), "{ended:?}");
}
