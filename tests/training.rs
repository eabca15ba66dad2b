//! `surmise train` of models with libtorch (feature `torch`), on recordings of a small project.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::learning::{data_set, surmise_with, text};
use crate::support::Ended;
use crate::support::traced::Project;

/// Folder of a small untrained model with the same files as the published `CodeT5`.
fn codet5() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../value-model/tests/reference/codet5")
}

/// Trains a model from that folder into `model`.
fn train(project: &Project, more: &[&str]) -> Ended {
    let [data, sources, model] = ["data", "sources", "model"].map(|name| text(&project.path(name)));
    let from = text(&codet5());
    let arguments = ["train", "--data", &data, "--sources", &sources, "--init", &from, "-o", &model, "--batch", "256"];
    surmise_with(&[&arguments, more].concat(), b"")
}

/// Checks for one error after the notes on the bundle.
#[track_caller]
fn refused(ended: &Ended, part: &str) {
    let stderr = ended.stderr();
    let errors: Vec<&str> = stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(ended.code() == 2 && errors.len() == 1 && stderr.contains(part), "{ended}");
}

fn json(project: &Project, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(project.path(name)).expect("a file")).expect("JSON")
}

/// Adds a copy of the recorded project to the `dev` split, which decides when to stop.
fn with_development(project: &Project) {
    repeat(project, "dev", "other");
}

/// Copies the recorded project into another split, under another name.
fn repeat(project: &Project, part: &str, name: &str) {
    let table = std::fs::read(project.path("data/train-toy.parquet")).expect("a table");
    project.write(&format!("data/{part}-{name}.parquet"), table);
    for file in ["core", "__main__"] {
        let source = std::fs::read(project.path(&format!("sources/toy/src/pkg/{file}.py"))).expect("a source");
        project.write(&format!("sources/{name}/src/pkg/{file}.py"), source);
    }
}

#[test]
fn a_directory_of_codet5_is_trained_further_and_used() {
    let project = data_set();
    with_development(&project);
    let ended = train(&project, &["--steps", "50", "--rate", "0.01"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let log = std::fs::read_to_string(project.path("model/log.jsonl")).expect("a log");
    let last: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["step"], 50);
    assert!(last["held_out"]["top1"].as_f64().is_some_and(|share| share > 0.3), "it knows these sites: {last}");
    let curve = std::fs::read_to_string(project.path("model/curve.svg")).expect("a picture");
    assert!(curve.starts_with("<svg"), "{curve}");

    let small = text(&project.path("model/int8"));
    let ended = surmise_with(&["run", "--model", &small, "--json", "-"], b"print(shape)\n");
    let report = ended.report();
    assert_eq!(report["injections"][0]["name"], "shape", "{ended}");
    for device in ["cpu", "torch"] {
        let (data, sources) = (text(&project.path("data")), text(&project.path("sources")));
        let arguments = ["eval", "--data", &data, "--sources", &sources, "--model", &small, "--device", device];
        let ended = surmise_with(&arguments, b"");
        assert_eq!(ended.code(), 0, "{device}: {ended}");
    }

    let learned = std::fs::read(project.path("model/int8/model.safetensors")).expect("weights");
    let averaged = train(&project, &["--steps", "50", "--rate", "0.01", "--average"]);
    assert_eq!(averaged.code(), 0, "{averaged}");
    assert_ne!(std::fs::read(project.path("model/int8/model.safetensors")).expect("weights"), learned);
    let again = train(&project, &["--steps", "50", "--rate", "0.01"]);
    assert_eq!(std::fs::read(project.path("model/int8/model.safetensors")).expect("weights"), learned);
    assert!(again.code() == 0 && again.stderr().contains("continues after step 50"), "{again}");
    let config = json(&project, "model/config.json");
    refused(&train(&project, &["--steps", "50", "--rate", "0.01", "--query", "plain"]), "another recipe");
    assert_eq!(json(&project, "model/config.json"), config, "what is refused changes nothing");
}

#[test]
fn a_model_may_be_taught_the_papers_query() {
    let project = data_set();
    with_development(&project);
    let ended = train(&project, &["--steps", "20", "--query", "plain"]);
    assert_eq!(ended.code(), 0, "{ended}");
    assert_eq!(json(&project, "model/config.json")["surmise_query"], "plain");
    assert_eq!(json(&project, "model/int8/config.json")["surmise_query"], "plain");
    let small = text(&project.path("model/int8"));
    let (data, sources) = (text(&project.path("data")), text(&project.path("sources")));
    let ended = surmise_with(&["eval", "--data", &data, "--sources", &sources, "--model", &small, "--json"], b"");
    let report: Value = serde_json::from_str(&ended.stdout()).unwrap_or_else(|_| panic!("{ended}"));
    assert!(report["fine"]["top5"].as_f64().is_some_and(|share| share > 0.0), "{ended}");
    let unknown = std::fs::read_to_string(project.path("model/int8/config.json")).expect("a file");
    project.write("model/int8/config.json", unknown.replace("plain", "fancy"));
    refused(&surmise_with(&["run", "--model", &small, "-"], b"print(1)\n"), "fancy");
}

#[test]
fn a_second_model_corrects_the_first() {
    let project = data_set();
    with_development(&project);
    for number in 0..12 {
        repeat(&project, "train", &format!("toy{number}"));
    }
    let [data, sources, stacker] = ["data", "sources", "stacker"].map(|name| text(&project.path(name)));
    let arguments = ["train", "--predictor", "stacker", "--data", &data, "--sources", &sources, "-o", &stacker];
    let ended = surmise_with(&arguments, b"");
    assert_eq!(ended.code(), 0, "{ended}");
    let learned = std::fs::read(&stacker).expect("a file");
    assert!(ended.stdout().contains(&format!("{} bytes", learned.len())), "{ended}");
    // A random split does not learn from the pairs that it measures on, and takes other files for a missing `dev`
    // split.
    std::fs::remove_file(project.path("data/dev-other.parquet")).expect("it is there");
    let ended = surmise_with(&[&arguments[..], &["--hold-out", "random", "--seed", "2"]].concat(), b"");
    assert_eq!(ended.code(), 0, "{ended}");
    assert_ne!(std::fs::read(&stacker).expect("a file"), learned);
    let elsewhere = ["train", "--predictor", "stacker", "--data", &data, "--sources", "/nowhere", "-o", &stacker];
    refused(&surmise_with(&elsewhere, b""), "no sites to learn from");
    for name in std::fs::read_dir(project.path("data")).expect("a folder").flatten() {
        std::fs::remove_file(name.path()).expect("it is there");
    }
    refused(&surmise_with(&arguments, b""), "no file `train-*.parquet`");
}

#[test]
fn what_cannot_be_trained_is_told() {
    let project = data_set();
    refused(&train(&project, &["--width", "40"]), "cannot be widened to 40");
    refused(&train(&project, &["--width", "32", "--average"]), "of one shape");
    refused(&train(&project, &["--layers", "1"]), "cannot be deepened to 1");
    refused(&train(&project, &["--window", "0"]), "--window");
    refused(&train(&project, &["--device", "cuda"]), "CUDA");
    // The bundle was made by the first call.
    refused(&train(&project, &["--hold-out", "random"]), "cannot tell its pairs apart");
}
