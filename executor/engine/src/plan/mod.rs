//! From source to a program: clean-up, extraction, rewriting, prediction, and the class that each site takes.

mod calls;
mod choose;
mod companions;
mod expected;
mod implicit_imports;
mod inputs;
mod predicted;
mod program;
mod settings;
mod surroundings;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use surmise_instrument::cleanup::{self, Repair};
use surmise_instrument::paths::Paths;
use surmise_instrument::{
    Instrumented, Options, Site, SourceModel, Taken, instrument, instrument_companion, instrument_in_place,
};
use surmise_value_model::{Class, Prediction};

use crate::protocol::{Aliases, Guard, Literal, Program};
use crate::source::Source;

pub use crate::trial::{Trial, Value};
pub use choose::{accepts, is_falsy, may_have, may_satisfy, satisfies};
pub use companions::CompanionModule;
use expected::Expected;
pub use settings::{PredictorChoice, Settings};

/// The rankings of sites that are known from elsewhere.
pub type Known<'a> = &'a dyn Fn(&Site) -> Option<Vec<Prediction>>;

/// A source ready to run.
#[derive(Clone)]
pub struct Plan {
    /// What the user gave.
    pub source: Source,
    /// The text that runs: cleaned, with as many lines.
    pub text: String,
    /// The model of that text.
    pub model: Arc<SourceModel>,
    /// What the clean-up did.
    pub repairs: Vec<Repair>,
    /// The rewriting and its tables.
    pub instrumented: Instrumented,
    /// The sites of the text, then, once asked for, one for each parameter.
    pub sites: Vec<Site>,
    own_sites: usize,
    /// Parameters that get what a recorded call gave, though they have another value by default.
    given: FxHashSet<u32>,
    /// For each site, the predictor's ranking.
    pub rankings: Vec<Vec<Prediction>>,
    /// Values that recorded runs had, by site, for those of which the recording has any.
    observed: FxHashMap<u32, Vec<(Class, Literal)>>,
    /// For each site, what is injected there if anything is.
    pub assignment: Vec<Option<Value>>,
    /// What guards ask of the values of attributes and calls, by their sites.
    guards: BTreeMap<u32, Vec<Guard>>,
    /// Values of names that are imported from modules that are not there, or lack them, by dotted name.
    imported: BTreeMap<String, Value>,
    /// Time spent on clean-up and rewriting.
    pub instrument_time: Duration,
    /// Time spent predicting.
    pub predict_time: Duration,
    paths: OnceCell<Paths>,
    expected: OnceCell<Vec<Expected>>,
    odds: OnceCell<FxHashMap<u32, f32>>,
    /// Made when the plan is first run. Sites of parameters that are asked for later go to its runs apart.
    program: OnceCell<Arc<Program>>,
    /// First and last line of the body of the function that is called by itself.
    called_body: OnceCell<Option<(u32, u32)>>,
    /// The package that the program lies in, and modules that it may import, rewritten and predicted for.
    package: String,
    companions: Vec<(CompanionModule, Plan)>,
}

impl Plan {
    /// Prepares a source. With `none` as the predictor the source is taken as it is: `Err` then says where it does
    /// not parse.
    ///
    /// # Errors
    /// When the source does not parse as given and nothing may be mended, or is too large.
    pub fn new(source: Source, settings: &Settings) -> Result<Self, surmise_instrument::Error> {
        let mut plan = Self::unpredicted(source, settings)?;
        plan.predict(settings, &|_site| None);
        Ok(plan)
    }

    /// Prepares a source but for its values, which [`Self::predict`] chooses.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn unpredicted(source: Source, settings: &Settings) -> Result<Self, surmise_instrument::Error> {
        let begin = Instant::now();
        let (text, repairs) = if settings.predictor == PredictorChoice::None {
            (source.text.clone(), Vec::new())
        } else {
            let prepared = cleanup::prepare(&source.text);
            (prepared.text, prepared.repairs)
        };
        Self::of_text(source, text, repairs, settings, begin, None)
    }

    /// Blanks the statement that CPython refused and starts over; `None` when nothing is left to blank.
    #[must_use]
    pub fn without_line(&self, line: u32, message: &str, settings: &Settings) -> Option<Self> {
        let begin = Instant::now();
        let (text, repair) = cleanup::blank_statement(&self.text, line, message)?;
        let mut repairs = self.repairs.clone();
        repairs.push(repair);
        let mut mended = Self::of_text(self.source.clone(), text, repairs, settings, begin, None).ok()?;
        mended.predict(settings, &|_site| None);
        let modules: Vec<CompanionModule> = self.companions.iter().map(|(module, _)| module.clone()).collect();
        mended.run_with(&self.package, &modules, settings);
        Some(mended)
    }

    fn of_text(
        source: Source,
        text: String,
        repairs: Vec<Repair>,
        settings: &Settings,
        begin: Instant,
        beside: Option<Taken>,
    ) -> Result<Self, surmise_instrument::Error> {
        let options = Options { parts: settings.parts, ..Options::new(surmise_interpreter::version()) };
        let model = SourceModel::parse(text.as_str())?;
        let mut instrumented = match beside {
            Some(taken) => instrument_companion(&model, options, taken),
            None if settings.in_place && settings.function.is_some() && settings.drawing.is_none() => {
                instrument_in_place(&model, options)
            }
            None => instrument(&model, options),
        };
        let sites = std::mem::take(&mut instrumented.sites);
        Ok(Self {
            source,
            text,
            model: Arc::new(model),
            repairs,
            instrumented,
            own_sites: sites.len(),
            given: FxHashSet::default(),
            sites,
            rankings: Vec::new(),
            observed: FxHashMap::default(),
            assignment: Vec::new(),
            guards: BTreeMap::new(),
            imported: BTreeMap::new(),
            instrument_time: begin.elapsed(),
            predict_time: Duration::ZERO,
            paths: OnceCell::new(),
            expected: OnceCell::new(),
            odds: OnceCell::new(),
            program: OnceCell::new(),
            called_body: OnceCell::new(),
            package: String::new(),
            companions: Vec::new(),
        })
    }

    /// The text as a search sees it.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| Paths::of(&self.model))
    }

    /// Sites of the text: those after are of parameters.
    #[must_use]
    pub fn uses(&self) -> &[Site] {
        &self.sites[..self.own_sites]
    }

    /// The same plan with other values at some sites, and for some names that are imported from what is not there, by
    /// dotted name.
    #[must_use]
    pub fn with_values(&self, values: &BTreeMap<u32, Value>, imported: BTreeMap<String, Value>) -> Self {
        let mut plan = Self { program: OnceCell::new(), imported, ..self.clone() };
        for (&site, value) in values {
            if let Some(assigned) = plan.assignment.get_mut(site as usize) {
                *assigned = Some(value.clone());
            }
        }
        plan
    }
}

/// What names a use in two versions: its kind and name, as the old one has it.
pub fn shared_key(site: &Site, aliases: &Aliases) -> String {
    aliases.key(&format!("{}:{}", site.kind.as_str(), site.name))
}
