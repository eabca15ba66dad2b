//! `--predictor llm` and `--ask-when-unsure`: values that a language model proposes, checked and tried in runs.

use std::time::Duration;

use serde_json::{Value, json};
use surmise_test_servers::scripted::{Reply, Server};

use crate::support::{Ended, Folder, ended, surmise};

const KEY: &str = "sk-of-this-test";

/// Lines 3 and 6 are reached with the right text and the right table alone.
const SNIPPET: &str = "\
if mode.upper() == 'VERBOSE':
    print('verbose')
for name, size in sorted(sizes.items()):
    if name.startswith('lib') and size > 1000:
        print(name)
";

fn asked(folder: &Folder, server: &Server, command: &str, arguments: &[&str]) -> Ended {
    let mut surmise = surmise();
    surmise.args([command, "--json", "--llm-url", &server.url(), "--llm-model", "tiny", "--no-llm-cache"]);
    ended(surmise.args(arguments).env("SURMISE_LLM_KEY", KEY).current_dir(folder.root()))
}

/// Numbers under which the values of these access paths are asked.
fn numbers(user: &str, paths: &[&str]) -> Vec<usize> {
    let number = |path: &&str| {
        let line = user.lines().find(|line| line.contains(&format!("`{path}`")));
        let number = line.and_then(|line| line.split('.').next()?.trim().parse().ok());
        number.unwrap_or_else(|| panic!("`{path}` is not asked for:\n{user}"))
    };
    paths.iter().map(number).collect()
}

/// An answer with values for access paths, which are asked for first with an answer that is none.
fn answer(folder: &Folder, file: &str, values: &[(&str, &str)]) -> String {
    let server = Server::start([Reply::Whole("I have no values.".to_owned())]);
    let without = asked(folder, &server, "run", &["--predictor", "llm", file]);
    let advice = &without.report()["language_model"];
    assert_eq!(advice["failure"], "the answer of the language model is not of the asked form", "{without}");
    let user = server.asked()[0].user().to_owned();
    let paths: Vec<&str> = values.iter().map(|(path, _)| *path).collect();
    let values =
        numbers(&user, &paths).into_iter().zip(values).map(|(id, (_, value))| json!({"id": id, "value": value}));
    json!({"values": values.collect::<Vec<Value>>()}).to_string()
}

#[test]
fn proposed_values_are_injected() {
    let folder = Folder::of(&[("snippet.py", SNIPPET)]);
    let values = [("mode", "'Verbose'"), ("sizes", "{'libfoo': 2000, 'bar': 1}")];
    let answer = answer(&folder, "snippet.py", &values);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "2", "snippet.py"]);
    let report = ended.report();
    assert_eq!(report["stdout"], "verbose\nlibfoo\n", "{ended}");
    assert_eq!((&report["lines"]["covered"], ended.code()), (&5.into(), 0), "{ended}");
    let advice = &report["language_model"];
    assert_eq!(
        (&advice["used"], &advice["kept"], &advice["failure"]),
        (&2.into(), &true.into(), &Value::Null),
        "{ended}"
    );
    assert_eq!(server.asked().len(), 1, "nothing failed: there is no second request");
    let injected: Vec<&str> = report["injections"]
        .as_array()
        .map(|all| all.iter().filter_map(|one| one["value"].as_str()).collect())
        .unwrap_or_default();
    assert!(injected.contains(&"'Verbose'") && injected.contains(&"{'libfoo': 2000, 'bar': 1}"), "{injected:?}");
    assert!(!ended.stdout().contains(KEY) && !ended.stderr().contains(KEY));
    let format = &server.asked()[0].body["response_format"];
    assert_eq!(format["json_schema"]["schema"]["required"], json!(["values"]));
}

#[test]
fn values_that_are_code_are_refused() {
    let folder = Folder::of(&[("snippet.py", "print(mode)\nprint(limit + 1)\nfor item in items:\n    print(item)\n")]);
    let values =
        [("mode", "__import__('os').system('touch escaped')"), ("limit", "'ten'"), ("items", "(i for i in [1])")];
    let answer = answer(&folder, "snippet.py", &values);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "snippet.py"]);
    let advice = &ended.report()["language_model"];
    let reasons: Vec<&str> = advice["refused"]
        .as_array()
        .map(|all| all.iter().filter_map(|one| one["reason"].as_str()).collect())
        .unwrap_or_default();
    let expected = [
        "it calls something that is no constructor of a known type",
        "the code cannot use a value of type str",
        "it has a comprehension, which is no literal",
    ];
    assert_eq!((reasons.as_slice(), &advice["used"], &advice["kept"]), (&expected[..], &0.into(), &false.into()));
    assert_eq!(ended.code(), 0, "the built-in model's values are used: {ended}");
    assert!(!folder.path("escaped").exists());
}

