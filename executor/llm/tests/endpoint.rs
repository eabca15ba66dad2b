//! The client against a server that answers well, badly, late or not at all.

use std::time::{Duration, Instant};

use surmise_llm::{Cache, Client, Endpoint, Limits, LlmError, Prices, Question, Schema, Timeouts};
use surmise_test_servers::scripted::{Reply, Server};

const KEY: &str = "sk-of-this-test";

fn client(server: &Server, cache: Option<Cache>) -> Client {
    let timeouts = Timeouts { silence: Duration::from_millis(400), ..Timeouts::default() };
    let endpoint = Endpoint::new(&server.url(), "tiny", Some(KEY.to_owned()), timeouts).expect("an address");
    let limits = Limits { requests: 10, tokens: 10_000, cost: None };
    Client::new(endpoint, limits, Prices { input: 1.0, output: 2.0 }, cache)
}

fn question() -> Question {
    Question { system: "Answer.".into(), user: "What is 6 * 7?".into(), most_tokens: 100, schema: None }
}

/// The only answer of a server.
fn ask(reply: Reply) -> Result<String, LlmError> {
    client(&Server::start([reply]), None).ask(&question()).map(|answer| answer.text)
}

#[test]
fn an_answer_is_streamed_or_comes_whole() {
    let text = "Forty-two: \"42\" ∎\n";
    assert_eq!(ask(Reply::Streamed(text.into())).expect("it answers"), text);
    assert_eq!(ask(Reply::Whole(text.into())).expect("it answers"), text);

    let server = Server::start([Reply::Streamed(text.into())]);
    let client = client(&server, None);
    let answer = client.ask(&question()).expect("it answers");
    assert_eq!((answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.is_cut), (100, 50, false));
    let spent = client.spent();
    assert_eq!((spent.requests, spent.cached), (1, 0));
    assert!((spent.cost - 0.0002).abs() < 1e-12, "100 tokens at 1 and 50 at 2 a million: {}", spent.cost);
    let asked = &server.asked()[0];
    assert!(asked.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", asked.head);
    assert!(asked.head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{}", asked.head);
    assert_eq!(asked.user(), "What is 6 * 7?");
    assert_eq!((&asked.body["model"], &asked.body["temperature"]), (&"tiny".into(), &0.into()));
}

#[test]
fn failures_that_pass_are_waited_for() {
    let server = Server::start([
        Reply::Status(429, "retry-after: 1\r\n", "slow down".into()),
        Reply::Status(500, "", "oops".into()),
        Reply::Close,
        Reply::Events("data: {\"choices\":[{\"delta\":{\"content\":\"4\"}}]}\n\n".into()),
        Reply::Streamed("42".into()),
    ]);
    let client = client(&server, None);
    let begin = Instant::now();
    assert_eq!(client.ask(&question()).expect("the fifth request is answered").text, "42");
    assert!(begin.elapsed() > Duration::from_secs(1), "the server asked for a second");
    assert_eq!((client.spent().requests, server.asked().len()), (5, 5), "retries count");
}

#[test]
fn a_server_that_keeps_failing_is_given_up() {
    let hour = Reply::Status(429, "retry-after: 3600\r\n", format!("you with {KEY} have no more credit"));
    let server = Server::start([hour]);
    let client = client(&server, None);
    let error = client.ask(&question()).expect_err("an hour is too long");
    assert_eq!(
        error.to_string(),
        "the language model server answered with status 429: you with *** have no more credit"
    );
    assert_eq!(server.asked().len(), 1);

    let date = "retry-after: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    let server = Server::start([Reply::Status(503, date, "later".into())]);
    let error = self::client(&server, None).ask(&question()).expect_err("2100 is too late");
    assert_eq!((matches!(error, LlmError::Busy { status: 503, .. }), server.asked().len()), (true, 1), "{error}");
}

#[test]
fn retries_are_noticed() {
    let server = Server::start([Reply::Status(500, "", "oops".into()), Reply::Streamed("42".into())]);
    let (sender, noticed) = std::sync::mpsc::channel();
    let client = client(&server, None).with_notice(move |error, delay| {
        let _the_test_listens = sender.send((error.to_string(), delay));
    });
    assert_eq!(client.ask(&question()).expect("the second request is answered").text, "42");
    let noticed: Vec<_> = noticed.try_iter().collect();
    assert_eq!(noticed.len(), 1);
    assert_eq!(noticed[0].0, "the language model server answered with status 500: oops");
    assert!(noticed[0].1 >= Duration::from_millis(500), "{:?}", noticed[0].1);
}

#[test]
fn what_is_refused_or_no_answer_is_not_asked_again() {
    let refused = ask(Reply::Status(401, "", format!("{{\"error\": \"bad key {KEY}\"}}"))).expect_err("refused");
    assert_eq!(
        refused.to_string(),
        "the language model server refused the question with status 401: {\"error\": \"bad key ***\"}"
    );
    assert!(refused.hint().contains("SURMISE_LLM_KEY"));
    let moved = ask(Reply::Status(307, "location: http://127.0.0.1:1/\r\n", String::new())).expect_err("not followed");
    assert!(matches!(moved, LlmError::Refused { status: 307, .. }), "{moved}");
    let nonsense = ask(Reply::Events("data: <html>\n\n".into())).expect_err("no completion");
    assert!(matches!(nonsense, LlmError::NotACompletion { .. }), "{nonsense}");
    let flood = ask(Reply::Flood(10 << 20)).expect_err("10 MB are not read");
    assert!(matches!(flood, LlmError::TooLarge { .. }), "{flood}");
    // Had they been waited for, their connections would have been closed.
    for reply in [Reply::Silence(Duration::from_secs(20)), Reply::Stall(Duration::from_secs(20))] {
        let late = ask(reply).expect_err("it says nothing");
        assert!(matches!(late, LlmError::Timeout { .. }), "{late}");
    }
}

#[test]
fn an_untrusted_certificate_and_a_missing_server_are_told_apart() {
    let server = Server::start_secure([Reply::Streamed("42".into())]);
    let error = client(&server, None).ask(&question()).expect_err("nobody signed it");
    assert!(matches!(error, LlmError::Tls { .. }), "{error:?}");
    assert!(server.asked().is_empty(), "nothing was sent");
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let url = format!("http://127.0.0.1:{port}");
    let endpoint = Endpoint::new(&url, "tiny", None, Timeouts::default()).expect("an address");
    let limits = Limits { requests: 2, tokens: 10_000, cost: None };
    let error = Client::new(endpoint, limits, Prices::default(), None).ask(&question()).expect_err("nobody listens");
    assert!(matches!(error, LlmError::Unreachable { .. }), "the limit of two requests is not the reason: {error:?}");
}

#[test]
fn a_server_without_structured_output_is_asked_without() {
    let schema = || Some(Schema { name: "values", schema: serde_json::json!({"type": "object"}) });
    let refusal = || Reply::Status(400, "", "unknown field".into());
    let invalid = Reply::Status(500, "", "1 validation error: response_format".into());
    let server = Server::start([invalid, refusal(), refusal(), Reply::Whole("{}".into()), Reply::Whole("{}".into())]);
    let client = client(&server, None);
    for most_tokens in [100, 101] {
        let asked = Question { schema: schema(), most_tokens, ..question() };
        assert_eq!(client.ask(&asked).expect("the fourth request is answered").text, "{}");
    }
    let asked = server.asked();
    let has = |field: &str| asked.iter().map(|asked| !asked.body[field].is_null()).collect::<Vec<_>>();
    assert_eq!(has("response_format"), [true, true, false, false, false]);
    assert_eq!(has("stream_options"), [true, true, true, false, false], "it is remembered what the server refuses");
    assert_eq!(asked[0].body["response_format"]["json_schema"]["name"], "values");
    assert_eq!(asked[1].body["response_format"]["type"], "json_object");
}

#[test]
fn an_answer_is_kept_without_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    // A server that repeats what it was sent.
    let server = Server::start([Reply::Streamed(format!("42 {KEY}"))]);
    for (requests, cached) in [(1, 0), (0, 1)] {
        let client = client(&server, Some(Cache::new(folder.path().to_owned())));
        let answer = client.ask(&question()).expect("it is asked once");
        assert_eq!((answer.text.as_str(), answer.is_cached), ("42 ***", cached == 1));
        assert_eq!((client.spent().requests, client.spent().cached), (requests, cached));
    }
    let mut kept = Vec::new();
    for level in std::fs::read_dir(folder.path()).expect("the cache").filter_map(Result::ok) {
        for file in std::fs::read_dir(level.path()).expect("a level").filter_map(Result::ok) {
            kept.push(std::fs::read_to_string(file.path()).expect("an entry"));
        }
    }
    assert_eq!(kept.len(), 1);
    assert!(kept[0].contains("42") && !kept[0].contains(KEY) && !kept[0].contains("6 * 7"), "{}", kept[0]);
}

#[test]
fn nothing_is_sent_beyond_a_limit() {
    let server = Server::start([Reply::Streamed("42".into())]);
    let endpoint = Endpoint::new(&server.url(), "tiny", None, Timeouts::default()).expect("an address");
    let limits = Limits { requests: 10, tokens: 200, cost: None };
    let client = Client::new(endpoint, limits, Prices::default(), None);
    client.ask(&question()).expect("about 123 tokens");
    let error = client.ask(&question()).expect_err("150 tokens are spent");
    assert_eq!(error.to_string(), "the question was not sent: it could exceed the limit of 200 tokens");
    assert_eq!(server.asked().len(), 1);
}
