//! The client against a real llama.cpp server with a model of random weights: `./dev llm`.

use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::json;
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
#[ignore = "needs a llama.cpp server: ./dev llm"]
fn a_real_server_streams_constrains_and_is_cancelled() {
    let llama = Llama::start();
    let patient = client(&llama.url(), Duration::from_mins(2));

    let answer = patient.ask(&question(40)).expect("it answers");
    assert!(answer.is_cut && !answer.text.is_empty(), "random weights end nothing: {answer:?}");
    assert_eq!(patient.spent().requests, 1, "it takes the request as it is");
    assert!(answer.usage.completion_tokens > 0 && answer.usage.prompt_tokens > 0, "{answer:?}");

    // No strings: the server's grammar lets control characters into them, which JSON does not have.
    let properties = json!({"id": {"type": "integer"}, "value": {"type": "boolean"}});
    let item = json!({"type": "object", "properties": properties, "required": ["id", "value"]});
    let values = json!({"type": "array", "minItems": 2, "maxItems": 3, "items": item});
    let schema = json!({"type": "object", "properties": {"values": values}, "required": ["values"]});
    let asked = Question { schema: Some(Schema { name: "values", schema }), ..question(600) };
    let constrained = patient.ask(&asked).expect("it answers");
    let parsed: Result<serde_json::Value, _> = serde_json::from_str(&constrained.text);
    let items = parsed.ok().and_then(|parsed| Some(parsed["values"].as_array()?.len()));
    assert!(items.is_some_and(|items| items >= 2), "the grammar leaves nothing else: {constrained:?}");

    let begin = Instant::now();
    let late =
        client(&llama.url(), Duration::from_millis(300)).ask(&question(7000)).expect_err("300 ms are not enough");
    assert!(matches!(late, LlmError::Timeout { .. }), "{late}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());

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