#[test]
fn a_failure_is_told_once() {
    let folder = Folder::of(&[("snippet.py", "total = prices['apple'] * 2\nprint(total)\nprint(prices['pear'])\n")]);
    let wrong = answer(&folder, "snippet.py", &[("prices", "{'apple': 1}")]);
    let right = answer(&folder, "snippet.py", &[("prices", "{'apple': 3, 'pear': 4}")]);
    let server = Server::start([Reply::Streamed(wrong.clone()), Reply::Streamed(right)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    let report = ended.report();
    let questions = server.asked();
    assert_eq!(questions.len(), 2, "{ended}");
    let question = questions[1].user();
    assert!(question.contains("1. {'apple': 1}\nWith them line 3 raised KeyError: 'pear'\n"), "{question}");
    assert_eq!((&report["stdout"], ended.code()), (&"6\n4\n".into(), 0), "{ended}");

    let server = Server::start([Reply::Streamed(wrong.clone()), Reply::Streamed(wrong)]);
    asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    assert_eq!(server.asked().len(), 2, "one further request at most");
}

#[test]
fn an_error_on_a_proposed_value_is_not_certain() {
    let folder = Folder::of(&[("snippet.py", "print(prices['pear'])\n")]);
    let wrong = answer(&folder, "snippet.py", &[("prices", "{'apple': 1}")]);
    let server = Server::start([Reply::Streamed(wrong.clone()), Reply::Streamed(wrong)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "snippet.py"]);
    let errors = ended.report()["errors"].clone();
    let certain = errors.as_array().is_some_and(|all| all.iter().any(|error| error["verdict"] == "certain"));
    assert!(!certain, "nobody knows what `prices` holds: {errors:#}");
}

#[test]
fn runs_go_on_without_the_server() {
    let folder = Folder::of(&[("snippet.py", SNIPPET)]);
    let plain = ended(surmise().args(["run", "--json", "snippet.py"]).current_dir(folder.root())).report();
    for (reply, message) in [
        (Reply::Status(400, "", "no".into()), "refused the question with status 400"),
        (Reply::Flood(10 << 20), "sent more than 4194304 bytes"),
        (Reply::Stall(Duration::from_secs(30)), "did not answer in time"),
        (Reply::Events("data: {\"choices\":3}\n\n".into()), "is not a chat completion"),
    ] {
        let server = Server::start([reply]);
        let arguments = ["--predictor", "llm", "--llm-timeout", "1", "--llm-requests", "1", "snippet.py"];
        let ended = asked(&folder, &server, "run", &arguments);
        let report = ended.report();
        let failure = report["language_model"]["failure"].as_str().unwrap_or_default().to_owned();
        // A refused extension of the protocol would be asked for without, which the limit forbids.
        assert!(failure.contains(message), "{failure}");
        assert!(ended.stderr().contains("; the built-in model goes on alone"), "{ended}");
        assert_eq!((&report["lines"], &report["stdout"]), (&plain["lines"], &plain["stdout"]), "{ended}");
    }
}

#[test]
fn only_what_is_unsure_is_asked_and_only_if_the_search_is_stuck() {
    let folder = Folder::of(&[("stuck.py", SNIPPET), ("easy.py", "print(name)\n")]);
    let silent = || Server::start([Reply::Whole("{\"values\": []}".to_owned())]);
    let server = silent();
    asked(&folder, &server, "run", &["--ask-when-unsure", "1", "easy.py"]);
    assert_eq!(server.asked().len(), 0, "all lines ran and nothing was raised");
    let listed = |threshold: &str| {
        let server = silent();
        asked(&folder, &server, "run", &["--runs", "1", "--ask-when-unsure", threshold, "stuck.py"]);
        let questions = server.asked();
        assert!(questions.len() <= 1);
        questions.first().map_or(0, |asked| asked.user().matches("first used in line").count())
    };
    let (all, none) = (listed("1"), listed("0"));
    assert!(all > 0 && none == 0, "{all}, {none}");
    assert!(listed("0.6") <= all);
}

#[test]
fn many_snippets_share_the_limits() {
    let folder = Folder::of(&[("a.py", SNIPPET), ("b.py", "print(name.upper())\n"), ("c.py", "print(1)\n")]);
    let server = Server::start(std::iter::repeat_n(Reply::Whole("{\"values\": []}".to_owned()), 9));
    let ended = asked(&folder, &server, "cover", &["--predictor", "llm", "--jobs", "1", "--llm-requests", "1", "."]);
    assert_eq!((ended.code(), server.asked().len()), (0, 1), "{ended}");
    let failure = "\"failure\":\"the question was not sent: it could exceed the limit of 1 requests\"";
    let over = ended.stdout().matches(failure).count();
    assert_eq!(over, 1, "the third snippet lacks nothing: {ended}");
}

#[test]
fn a_batch_says_where_there_was_no_answer_and_asks_again() {
    let folder = Folder::of(&[("a.py", SNIPPET), ("b.py", "print(name.upper())\n"), ("c.py", "print(1)\n")]);
    let empty = || Reply::Whole("{\"values\": []}".to_owned());
    let cover = |replies: Vec<Reply>| {
        let server = Server::start(replies);
        let arguments = ["--predictor", "llm", "--jobs", "1", "--llm-requests", "2", "--out", "results", "."];
        let ended = asked(&folder, &server, "cover", &arguments);
        let last: Value =
            ended.stdout().lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        (last["summary"]["language_model"].clone(), server.asked().len(), ended)
    };
    let (sums, requests, ended) = cover(vec![Reply::Status(401, "", "no".into()), empty()]);
    assert_eq!((&sums["snippets"], &sums["unanswered"], requests), (&2.into(), &1.into(), 2), "{ended}");
    let failure = sums["first_failure"].as_str().unwrap_or_default();
    assert!(failure.contains("with status 401"), "{sums:#}");
    let warning = "warning: no values of the language model for 1 snippet, where the built-in model is alone: ";
    assert!(ended.stderr().contains(&format!("{warning}{failure}")), "{ended}");
    assert!(ended.stderr().contains("the same command asks again about 1 snippet"), "{ended}");
    // An answer that says nothing is one: only what is unanswered is asked again.
    let (sums, requests, ended) = cover(vec![Reply::Whole("no".to_owned())]);
    assert_eq!((&sums["unanswered"], &sums["unreadable"], requests), (&0.into(), &1.into(), 1), "{ended}");
    let (again, requests, ended) = cover(Vec::new());
    assert_eq!((&again, requests), (&sums, 0), "{ended}");
    assert!(ended.stderr().contains("warning: no values of the language model for 1 snippet"), "{ended}");
}

#[test]
fn names_of_missing_modules_are_asked_for() {
    let source = "\
import settings
from limits import SMALLEST as least, Reader, check, LARGEST
from os.path import no_such_name
if settings.MODE == 'fast':
    print('fast')
if least > 10:
    print('large')
if no_such_name == 'here':
    print('found')
if LARGEST == 99:
    print('ninety-nine')
reader = Reader(1)
check(reader)
if check.level() == 3:
    print('three')
";
    let folder = Folder::of(&[("snippet.py", source)]);
    let values = [
        ("settings.MODE", "'fast'"),
        ("limits.SMALLEST", "12"),
        ("limits.LARGEST", "99"),
        ("os.path.no_such_name", "'here'"),
        ("check.level()", "3"),
    ];
    let answer = answer(&folder, "snippet.py", &values);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "2", "snippet.py"]);
    let report = ended.report();
    assert_eq!(report["stdout"], "fast\nlarge\nfound\nninety-nine\nthree\n", "{ended}");
    let advice = &report["language_model"];
    assert_eq!(
        (&advice["accepted"], &advice["used"], &advice["kept"]),
        (&5.into(), &5.into(), &true.into()),
        "{ended}"
    );
    let user = server.asked()[0].user().to_owned();
    assert!(user.contains("imported name `limits.SMALLEST`, imported in line 2\n"), "{user}");
    assert!(!user.contains("`limits.Reader`"), "what is called is no literal: {user}");
}

