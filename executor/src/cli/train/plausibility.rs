//! Training of the weights that say which of several runs is the most plausible.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use surmise_value_model::plausibility::{Group, fit, measure};

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};

const HINT: &str = "scripts/plausibility-examples.py writes examples of the splits `train` and `dev`";

/// A line of the examples: the runs of one function.
#[derive(Deserialize)]
struct Example {
    split: Split,
    #[serde(flatten)]
    group: Group,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Split {
    Train,
    Dev,
}

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let (mut learned, mut held_out) = (Vec::new(), Vec::new());
    for path in &arguments.data {
        for example in read(path)? {
            let into = if example.split == Split::Train { &mut learned } else { &mut held_out };
            into.push(example.group);
        }
    }
    if learned.is_empty() || held_out.is_empty() {
        return Err(Refusal::new("no runs to learn from, or none to measure on", HINT));
    }
    let model = fit(&learned);
    for (name, groups) in [("train", &learned), ("dev", &held_out)] {
        let fit = measure(&model, groups);
        let [chosen, first, best] = [fit.chosen, fit.first, fit.best].map(|share| share * 100.0);
        printer::note(&format!(
            "{name}: {} functions; calls with the lines of the run: chosen {chosen:.1} %, first {first:.1} %, best \
             {best:.1} %",
            groups.len()
        ));
    }
    let path = &arguments.output;
    write(path, model.to_json())?;
    printer::data(&format!("plausibility: {} functions learned from, in {}\n", learned.len(), path.display()));
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Example>, Refusal> {
    let refused = |problem: String| Refusal::new(format!("cannot read `{}`: {problem}", path.display()), HINT);
    let file = std::fs::File::open(path).map_err(|error| refused(error.to_string()))?;
    let mut examples = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| refused(error.to_string()))?;
        let example = serde_json::from_str(&line);
        examples.push(example.map_err(|error| refused(format!("line {number}: {error}")))?);
    }
    Ok(examples)
}
