//! Training of the model of invariants, on the guards of projects.

use std::path::Path;

use surmise_instrument::SourceModel;
use surmise_instrument::guards::Sample;
use surmise_value_model::invariants::corpus::{Project, guards, manifest};
use surmise_value_model::invariants::reranker::{Reranker, asked_elsewhere, question, vocabulary};
use surmise_value_model::invariants::{Example, Measured, Options, examples, fit, measure, templates};

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::Refusal;

const OPTIONS: Options = Options { passes: 3, seed: 0, hinge: true };
/// Guards of one project that are learned from at most, drawn by the seed: memory.
const MOST_OF_PROJECT: usize = 3000;

/// A guard, with what the reranker reads of its place; nothing where only the network learns.
type Guard = (Sample, Vec<u16>);

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let hint = "--data takes `corpora/projects.json` and the like, --sources the folder that `corpora/sources.py` and `corpora/wheels.py` fill";
    let Some(sources) = arguments.sources.as_ref().filter(|_| !arguments.data.is_empty()) else {
        return Err(Refusal::new("guards are read in the sources of the projects of a manifest", hint));
    };
    let mut projects = Vec::new();
    for path in &arguments.data {
        projects.extend(manifest(path).map_err(|error| Refusal::new(format!("`{}`: {error}", path.display()), hint))?);
    }
    let written = arguments.init.as_deref().map(Reranker::open).transpose();
    let written =
        written.map_err(|error| Refusal::new(error, "--init takes the folder that `train-reranker` wrote"))?;
    let lacking = projects.iter().filter(|project| !sources.join(&project.name).is_dir()).count();
    if lacking > 0 {
        printer::note(&format!(
            "{lacking} of {} projects have no sources below `{}`",
            projects.len(),
            sources.display()
        ));
        printer::note("hint: `corpora/sources.py` and `corpora/wheels.py` fetch them");
    }
    let found = found(&projects, sources)?;
    let learned = found.iter().enumerate().filter(|(_, (split, _))| *split == "train");
    let known =
        templates(learned.flat_map(|(number, (_, guards))| guards.iter().map(move |(sample, _)| (number, sample))));
    let mut sets: [Vec<Example>; 3] = Default::default();
    for (number, (split, samples)) in found.into_iter().enumerate() {
        let set = usize::from(split != "train") + usize::from(split == "test");
        sets[set].extend(examples(samples, &known, number as u32));
    }
    let [learned, dev, test] = sets;
    if learned.is_empty() || known.is_empty() {
        return Err(Refusal::new("no guards to learn from", hint));
    }
    let mut model = fit(&learned, known, OPTIONS, |pass, model| {
        let found = measure(model, &dev);
        printer::note(&format!("pass {pass} of {}: dev: {}", OPTIONS.passes, in_words(&found)));
    });
    if let Some((config, own)) = &written {
        printer::data(&format!("test, the network alone: {}\n", in_words(&measure(&model, &test))));
        model = model.with_reranker((*config, own), &dev).map_err(Refusal::bare)?;
        printer::note(&format!("dev, with the reranker: {}", in_words(&measure(&model, &dev))));
    }
    model.save(&arguments.output).map_err(Refusal::bare)?;
    let (count, path) = (learned.len(), arguments.output.display());
    printer::data(&format!("invariants: {count} guards learned from, written to {path}\n"));
    printer::data(&format!("test: {}\n", in_words(&measure(&model, &test))));
    Ok(())
}

/// The guards of all projects with their splits: training projects first, so that none of theirs is measured on.
fn found<'p>(projects: &'p [Project], sources: &Path) -> Result<Vec<(&'p str, Vec<Guard>)>, Refusal> {
    let vocabulary = vocabulary();
    let (mut found, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    let mut random = fastrand::Rng::with_seed(OPTIONS.seed);
    for split in ["train", "dev", "test"] {
        for project in projects.iter().filter(|project| project.split == split) {
            let read = |model: &SourceModel, sample: &Sample| {
                let of =
                    || question(&vocabulary, &sample.location.excerpt(model.text()), &asked_elsewhere(&sample.view));
                if split == "train" { Vec::new() } else { of() }
            };
            let (mut samples, counts) = guards(&sources.join(&project.name), &mut seen, read);
            let text = serde_json::to_string(&counts).map_err(Refusal::bare)?;
            printer::note(&format!("{split:5} {:20} {text}", project.name));
            if samples.len() > MOST_OF_PROJECT {
                random.shuffle(&mut samples);
                samples.truncate(MOST_OF_PROJECT);
            }
            found.push((project.split.as_str(), samples));
        }
    }
    Ok(found)
}

fn in_words(found: &Measured) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    format!(
        "{} guards, first answer right {}, one of five {}, precision at 10 and 50 % recall {} and {}, negated {}, in reach {}",
        found.guards,
        percent(found.first),
        percent(found.first_five),
        percent(found.precision[0]),
        percent(found.precision[1]),
        percent(found.negated),
        percent(found.in_reach),
    )
}
