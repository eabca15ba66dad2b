//! `surmise train`, `surmise eval` and models given with `--model`, on recordings of a small project.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::schemas::fits;
use crate::support::traced::Project;
use crate::support::{Ended, Stdin, ended_with, surmise};

/// Runs `surmise` with these arguments and this standard input.
#[track_caller]
pub(crate) fn surmise_with(arguments: &[&str], stdin: &[u8]) -> Ended {
    ended_with(surmise().args(arguments), Stdin::Pipe(stdin))
}

#[track_caller]
fn refused(ended: &Ended, part: &str) {
    assert_eq!(ended.code(), 2, "{ended}");
    let stderr = ended.stderr();
    assert!(stderr.starts_with("error: ") && stderr.contains(part), "{ended}");
    assert_eq!(stderr.matches("error:").count(), 1, "{ended}");
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// A data set with one recorded project to train on, which is also there under another name to measure on.
pub(crate) fn data_set() -> Project {
    let core = "import os\n\ndef area(shape, scale=None):\n    width, height = shape\n    return width * height\n";
    let main = "from pkg.core import area\nfor side in range(3):\n    print(area((side, 2)))\n";
    let project = Project::new(&[("pkg/__init__.py", ""), ("pkg/core.py", core), ("pkg/__main__.py", main)]);
    assert_eq!(project.trace(&["-m", "pkg"]).code(), 0);
    let table = std::fs::read(project.path("out/sites.parquet")).expect("a table");
    for name in ["data/train-toy.parquet", "data/test-game.parquet"] {
        project.write(name, &table);
    }
    for name in ["toy", "game"] {
        project.write(&format!("sources/{name}/src/pkg/core.py"), core);
        project.write(&format!("sources/{name}/src/pkg/__main__.py"), main);
    }
    project
}

#[test]
fn the_model_is_measured_beside_the_baselines() {
    let project = data_set();
    let (data, sources) = (text(&project.path("data")), text(&project.path("sources")));
    let ended = surmise_with(&["eval", "--data", &data, "--sources", &sources, "--json"], b"");
    assert_eq!((ended.code(), ended.stderr().as_str()), (0, ""), "{ended}");
    let report: Value = serde_json::from_str(&ended.stdout()).expect("JSON");
    assert_eq!(report["predictor"], "model");
    let baselines: Vec<&str> = report["baselines"].as_object().expect("a map").keys().map(String::as_str).collect();
    assert_eq!(baselines, ["frequency", "majority", "model", "naive", "random"]);
    // `side`, `width` and the products are recorded both as 0 and as positive, and a predictor is right on one of
    // these.
    let ceiling = report["fine"]["ceiling"].as_f64().expect("a share");
    assert!(ceiling > 0.5 && ceiling < 1.0, "{ceiling}");
    let (sites, pairs) = (report["sites"].as_u64(), report["pairs"].as_u64());
    assert_eq!(sites, Some(project.rows().len() as u64), "every site has its source");
    assert!(pairs > sites, "{pairs:?} pairs");
    let without = surmise_with(&["eval", "--data", &data], b"");
    assert!(!without.stdout().contains("model"), "{without}");
}

#[test]
fn sources_that_are_missing_or_changed_are_left_out_and_named() {
    let project = data_set();
    project.write("sources/game/src/pkg/core.py", "changed = 1\n");
    let (data, sources) = (text(&project.path("data")), text(&project.path("sources")));
    let ended = surmise_with(&["eval", "--data", &data, "--sources", &sources], b"");
    assert_eq!(ended.code(), 0, "{ended}");
    assert!(ended.stderr().starts_with("warning: game: "), "{ended}");
    assert!(ended.stderr().ends_with(" sites without their source are not measured\n"), "{ended}");
}

#[test]
fn a_bundle_is_made_once_from_training_projects_alone() {
    let project = data_set();
    let [data, sources, model] = ["data", "sources", "model"].map(|name| text(&project.path(name)));
    let arguments =
        ["train", "--data", &data, "--sources", &sources, "-o", &model, "--bundle-only", "--vocabulary", "512"];
    let ended = surmise_with(&arguments, b"");
    assert_eq!(ended.code(), 0, "{ended}");
    assert!(ended.stderr().contains("toy") && !ended.stderr().contains("game"), "{ended}");
    let bundle = project.path("model/bundle.zst");
    let made = std::fs::read(&bundle).expect("a bundle");
    let again = surmise_with(&arguments, b"");
    assert_eq!((again.code(), again.stderr().as_str()), (0, ""), "what is there is taken");
    std::fs::write(&bundle, &made[..made.len() - 1]).expect("written");
    refused(&surmise_with(&arguments, b""), "is no bundle");
    std::fs::write(&bundle, made).expect("written");
    project.write("model/tokenizer.json", "{}");
    refused(&surmise_with(&arguments, b""), "not a tokenizer");
}

#[test]
fn what_training_needs_and_does_not_get_is_told() {
    let project = data_set();
    let model = text(&project.path("model"));
    refused(&surmise_with(&["train", "-o", &model], b""), "there is no bundle");
    refused(&surmise_with(&["train", "--predictor", "frequency", "-o", &model], b""), "no data to learn from");
    refused(&surmise_with(&["train", "--data", "/nowhere", "--sources", "/nowhere", "-o", &model], b""), "/nowhere");
    refused(&surmise_with(&["eval", "--data", "/nowhere"], b""), "/nowhere");
    let stacker = ["train", "--predictor", "stacker", "-o", &model, "--data", "/nowhere"];
    let needed = if cfg!(feature = "torch") { "--sources" } else { "built without training" };
    refused(&surmise_with(&stacker, b""), needed);
}

#[test]
fn conditions_are_learned_from_tables_of_conditions_alone() {
    let project = data_set();
    let [sites, sources, model] = ["data", "sources", "conditions.safetensors"].map(|name| text(&project.path(name)));
    let train =
        |more: &[&str]| surmise_with(&[&["train", "--predictor", "conditions", "-o", &model], more].concat(), b"");
    let conditions = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/conditions"));
    refused(&train(&["--data", &conditions]), "--sources");
    refused(
        &train(&["--data", &sites, "--sources", &sources]),
        "it is no table of the form `surmise.corpus-conditions/1`",
    );
    refused(&train(&["--data", "/nowhere", "--sources", &sources]), "/nowhere");
    // Of none of their files the source is there.
    let without_sources = train(&["--data", &conditions, "--sources", &sources]);
    assert_eq!(without_sources.code(), 2, "{without_sources}");
    let stderr = without_sources.stderr();
    assert!(
        stderr.contains("files without source") && stderr.contains("error: no conditions to learn from"),
        "{stderr}"
    );
    assert!(!Path::new(&model).exists(), "nothing was written");
}

#[test]
fn plausibility_is_learned_from_examples_alone() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../value-model/data/model/plausibility.json");
    let shipped: Value = serde_json::from_slice(&std::fs::read(shipped).expect("a file that ships")).expect("JSON");
    let count = shipped["weights"].as_array().expect("a list").len();
    // The run that is real is the one that does not end with an error.
    let example = |split: &str, number: usize| {
        let candidate = |fails: bool| {
            let mut features = vec![0.0; count];
            (features[5], features[0]) = (f64::from(u8::from(fails)), (number % 3) as f64);
            json!({"features": features, "share": if fails { 0.0 } else { 0.5 }})
        };
        json!({"split": split, "candidates": [candidate(true), candidate(false)]}).to_string()
    };
    let lines = |split: &str| (0..30).map(|number| example(split, number)).collect::<Vec<_>>().join("\n");
    let project = Project::new(&[("train.jsonl", &lines("train")), ("dev.jsonl", &lines("dev")), ("bad.jsonl", "{}")]);
    let [train, dev, bad, weights] =
        ["train.jsonl", "dev.jsonl", "bad.jsonl", "weights.json"].map(|name| text(&project.path(name)));
    let learn =
        |more: &[&str]| surmise_with(&[&["train", "--predictor", "plausibility", "-o", &weights], more].concat(), b"");
    refused(&learn(&["--data", &train]), "none to measure on");
    refused(&learn(&["--data", &bad]), "line 1: missing field");
    refused(&learn(&["--data", "/nowhere"]), "/nowhere");
    let ended = learn(&["--data", &train, "--data", &dev]);
    assert!(ended.code() == 0 && ended.stderr().contains("chosen 50.0 %, first 0.0 %"), "{ended}");
    let learned: Value = serde_json::from_slice(&std::fs::read(&weights).expect("it was written")).expect("JSON");
    fits("surmise.plausibility/1", &learned).unwrap_or_else(|error| panic!("{error}"));
    assert!(learned["weights"][5][1].as_f64().is_some_and(|weight| weight < -0.5), "{learned}");
}

