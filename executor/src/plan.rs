//! From source to a job: clean-up, extraction, rewriting, prediction, and the class that each site takes.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use surmise_instrument::anchors::Anchors;
use surmise_instrument::cleanup::{self, Repair};
use surmise_instrument::{Instrumented, Kind, Options, Role, Site, Types, instrument};
use surmise_value_model::classes::Concretization;
use surmise_value_model::{
    Class, CoarseClass, Frequency, Model, Naive, NoPredictions, Prediction, Predictor, Query, Random, Use,
};

use crate::protocol::{Assigned, Job};
use crate::source::Source;
use crate::worker::interpreter;

/// The predictors that exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PredictorChoice {
    /// Plain Python: nothing is injected.
    None,
    /// Always an object that takes what comes.
    Naive,
    /// Uniformly random classes, by `--seed`.
    Random,
    /// The classes that were most frequent under the same name in real executions.
    Frequency,
    /// The trained model, built in or that of --model.
    #[default]
    Model,
}

/// What a run depends on besides its source.
#[derive(Clone)]
pub struct Settings {
    /// Who predicts.
    pub predictor: PredictorChoice,
    /// The model, if it is not the built-in one.
    pub model: Option<Arc<Model>>,
    /// How classes become values.
    pub values: Concretization,
    /// Seed of everything random.
    pub seed: u64,
    /// Wall-clock limit of one run.
    pub timeout: Duration,
    /// Directories with real packages.
    pub python_path: Vec<PathBuf>,
    /// Answer failing input and output.
    pub inject_io: bool,
    /// `sys.argv[1:]` of the program.
    pub args: Vec<String>,
    /// Call this function after the module ran.
    pub drive: Option<String>,
}

/// Sites that the model is asked for, half a second's worth; in larger sources frequencies answer for the others.
const MOST_ASKED: usize = 5000;

impl Settings {
    /// Ranked classes for queries of one source.
    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        /// Read once, when it is first asked.
        static BUILT_IN: LazyLock<Model> = LazyLock::new(Model::built_in);
        match (self.predictor, &self.model) {
            (PredictorChoice::None, _) => NoPredictions.predict(queries),
            (PredictorChoice::Naive, _) => Naive.predict(queries),
            (PredictorChoice::Random, _) => Random { seed: self.seed }.predict(queries),
            (PredictorChoice::Frequency, _) => Frequency::built_in().predict(queries),
            (PredictorChoice::Model, model) => {
                let (asked, rest) = queries.split_at(queries.len().min(MOST_ASKED));
                let mut answers = model.as_deref().unwrap_or_else(|| &BUILT_IN).predict(asked);
                answers.extend(Frequency::built_in().predict(rest));
                answers
            }
        }
    }
}

/// A source ready to run.
pub struct Plan {
    /// What the user gave.
    pub source: Source,
    /// The text that runs: cleaned, with as many lines.
    pub text: String,
    /// What the clean-up did.
    pub repairs: Vec<Repair>,
    /// The rewriting and its tables.
    pub instrumented: Instrumented,
    /// For each site, what is injected there if anything is.
    pub assignment: Vec<Option<Assigned>>,
    /// Time spent on clean-up and rewriting.
    pub instrument_time: Duration,
    /// Time spent predicting.
    pub predict_time: Duration,
}

impl Plan {
    /// Prepares a source. With `none` as the predictor the source is taken as it is: `Err` then says where it does
    /// not parse.
    ///
    /// # Errors
    /// When the source does not parse as given and nothing may be mended, or is too large.
    pub fn new(source: Source, settings: &Settings) -> Result<Self, surmise_instrument::Error> {
        let begin = Instant::now();
        let (text, repairs) = if settings.predictor == PredictorChoice::None {
            (source.text.clone(), Vec::new())
        } else {
            let prepared = cleanup::prepare(&source.text);
            (prepared.text, prepared.repairs)
        };
        Self::of_text(source, text, repairs, settings, begin)
    }

    /// Blanks the statement that CPython refused and starts over; `None` when nothing is left to blank.
    #[must_use]
    pub fn without_line(&self, line: u32, message: &str, settings: &Settings) -> Option<Self> {
        let begin = Instant::now();
        let (text, repair) = cleanup::blank_statement(&self.text, line, message)?;
        let mut repairs = self.repairs.clone();
        repairs.push(repair);
        Self::of_text(self.source.clone(), text, repairs, settings, begin).ok()
    }

