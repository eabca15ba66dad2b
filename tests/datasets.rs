//! Samples of the development data (`../shared/datasets`) run without a failure of Surmise. The data are not part of
//! the project; without them there is nothing to check.

use crate::support::{Stdin, check_all, run, surmise, tests_folder};
use serde_json::Value;

/// Number of records to run of each file, evenly spread over it.
const SAMPLE: usize = 40;

#[test]
fn functions_run() {
    sample_runs("functions.jsonl");
}

#[test]
fn stack_overflow_snippets_run() {
    sample_runs("so_snippets.jsonl");
}

fn sample_runs(file: &str) {
    let path = tests_folder().join("../../shared/datasets").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        #[expect(clippy::print_stderr, reason = "a test that checks nothing says so")]
        {
            eprintln!("skipped: there is no {}", path.display());
        }
        return;
    };
    let records: Vec<&str> = text.lines().collect();
    let sample: Vec<Value> = (0..SAMPLE)
        .map(|number| records[number * records.len() / SAMPLE])
        .map(|record| serde_json::from_str(record).expect("a JSON object a line"))
        .collect();
    check_all(
        &sample,
        |record| record["id"].to_string(),
        |record| {
            let code = record["code"].as_str().ok_or("a record without code")?;
            let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
            let snippet = folder.path().join("snippet.py");
            std::fs::write(&snippet, code).map_err(|error| error.to_string())?;
            let mut command = surmise();
            command.args(["run", "--json", "--predictor", "naive", "--timeout", "5", "--runs", "4"]).arg(&snippet);
            let ended = run(command.current_dir(folder.path()), Stdin::Empty)?;
            let report = ended.try_report()?;
            let outcome = report["outcome"].as_str().unwrap_or_default();
            let exit = match outcome {
                "completed" => 0,
                "error" | "syntax-error" => 1,
                "timeout" | "killed" => 3,
                _ => return Err(format!("outcome {outcome:?}")),
            };
            if ended.status.code() == Some(exit) { Ok(()) } else { Err(format!("outcome {outcome}: {ended}")) }
        },
    );
}
