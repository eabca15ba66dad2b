//! Training of the model of invariants, on the guards of projects.

use surmise_value_model::invariants::corpus::{guards, manifest};
use surmise_value_model::invariants::{Example, Measured, Options, examples, fit, measure, templates};

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::Refusal;

const OPTIONS: Options = Options { passes: 3, seed: 0, hinge: true };
/// Guards of one project that are learned from at most, drawn by the seed: memory.
const MOST_OF_PROJECT: usize = 5000;
/// Guards that are measured on after each pass.
const MEASURED: usize = 4000;

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let hint = "--data takes `corpora/projects.json`, --sources the folder that `corpora/sources.py` fills";
    let ([path], Some(sources)) = (arguments.data.as_slice(), &arguments.sources) else {
        return Err(Refusal::new("guards are read in the sources of the projects of a manifest", hint));
    };
    let projects = manifest(path).map_err(|error| Refusal::new(format!("`{}`: {error}", path.display()), hint))?;
    let (mut found, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    let mut random = fastrand::Rng::with_seed(OPTIONS.seed);
    for split in ["train", "dev", "test"] {
        for project in projects.iter().filter(|project| project.split == split) {
            let (mut samples, counts) = guards(&sources.join(&project.name), &mut seen);
            let text = serde_json::to_string(&counts).map_err(Refusal::bare)?;
            printer::note(&format!("{split:5} {:20} {text}", project.name));
            if samples.len() > MOST_OF_PROJECT {
                random.shuffle(&mut samples);
                samples.truncate(MOST_OF_PROJECT);
            }
            found.push((split, samples));
        }
    }
    let learned = found.iter().enumerate().filter(|(_, (split, _))| *split == "train");
    let known =
        templates(learned.flat_map(|(number, (_, samples))| samples.iter().map(move |sample| (number, sample))));
    let mut sets: [Vec<Example>; 3] = Default::default();
    for (number, (split, samples)) in found.into_iter().enumerate() {
        let set = usize::from(split != "train") + usize::from(split == "test");
        sets[set].extend(examples(samples, &known, number as u32));
    }
    let [learned, dev, test] = sets;
    if learned.is_empty() || known.is_empty() {
        return Err(Refusal::new("no guards to learn from", hint));
    }
    let model = fit(&learned, known, OPTIONS, |pass, model| {
        let found = measure(model, dev.iter().take(MEASURED));
        printer::note(&format!("pass {pass} of {}: dev: {}", OPTIONS.passes, in_words(&found)));
    });
    model.save(&arguments.output).map_err(Refusal::bare)?;
    let (count, path) = (learned.len(), arguments.output.display());
    printer::data(&format!("invariants: {count} guards learned from, written to {path}\n"));
    printer::data(&format!("test: {}\n", in_words(&measure(&model, test.iter()))));
    Ok(())
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