    fn of_text(
        source: Source,
        text: String,
        repairs: Vec<Repair>,
        settings: &Settings,
        begin: Instant,
    ) -> Result<Self, surmise_instrument::Error> {
        let instrumented = instrument(&text, Options { python: interpreter::version() })?;
        let instrument_time = begin.elapsed();
        let begin = Instant::now();
        let assignment = assign(&text, &instrumented, settings);
        Ok(Self { source, text, repairs, instrumented, assignment, instrument_time, predict_time: begin.elapsed() })
    }

    /// The job for a worker.
    #[must_use]
    pub fn job(&self, settings: &Settings, plain: bool) -> Job {
        let mut path: Vec<String> = Vec::new();
        match self.source.path.as_ref().and_then(|path| path.parent()) {
            Some(folder) => {
                let folder = if folder.as_os_str().is_empty() { ".".as_ref() } else { folder };
                let absolute = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
                path.push(absolute.display().to_string());
            }
            None => path.push(String::new()),
        }
        path.extend(settings.python_path.iter().map(|dir| dir.display().to_string()));
        Job {
            filename: self
                .source
                .path
                .as_ref()
                .and_then(|path| std::path::absolute(path).ok())
                .map_or_else(|| self.source.name.clone(), |path| path.display().to_string()),
            argv: std::iter::once(if self.source.path.is_some() { self.source.name.clone() } else { "-".to_owned() })
                .chain(settings.args.iter().cloned())
                .collect(),
            source: self.text.clone(),
            text: self.instrumented.text.clone(),
            hooks: self.instrumented.hooks,
            sites: self.instrumented.sites.clone(),
            functions: self.instrumented.functions.clone(),
            tries: self.instrumented.tries.clone(),
            imports: self.instrumented.imports.clone(),
            positions: self.instrumented.positions.clone(),
            lines: self.instrumented.marks.lines,
            assignment: self.assignment.clone(),
            drive: settings.drive.clone(),
            path,
            inject_io: settings.inject_io,
            seed: settings.seed,
            plain,
        }
    }

    /// True if the predictor fills anything in.
    #[must_use]
    pub fn injects(&self) -> bool {
        !self.assignment.is_empty()
    }
}

/// Predicts for all sites in one batch and chooses a class for each: the likeliest that supports what the code does
/// with the value right there. Empty if the predictor never injects.
fn assign(text: &str, instrumented: &Instrumented, settings: &Settings) -> Vec<Option<Assigned>> {
    let anchors = Anchors::of(text).unwrap_or_default();
    let queries: Vec<Query<'_>> = instrumented
        .sites
        .iter()
        .map(|site| Query {
            name: &site.name,
            kind: match site.kind {
                Kind::Variable => Use::Variable,
                Kind::Attribute => Use::Attribute,
                Kind::ReturnValue => Use::ReturnValue,
            },
            source: text,
            start: site.start as usize,
            end: site.end as usize,
            anchor: anchors.get(site.kind, site.end).unwrap_or(site.end) as usize,
        })
        .collect();
    if settings.predictor == PredictorChoice::None {
        return Vec::new();
    }
    let answers = settings.predict(&queries);
    let mut assignment: Vec<Option<Assigned>> = instrumented
        .sites
        .iter()
        .zip(&answers)
        .enumerate()
        .map(|(number, (site, ranked))| {
            let draw = settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64 * 0x2545_f491);
            choose(ranked, site, settings.values, draw >> 7)
        })
        .collect();
    if assignment.is_empty() {
        // A program without sites is still run with injection on: its imports may be missing.
        assignment.push(None);
    }
    assignment
}

fn choose(ranked: &[Prediction], site: &Site, values: Concretization, draw: u64) -> Option<Assigned> {
    let concrete = |prediction: &Prediction| values.concretize(prediction.class, draw);
    let here = |prediction: &Prediction| supports(concrete(prediction), site.role, site.kind);
    let later =
        |prediction: &Prediction| site.later.iter().all(|role| supports(concrete(prediction), role, Kind::Variable));
    let mut numbered = (1u16..).zip(ranked);
    let fitting = numbered.clone().find(|(_, prediction)| here(prediction) && later(prediction));
    if let Some((rank, prediction)) = fitting.or_else(|| numbered.find(|(_, prediction)| here(prediction))) {
        return Some(Assigned { class: concrete(prediction), probability: prediction.probability, rank });
    }
    // Nothing ranked can be used like this, but an object can.
    let last = u16::try_from(ranked.len()).unwrap_or(u16::MAX).saturating_add(1);
    (!ranked.is_empty()).then_some(Assigned { class: Class::Object, probability: 0.0, rank: last })
}