#[test]
fn a_snippet_runs_on_the_models_values() {
    let snippet = b"for name in sorted(file_names):\n    print(len(name) >= 0, name.upper() == name)\n";
    let ended = surmise_with(&["run", "--predictor", "model", "--json", "-"], snippet);
    let report = ended.report();
    assert_eq!(report["outcome"], "completed", "{ended}");
    let injected = &report["injections"][0];
    assert_eq!(injected["name"], "file_names");
    assert!(injected["probability"].as_f64().is_some_and(|share| share > 0.0), "{ended}");
    assert!(injected["rank"].as_u64().is_some_and(|rank| rank >= 1), "{ended}");
}

#[test]
fn models_that_cannot_be_used_are_refused_before_anything_runs() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../value-model/data/model");
    let project = Project::new(&[("a.py", "print('it ran')\n")]);
    let (snippet, model) = (text(&project.path("a.py")), text(&project.path("model")));
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        project.write(&format!("model/{name}"), std::fs::read(shipped.join(name)).expect("a file that ships"));
    }
    let with = |model: &str| surmise_with(&["run", "--model", model, &snippet], b"");
    assert_eq!(with(&model).code(), 0, "as it ships it is taken");
    refused(&with("/nowhere"), "/nowhere");
    let weights = std::fs::read(project.path("model/model.safetensors")).expect("weights");
    project.write("model/model.safetensors", &weights[..weights.len() / 2]);
    let ended = with(&model);
    refused(&ended, "cannot use the model");
    assert_eq!(ended.stdout(), "", "nothing ran");
    project.write("model/model.safetensors", weights);
    let stacker = std::fs::read(shipped.join("stacker.safetensors")).expect("a file that ships");
    project.write("model/stacker.safetensors", &stacker);
    assert_eq!(with(&model).code(), 0, "with its second model it is taken, too");
    for (bad, part) in [(&stacker[..stacker.len() - 4], "truncated"), (b"PK\x03\x04", "stacker.safetensors")] {
        project.write("model/stacker.safetensors", bad);
        refused(&with(&model), part);
    }
    let t5 = std::fs::read(project.path("model/model.safetensors")).expect("weights");
    project.write("model/stacker.safetensors", t5);
    refused(&with(&model), "`mixed.scale` is missing");
}
