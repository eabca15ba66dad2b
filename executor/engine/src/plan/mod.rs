//! From source to a program: clean-up, extraction, rewriting, prediction, and the class that each site takes.

mod choose;
mod companions;
mod expected;
mod implicit_imports;
mod inputs;
mod settings;
mod surroundings;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use surmise_instrument::cleanup::{self, Repair, RepairKind};
use surmise_instrument::extract::{self, Function};
use surmise_instrument::paths::{Origins, Paths};
use surmise_instrument::{
    Instrumented, Kind, LineIndex, Options, Role, Site, SourceModel, Taken, Written, instrument, instrument_companion,
    instrument_in_place,
};
use surmise_value_model::{Class, Prediction, Query, Sample, Use, seeded};

use crate::protocol::{
    Aliases, Drawing, Guard, HarnessCall, ImplicitImport, InputEnd, Literal, Preload, Program, Task,
};
use crate::source::Source;

pub use crate::trial::{Trial, Value};
use choose::Trust;
pub use choose::{accepts, is_falsy, may_have, may_satisfy, satisfies};
pub use companions::CompanionModule;
use expected::{Demand, Expected};
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
        let options = Options { python: surmise_interpreter::version() };
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

    /// Predicts the values of all sites, but for those whose ranking is known, and where functions are called by themselves
    /// also of their parameters.
    pub fn predict(&mut self, settings: &Settings, known: Known<'_>) {
        let sites = std::mem::take(&mut self.sites);
        self.assign(sites, settings, known);
        if settings.function.is_some() || settings.makes_isolated_calls() {
            self.add_parameters(settings, known);
        }
    }

    /// The text as a search sees it.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| Paths::of(&self.model))
    }

    /// Predicts for new sites in one batch, those whose ranking is known left out, and chooses a class for each. Nothing is
    /// assigned if the predictor never injects.
    fn assign(&mut self, sites: Vec<Site>, settings: &Settings, known: Known<'_>) {
        let begin = Instant::now();
        let first = self.sites.len();
        if settings.predictor != PredictorChoice::None {
            let mut answers = self.rankings_of(&sites, settings, known);
            let observed: Vec<Option<(&Sample, bool)>> = sites.iter().map(|site| self.sample(site, settings)).collect();
            for (ranked, observed) in answers.iter_mut().zip(&observed) {
                if let Some((sample, _)) = observed {
                    *ranked = sample.ranked(ranked);
                }
            }
            let asked = self.asked(settings);
            let (mut assignment, mut found) = (Vec::with_capacity(sites.len()), Vec::new());
            let mut guards = BTreeMap::new();
            for (((number, site), ranked), observed) in (first..).zip(&sites).zip(&answers).zip(&observed) {
                let draw = seeded((settings.seed, number)).u64(..);
                let text = self.text_of(site);
                let is_of = |demand: &&Demand<'_>| self.is_in_function_of(site, &demand.requirement.subject);
                let demands = asked.demands(text).iter().filter(is_of).chain(asked.demands_on_variable(site));
                let demands: Vec<Demand<'_>> = demands.copied().collect();
                let sure = demands.iter().filter(|demand| site.kind != Kind::Variable && demand.is_sure());
                let asks: Vec<Guard> = sure.filter_map(|demand| Guard::of(demand.requirement)).collect();
                if !asks.is_empty() {
                    guards.insert(number as u32, asks);
                }
                // No stand-in is an instance of a builtin type.
                let least = if asked.is_checked(text) { 0.0 } else { settings.least() };
                let trust = match observed {
                    Some((_, true)) => Trust::Observed,
                    Some((_, false)) => Trust::Predicted { least: 0.0 },
                    None => Trust::Predicted { least },
                };
                let assigned = choose::choose(ranked, site, &demands, trust, (settings.values, draw));
                let literals = observed.map_or_else(Vec::new, |(sample, _)| expected::literals_of(sample));
                assignment.push(
                    assigned.map(|assigned| self.with_literal(site, assigned, &demands, &asked, &literals, settings)),
                );
                if !literals.is_empty() {
                    found.push((number as u32, literals));
                }
            }
            self.guards.append(&mut guards);
            self.assignment.extend(assignment);
            self.rankings.extend(answers);
            self.observed.extend(found);
            if sites.is_empty() && first == 0 {
                // A program without sites is still run with injection on: its imports may be missing.
                self.assignment.push(None);
            }
        }
        self.sites.extend(sites);
        self.predict_time += begin.elapsed();
    }

    /// The ranking of each site: the known one, or else what the predictor says.
    fn rankings_of(&self, sites: &[Site], settings: &Settings, known: Known<'_>) -> Vec<Vec<Prediction>> {
        let mut rankings: Vec<Option<Vec<Prediction>>> = sites.iter().map(known).collect();
        let unknown = sites.iter().zip(&rankings).filter(|(_, ranking)| ranking.is_none());
        let queries: Vec<Query<'_>> = unknown.map(|(site, _)| self.query(site)).collect();
        let mut answers = settings.predict(&queries).into_iter();
        for ranking in &mut rankings {
            if ranking.is_none() {
                *ranking = answers.next();
            }
        }
        rankings.into_iter().flatten().collect()
    }

    /// The text of a site's expression.
    fn text_of(&self, site: &Site) -> &str {
        self.text.get(site.start as usize..site.end as usize).unwrap_or_default()
    }

    /// True if an expression, for a site of a variable, stands in the same function.
    fn is_in_function_of(&self, site: &Site, expression: &Range<u32>) -> bool {
        let paths = self.paths();
        site.kind != Kind::Variable || paths.code_around(site.start) == paths.code_around(expression.start)
    }

    fn query<'a>(&'a self, site: &'a Site) -> Query<'a> {
        Query {
            name: &site.name,
            kind: match site.kind {
                Kind::Variable => Use::Variable,
                Kind::Attribute => Use::Attribute,
                Kind::ReturnValue => Use::ReturnValue,
            },
            source: &self.text,
            model: Some(&self.model),
            start: site.start as usize,
            end: site.end as usize,
            anchor: self.model.anchor(site.kind, site.end).unwrap_or(site.end) as usize,
        }
    }

    /// Makes a site of each parameter, for functions that are called by us. The predictor is asked where the parameter
    /// is first read: that is the place it has learned about.
    pub fn assign_parameters(&mut self, settings: &Settings) {
        self.add_parameters(settings, &|_site| None);
    }

    fn add_parameters(&mut self, settings: &Settings, known: Known<'_>) {
        let parameters = &self.instrumented.parameters;
        if self.sites.len() > self.own_sites || parameters.is_empty() || !self.injects() {
            return;
        }
        self.assignment.truncate(self.sites.len());
        if !self.companions.is_empty() {
            // Their sites come after those of parameters.
            self.program = OnceCell::new();
        }
        let lines = self.model.lines();
        let mut asked = Vec::with_capacity(parameters.len());
        let mut own = Vec::with_capacity(parameters.len());
        for (number, parameter) in parameters.iter().enumerate() {
            let other = |next: &&surmise_instrument::Parameter| next.function != parameter.function;
            let end = parameters[number..].iter().find(other).map_or(self.text.len() as u32, |next| next.start);
            let read = self.paths().first_read(&parameter.name, parameter.end..end).unwrap_or(parameter.start);
            let (line, column) = lines.position(parameter.start);
            own.push((parameter.start, parameter.end));
            asked.push(Site {
                kind: Kind::Variable,
                name: parameter.name.clone(),
                role: Role::Plain,
                downstream: parameter.downstream,
                start: read,
                end: read + (parameter.end - parameter.start),
                line,
                column,
                function: parameter.function,
                local: false,
                rebound: false,
                in_class: false,
                annotation: false,
                marks: 0,
            });
        }
        let first = self.sites.len();
        self.assign(asked, settings, known);
        let parameters = (first as u32..).zip(&self.sites[first..]);
        let is_known =
            |site: &Site| self.recorded_value(site, settings).is_some() || self.sample(site, settings).is_some();
        let recorded = parameters.filter(|(_, site)| is_known(site));
        self.given = recorded.map(|(number, _)| number).collect();
        for (site, (start, end)) in self.sites[first..].iter_mut().zip(own) {
            (site.start, site.end) = (start, end);
        }
    }

    /// The predictor's ranking for a site; empty where nothing was asked.
    #[must_use]
    pub fn ranking(&self, site: u32) -> &[Prediction] {
        self.rankings.get(site as usize).map_or(&[], Vec::as_slice)
    }

    /// Values that recorded runs had at a site, or under its name; of each class the most frequent first.
    #[must_use]
    pub fn observed(&self, site: u32) -> &[(Class, Literal)] {
        self.observed.get(&site).map_or(&[], Vec::as_slice)
    }

    /// Sites of the text: those after are of parameters.
    #[must_use]
    pub fn uses(&self) -> &[Site] {
        &self.sites[..self.own_sites]
    }

    /// What all runs share.
    #[must_use]
    pub fn program(&self, settings: &Settings) -> &Arc<Program> {
        self.program.get_or_init(|| Arc::new(self.new_program(settings, false)))
    }

    /// The program of a comparison before its values are predicted: a process can load it meanwhile. `None` where nothing will be
    /// injected.
    pub fn program_ahead(&mut self, settings: &Settings) -> Option<Arc<Program>> {
        let settings = Settings { drawing: Some(Drawing::default()), ..settings.clone() };
        if settings.predictor == PredictorChoice::None {
            return None;
        }
        self.assignment = vec![None; self.sites.len().max(1)];
        let program = Program { is_unassigned: true, ..self.new_program(&settings, false) };
        self.assignment.clear();
        self.program = OnceCell::from(Arc::new(program));
        self.program.get().cloned()
    }

    /// The program with nothing injected, as `python FILE` runs it.
    #[must_use]
    pub fn plain_program(&self, settings: &Settings) -> Program {
        self.new_program(settings, true)
    }

    /// True for what was pasted from a prompt.
    fn is_session(&self) -> bool {
        self.repairs.iter().any(|repair| repair.kind == RepairKind::Prompt)
    }

    fn new_program(&self, settings: &Settings, plain: bool) -> Program {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let implicit_imports = if plain { BTreeMap::new() } else { self.implicit_imports(settings) };
        let standard = if plain { Vec::new() } else { self.standard(&implicit_imports) };
        let lazy = standard.iter().map(|module| Preload { module: module.clone(), names: Vec::new() });
        let mut program = Program {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
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
            sites: self.sites.clone(),
            tries: self.instrumented.tries.clone(),
            written: Written::of(&self.model),
            origins: if plain || !self.injects() { Origins::default() } else { self.paths().origins.clone() },
            variadic: if plain || !self.injects() || settings.drawing.is_some() {
                BTreeMap::new()
            } else {
                self.variadic()
            },
            keys_of_parameters: if plain || !self.injects() || settings.drawing.is_some() || settings.function.is_none()
            {
                BTreeMap::new()
            } else {
                extract::keys_of_parameters(&self.model)
            },
            expected: if plain || !self.injects() || settings.drawing.is_some() {
                Vec::new()
            } else {
                self.expected_answers(settings)
            },
            input_texts: if plain || !self.injects() { BTreeMap::new() } else { self.input_texts() },
            outer_texts: if plain || !self.injects() { BTreeMap::new() } else { self.outer_texts() },
            tables: if plain || !self.injects() { BTreeMap::new() } else { self.tables() },
            imports: self.instrumented.imports.clone(),
            positions: self.instrumented.positions.clone(),
            session: if self.is_session() { self.model.statement_lines() } else { Vec::new() },
            lines: self.instrumented.marks.lines,
            assignment: self.assignment.clone(),
            guards: if settings.in_place { self.guards.clone() } else { BTreeMap::new() },
            imported: if plain { BTreeMap::new() } else { self.imported.clone() },
            implicit_imports,
            preloads: if plain {
                Vec::new()
            } else {
                implicit_imports::eager(&self.model).into_iter().chain(lazy).collect()
            },
            inject_io: settings.inject_io,
            input_end: if settings.whole_input {
                InputEnd::Complete
            } else if !plain && self.injects() && self.reads_input() {
                InputEnd::OfFile
            } else {
                InputEnd::OfCalls
            },
            start: settings.start,
            plain,
            standard,
            ..Program::default()
        };
        self.set_surroundings(&mut program, settings);
        self.add_companions(&mut program);
        program
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

    /// What one run does beside what all of them do.
    #[must_use]
    pub fn task(&self, settings: &Settings, trial: &Trial) -> Task {
        let call = self.harness_call(settings, trial);
        Task { trial: trial.clone(), call, drawing: self.drawing(settings, trial) }
    }

    /// What callers give functions; both versions of a comparison get the same, which it has in its drawing.
    fn variadic(&self) -> BTreeMap<String, [(u32, Vec<String>); 2]> {
        let found = extract::variadic(&self.model).into_iter();
        found.map(|one| (one.function, [one.needed, one.possible].map(|given| (given.values, given.keys)))).collect()
    }

    /// Two versions of a function are compared by what they ask of what is missing: there it stays missing.
    fn implicit_imports(&self, settings: &Settings) -> BTreeMap<String, ImplicitImport> {
        if self.injects() && settings.inject_imports && settings.drawing.is_none() {
            implicit_imports::find(&self.text, self.uses(), || self.paths())
        } else {
            BTreeMap::new()
        }
    }

    /// What runs will import of the standard library: the text does, and whoever awaits its coroutines.
    fn standard(&self, implicit_imports: &BTreeMap<String, ImplicitImport>) -> Vec<String> {
        let implicit = implicit_imports.values().flat_map(|import| import.modules.iter().cloned());
        let awaiting = self.text.contains("async ").then(|| "asyncio".to_owned());
        implicit_imports::standard(&self.model).into_iter().chain(implicit).chain(awaiting).collect()
    }

    /// What both versions share, with the trial's values: a value is changed wherever the same is read.
    fn drawing(&self, settings: &Settings, trial: &Trial) -> Option<Drawing> {
        let mut drawing = settings.drawing.clone()?;
        for (&site, value) in &trial.values {
            if let Some(site) = self.sites.get(site as usize) {
                let key = shared_key(site, &drawing.aliases);
                drawing.classes.insert(key, (value.assigned.class, value.literal.clone()));
            }
        }
        Some(drawing)
    }

    fn harness_call(&self, settings: &Settings, trial: &Trial) -> Option<HarnessCall> {
        let one = |function: &String| vec![(function.clone(), (0, 0))];
        let isolated = settings.makes_isolated_calls() && self.injects();
        let functions = match (&settings.function, &trial.call) {
            (Some(function), _) | (None, Some(function)) => one(function),
            (None, None) if isolated => {
                let lines = self.model.lines();
                let with_body = |function: Function| (function.qualname.clone(), self.body(&function, lines));
                self.callable().into_iter().map(with_body).collect()
            }
            (None, None) => return None,
        };
        let first = self.uses().len() as u32;
        let function = |number: u32| self.instrumented.functions.get(number as usize).cloned().unwrap_or_default();
        let sites = (first..).zip(&self.sites[first as usize..]);
        let given = |number: &u32| trial.values.contains_key(number) || self.given.contains(number);
        let parameter =
            |(number, site): (u32, &Site)| (function(site.function), site.name.to_string(), number, given(&number));
        // A method's object may have to be made first, and what a function makes is called as well.
        let called = |name: &str| {
            let own = name.strip_prefix(functions[0].0.as_str());
            own.is_some_and(|inner| inner.is_empty() || inner.starts_with('.')) || name.ends_with("__init__")
        };
        let parameters = sites.map(parameter).filter(|(function, ..)| isolated || called(function)).collect();
        Some(HarnessCall { functions, isolated, parameters, is_excerpt: settings.function.is_some() })
    }

    /// Functions and methods that may be called from outside: those that stand in no other function.
    #[must_use]
    pub fn callable(&self) -> Vec<Function> {
        let mut all = extract::qualnames(&self.model);
        let names: FxHashSet<String> = all.iter().map(|function| function.qualname.clone()).collect();
        let nested = |name: &str| name.match_indices('.').any(|(at, _)| names.contains(&name[..at]));
        all.retain(|function| !nested(&function.qualname));
        all
    }

    /// First and last line that only a call of a function reaches: headers that span lines belong to the definition.
    /// The first is behind the last if there is none.
    #[must_use]
    pub fn body(&self, function: &Function, lines: &LineIndex) -> (u32, u32) {
        let header = self.paths().statement(function.line);
        let ends = header.map_or(function.line, |range| lines.line(range.end.saturating_sub(1)));
        (ends + 1, function.last_line)
    }

    /// True if the predictor fills anything in.
    #[must_use]
    pub fn injects(&self) -> bool {
        !self.assignment.is_empty()
    }
}

/// What names a use in two versions: its kind and name, as the old one has it.
pub fn shared_key(site: &Site, aliases: &Aliases) -> String {
    aliases.key(&format!("{}:{}", site.kind.as_str(), site.name))
}