/// True if a value of the class survives what the code does with it at the site.
fn supports(class: Class, role: Role, kind: Kind) -> bool {
    use Class::{
        Callable, Dict, EmptyDict, EmptyList, EmptySet, EmptyStr, EmptyTuple, List, None, Object, Resource, Set, Str,
        Tuple,
    };
    let stand_in = matches!(class, Object | Callable | Resource);
    let number = types_of(class).is_some_and(|types| types == Types::INT || types == Types::FLOAT);
    match role {
        Role::Plain | Role::Statement => true,
        Role::Callee => matches!(class, Object | Callable),
        Role::Base(types) => class != None && types_of(class).is_none_or(|own| types.contains(own)),
        Role::Operand | Role::Number => stand_in || number,
        Role::Text => stand_in || matches!(class, Str | EmptyStr),
        Role::Subscripted | Role::Keyed => stand_in || class == Dict,
        Role::Indexed(0) => stand_in || matches!(class, List | Tuple | Dict | Str),
        Role::Indexed(_) => stand_in || matches!(class, List | Tuple | Dict),
        Role::Sliced => stand_in || matches!(class, List | EmptyList | Tuple | EmptyTuple | Str | EmptyStr),
        Role::Iterated => {
            stand_in
                || matches!(class, List | EmptyList | Tuple | EmptyTuple | Set | EmptySet | Dict | EmptyDict)
                || matches!(class, Str | EmptyStr)
        }
        Role::IteratedInParts => {
            stand_in || matches!(class, List | EmptyList | Tuple | EmptyTuple | Set | EmptySet | EmptyDict)
        }
        Role::Searched => {
            stand_in || matches!(class, List | EmptyList | Tuple | EmptyTuple | Set | EmptySet | Dict | EmptyDict)
        }
        Role::Mapping => stand_in || matches!(class, Dict | EmptyDict),
        Role::Unpacked(_) => stand_in || matches!(class, List | Tuple),
        Role::Awaited => stand_in || kind == Kind::ReturnValue,
        Role::Asynchronous | Role::Context | Role::Raised | Role::Caught | Role::ClassBase | Role::Decorator => {
            stand_in
        }
    }
}

/// The builtin type of a class's values; `None` for stand-ins, which have every attribute, and `None` itself.
fn types_of(class: Class) -> Option<Types> {
    match class.coarse() {
        CoarseClass::Bool | CoarseClass::Int => Some(Types::INT),
        CoarseClass::Float => Some(Types::FLOAT),
        CoarseClass::Str => Some(Types::STR),
        CoarseClass::List => Some(Types::LIST),
        CoarseClass::Tuple => Some(Types::TUPLE),
        CoarseClass::Set => Some(Types::SET),
        CoarseClass::Dict => Some(Types::DICT),
        CoarseClass::None | CoarseClass::Callable | CoarseClass::Resource | CoarseClass::Object => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_fitting_class_is_taken() {
        let ranked = [Class::None, Class::Str, Class::Callable].map(|class| Prediction { class, probability: 0.3 });
        let mut site = instrument("missing", Options { python: (3, 11) }).expect("it parses").sites.remove(0);
        let mut choice = |ranked: &[Prediction], role| {
            site.role = role;
            choose(ranked, &site, Concretization::Fine, 0).map(|chosen| (chosen.class, chosen.rank))
        };
        let mut chosen = |role| choice(&ranked, role);
        assert_eq!(chosen(Role::Plain), Some((Class::None, 1)));
        assert_eq!(chosen(Role::Iterated), Some((Class::Str, 2)));
        assert_eq!(chosen(Role::Callee), Some((Class::Callable, 3)));
        assert_eq!(choice(&ranked[..1], Role::Context), Some((Class::Object, 2)));
        assert_eq!(choice(&[], Role::Plain), None);
    }

    #[test]
    fn a_value_must_bear_what_is_done_with_it_later() {
        let source = "rows = fetch()\nfor row in rows: pass\n";
        let site = &instrument(source, Options { python: (3, 11) }).expect("it parses").sites;
        let call = site.iter().find(|site| site.kind == Kind::ReturnValue).expect("`fetch()` is a site");
        let ranked = [Class::None, Class::List].map(|class| Prediction { class, probability: 0.5 });
        let chosen = choose(&ranked, call, Concretization::Fine, 0).map(|chosen| chosen.class);
        assert_eq!(chosen, Some(Class::List), "a loop goes over what was assigned");
    }
}