#[test]
fn values_count_as_used_where_runs_injected_them() {
    let source = "if flag:\n    raise SystemExit\nprint(name + 'b')\n";
    let folder = Folder::of(&[("snippet.py", source)]);
    let answer = answer(&folder, "snippet.py", &[("flag", "True"), ("name", "'a'")]);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    let advice = &ended.report()["language_model"];
    assert_eq!((&advice["accepted"], &advice["used"]), (&2.into(), &1.into()), "line 3 is not reached: {ended}");
}

#[test]
fn a_language_model_is_asked_only_where_one_is_named() {
    let folder = Folder::of(&[("snippet.py", SNIPPET)]);
    let run = |arguments: &[&str]| ended(surmise().args(arguments).current_dir(folder.root()));
    run(&["run", "--predictor", "llm", "snippet.py"])
        .refused("no language model was named", "give --llm-url and --llm-model");
    let compared = run(&["diff", "--predictor", "llm", "snippet.py", "snippet.py"]);
    assert_eq!(compared.code(), 2, "{compared}");
    let unnamed = run(&["run", "--predictor", "llm", "--llm-url", "http://127.0.0.1:1/v1", "snippet.py"]);
    unnamed.refused("no language model was named", "give --llm-model the name of a model of the server");
}

#[test]
fn a_second_question_leaves_out_what_both_models_expect() {
    let source = "total = prices['apple'] * 2\ntext = filename.upper()\nprint(total, text)\nprint(prices['pear'])\n";
    let folder = Folder::of(&[("snippet.py", source)]);
    let first = answer(&folder, "snippet.py", &[("prices", "{'apple': 1}"), ("filename", "'a.txt'")]);
    // The second answer says nothing of `filename`, whose value stays.
    let second = answer(&folder, "snippet.py", &[("prices", "{'apple': 3, 'pear': 4}")]);
    let server = Server::start([Reply::Streamed(first), Reply::Streamed(second)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    let questions = server.asked();
    assert_eq!(questions.len(), 2, "{ended}");
    let user = questions[1].user();
    let missing = user.rsplit("\nMissing:\n").next().unwrap_or_default();
    assert!(missing.contains("variable `prices`") && !missing.contains("variable `filename`"), "{user}");
    assert!(missing.contains("'a.txt'\n"), "the question has what was proposed: {user}");
    assert_eq!(ended.report()["stdout"], "6 A.TXT\n4\n", "{ended}");
}

#[test]
fn a_place_is_asked_about_once_and_as_the_source_writes_it() {
    let source = "\
response = session.get(url, timeout=config.timeout)
if response.status_code == 404:
    raise LookupError(url)
for item in response.json()['items']:
    if item['kind'] == 'song' and item['seconds'] > 600:
        print('long', item['title'])
";
    let folder = Folder::of(&[("snippet.py", source)]);
    let values = [
        ("session.get(url, timeout=config.timeout)", "'no response'"),
        ("response.status_code", "200"),
        ("response.json()", "{'items': [{'kind': 'song', 'seconds': 700, 'title': 'Suite'}]}"),
    ];
    let answer = answer(&folder, "snippet.py", &values);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "snippet.py"]);
    let user = server.asked()[0].user().to_owned();
    let missing = user.rsplit("\nMissing:\n").next().unwrap_or_default();
    for once in ["status_code`", "response.json()`", "`session.get(url"] {
        assert_eq!(missing.matches(once).count(), 1, "{once}: {missing}");
    }
    assert!(!missing.contains("`session.get`"), "a method is no literal: {missing}");
    let report = ended.report();
    let advice = &report["language_model"];
    assert_eq!((&advice["accepted"], &advice["kept"]), (&2.into(), &true.into()), "{ended}");
    assert_eq!(advice["refused"][0]["reason"], "the code cannot use a value of type str", "{ended}");
    assert_eq!((&report["stdout"], &report["lines"]["covered"]), (&"long Suite\n".into(), &6.into()), "{ended}");
}

