//! `surmise eval`: accuracy of predictors on recorded executions.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use surmise_value_model::{Class, Frequency, FrequencyBuilder, Majority, Model, Naive, Predictor, Random, files};

use super::printer;
use super::refusal::Refusal;
use surmise_engine::exit::{Exit, Status};
use surmise_evaluate::{Code, Question, Scores, confusion, measure, reliability};
use surmise_trace::dataset::{self, DataError, Example, Part, Split, draw, examples};
use surmise_trace::join::{Lost, join};

/// How training data and test data are separated (`--split`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Measure on the projects marked `test`, which are never seen in training.
    Project,
    /// Measure on the projects marked `dev`, to choose between variants; their figures are too good afterwards.
    Dev,
    /// `LExecutor`'s split: measure on 5 % of all pairs of the training projects, drawn by `--seed`; the rest is
    /// learned from.
    Random,
}

impl By {
    /// Split of the data set whose projects are measured on.
    fn measured(self) -> Split {
        match self {
            Self::Project => Split::Test,
            Self::Dev => Split::Dev,
            Self::Random => Split::Train,
        }
    }
}

/// Measure predictors on recorded executions.
///
/// The unit is a unique pair of a site and a class. "Ceiling" is the accuracy of a predictor that knows all classes of
/// each site. "Seen there" is the share of sites whose first prediction is one of the classes recorded there. In the
/// table of classes, "oracle" is the top-1 accuracy of a predictor that knows all classes of each site and names one of
/// them at random.
///
/// With `--split random`, a model must have been trained with `--hold-out random` and the same seed; the built-in model
/// was not, and is not measured. A model is asked about all sites of a source at once, as in a run, but only the drawn
/// pairs are counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  surmise eval --data DATASET --split project            predictors that need no source text
  surmise eval --data DATASET --sources SOURCES          the built-in model as well
  surmise eval --data DATASET --sources SOURCES --classes --pictures .")]
pub(super) struct Arguments {
    /// Folder with `SPLIT-PROJECT.parquet` files (repeatable).
    #[arg(long, value_name = "DIR", required = true)]
    data: Vec<PathBuf>,
    /// Folder with the unpacked sources of each project (`corpora/sources.py`). With it the model is measured, too, on
    /// the sites whose source is found.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    #[command(flatten)]
    model: super::model::Options,
    /// Which data are held out and measured on.
    #[arg(long, value_enum, default_value_t = By::Project)]
    split: By,
    /// Seed of the random split and of the predictor `random`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also print the results of the first predictor for each class.
    #[arg(long)]
    classes: bool,
    /// Write pictures of the results of the first predictor into this folder: `reliability.svg` and `confusion.svg`.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Print the results as one JSON object (schema surmise.eval/1).
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    if arguments.model.model.is_some() && arguments.sources.is_none() {
        return Err(Refusal::new("a model reads code, and there is none", "give --sources"));
    }
    // The built-in model has seen the pairs of a random split in training.
    let built_in = || (arguments.sources.is_some() && arguments.split != By::Random).then(Model::built_in);
    let model = arguments.model.open()?.or_else(built_in);
    let results = evaluate(arguments, model)?;
    let (name, first) = &results[0];
    if first.pairs == 0 {
        let hint = format!("is there a file `{}-*.parquet`?", arguments.split.measured().prefix());
        return Err(Refusal::new("nothing to measure on: no pairs in that part", hint));
    }
    if let Some(folder) = &arguments.pictures {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| files::replace(&folder.join("reliability.svg"), reliability(name, first).as_bytes()))
            .and_then(|()| files::replace(&folder.join("confusion.svg"), confusion(name, first).as_bytes()));
        written.map_err(|error| Refusal::bare(format!("cannot write into `{}`: {error}", folder.display())))?;
    }
    printer::data(&if arguments.json { document(arguments, &results) } else { table(&results) });
    if arguments.classes && !arguments.json {
        printer::data(&by_class(name, first));
    }
    Ok(Exit::Success.into())
}

fn evaluate(arguments: &Arguments, model: Option<Model>) -> Result<Vec<(&'static str, Scores)>, DataError> {
    let parts = dataset::parts(&arguments.data)?;
    let held_out = |example: &Example, class: Class| {
        arguments.split == By::Random && draw(example.identity, arguments.seed, class).is_multiple_of(dataset::DRAWN)
    };
    let (mut builder, mut counts) = (FrequencyBuilder::default(), [0_u64; Class::ALL.len()]);
    for part in parts.iter().filter(|part| part.split == Split::Train) {
        for example in examples(part)? {
            let example = example?;
            for &class in example.classes.iter().filter(|&&class| !held_out(&example, class)) {
                builder.add(example.kind, &example.name, class);
                counts[class as usize] += 1;
            }
        }
    }
    let trained = counts.iter().any(|&count| count > 0);
    let frequency = if trained { builder.build() } else { Frequency::built_in() };
    let mut predictors: Vec<Box<dyn Predictor>> = vec![
        Box::new(frequency),
        Box::new(Majority::new(&counts)),
        Box::new(Naive),
        Box::new(Random { seed: arguments.seed }),
    ];
    if let Some(model) = model {
        predictors.insert(0, Box::new(model));
    }
    let mut questions = Vec::new();
    for part in parts.iter().filter(|part| part.split == arguments.split.measured()) {
        ask(part, arguments, &held_out, &mut questions)?;
    }
    Ok(predictors.iter().map(|predictor| (predictor.name(), measure(predictor.as_ref(), &questions))).collect())
}

/// Adds the questions about the sites of one project.
fn ask(
    part: &Part,
    arguments: &Arguments,
    held_out: &dyn Fn(&Example, Class) -> bool,
    questions: &mut Vec<Question>,
) -> Result<(), DataError> {
    let mut add = |site: Example, code: Option<Code>| {
        let asked = site.classes.iter().copied();
        let asked: Vec<Class> =
            asked.filter(|&class| arguments.split != By::Random || held_out(&site, class)).collect();
        // Models see all sites of a source together, as in a run; only the drawn pairs count.
        if !asked.is_empty() || code.is_some() {
            questions.push(Question { site, code, asked });
        }
    };
    let Some(sources) = &arguments.sources else {
        for example in examples(part)? {
            add(example?, None);
        }
        return Ok(());
    };
    let lost = join(part, sources, |file| {
        let text: Arc<str> = file.model.text().into();
        for site in file.sites {
            add(site.example, Some(Code { text: text.clone(), range: site.start..site.end, anchor: site.anchor }));
        }
    })?;
    if lost != Lost::default() {
        let sites = printer::grouped(lost.sites + lost.misplaced);
        printer::warning(&format!("{}: {sites} sites without their source are not measured", part.project));
    }
    Ok(())
}

fn table(results: &[(&str, Scores)]) -> String {
    let (_, first) = &results[0];
    let mut text = format!(
        "{} pairs at {} sites; ceiling of top-1: {:.1} %\n\n{:<10} {:>6} {:>6} {:>6} {:>10} {:>8} {:>9} {:>9} {:>6} {:>6}\n",
        first.pairs,
        first.sites,
        first.fine.ceiling * 100.0,
        "predictor",
        "top-1",
        "top-3",
        "top-5",
        "seen there",
        "coarse",
        "variable",
        "attribute",
        "call",
        "ECE",
    );
    for (name, scores) in results {
        let fine = &scores.fine;
        let percent = [fine.top1, fine.top3, fine.top5].map(|share| format!("{:>6.1}", share * 100.0)).join(" ");
        let kinds = scores.kinds.map(|share| share * 100.0);
        let _infallible = writeln!(
            text,
            "{name:<10} {percent} {:>10.1} {:>8.1} {:>9.1} {:>9.1} {:>6.1} {:>6.1}",
            fine.site_acceptable * 100.0,
            scores.coarse.top1 * 100.0,
            kinds[0],
            kinds[1],
            kinds[2],
            scores.calibration_error * 100.0,
        );
    }
    text
}

/// Table of the first predictor's results for each class.
fn by_class(name: &str, scores: &Scores) -> String {
    let mut text = format!(
        "\n{:<16} {:>9} {:>6} {:>6} {:>9} {:>9}\n",
        format!("{name}, by class"),
        "pairs",
        "top-1",
        "oracle",
        "predicted",
        "precision"
    );
    for class in &scores.classes {
        let _infallible = writeln!(
            text,
            "{:<16} {:>9} {:>6.1} {:>6.1} {:>9} {:>9.1}",
            class.class,
            class.pairs,
            class.top1 * 100.0,
            class.oracle * 100.0,
            class.predicted,
            class.precision * 100.0,
        );
    }
    text
}

fn document(arguments: &Arguments, results: &[(&str, Scores)]) -> String {
    let of = |scores: &Scores| {
        json!({
            "top1": scores.fine.top1,
            "top3": scores.fine.top3,
            "top5": scores.fine.top5,
            "site_acceptable": scores.fine.site_acceptable,
            "coarse_top1": scores.coarse.top1,
            "kinds": { "variable": scores.kinds[0], "attribute": scores.kinds[1], "return value": scores.kinds[2] },
            "calibration_error": scores.calibration_error,
        })
    };
    let (name, first) = &results[0];
    let baselines: serde_json::Map<String, Value> =
        results.iter().map(|(name, scores)| ((*name).to_owned(), of(scores))).collect();
    let document = json!({
        "schema": "surmise.eval/1",
        "split": arguments.split.to_possible_value().map(|value| value.get_name().to_owned()),
        "seed": arguments.seed,
        "predictor": name,
        "pairs": first.pairs,
        "sites": first.sites,
        "fine": first.fine,
        "coarse": first.coarse,
        "calibration_error": first.calibration_error,
        "bins": first.bins,
        "classes": first.classes,
        "confusion": first.confusion,
        "baselines": baselines,
    });
    format!("{document}\n")
}