#[test]
fn values_are_not_refused_for_what_they_may_hold() {
    let source = "\
for i in range(len(matrix)):
    print(matrix[i][i])
print(name in allowed)
print((now - start).days)
";
    let folder = Folder::of(&[("snippet.py", source)]);
    let values = [
        ("matrix", "[[1, 2], [3, 4]]"),
        ("name", "'b'"),
        ("allowed", "'abc'"),
        ("now", "datetime.datetime(2024, 3, 1)"),
        ("start", "datetime.datetime(2024, 1, 1)"),
    ];
    let answer = answer(&folder, "snippet.py", &values);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    let report = ended.report();
    assert_eq!(report["stdout"], "1\n4\nTrue\n60\n", "{ended}");
    assert_eq!((&report["language_model"]["used"], &report["language_model"]["refused"]), (&5.into(), &json!([])));
}

#[test]
fn values_of_imported_names_cost_no_coverage() {
    let source = "\
from settings import RATE
if RATE > 0.2:
    print('high')
else:
    print('low', amount)
";
    let folder = Folder::of(&[("snippet.py", source)]);
    let answer = answer(&folder, "snippet.py", &[("settings.RATE", "0.25"), ("amount", "12")]);
    let server = Server::start([Reply::Streamed(answer)]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "snippet.py"]);
    let report = ended.report();
    assert_eq!(report["lines"]["covered"], report["lines"]["total"], "{ended}");
    let advice = &report["language_model"];
    assert_eq!(
        (&advice["accepted"], &advice["used"], &advice["kept"]),
        (&2.into(), &1.into(), &true.into()),
        "{ended}"
    );
}

#[test]
fn an_answer_without_values_is_not_asked_for_again() {
    let folder = Folder::of(&[("snippet.py", "raise ValueError(name)\n")]);
    let server = Server::start([Reply::Whole("{\"values\": []}".to_owned()), Reply::Close]);
    let ended = asked(&folder, &server, "run", &["--predictor", "llm", "--runs", "1", "snippet.py"]);
    assert_eq!((server.asked().len(), &ended.report()["language_model"]["failure"]), (1, &Value::Null), "{ended}");
}
