//! Both versions of a function, run under the same values until a run shows a difference or the budget is spent.

mod at_once;
mod attempts;
mod carried;
mod findings;
mod from_tests;
mod minimal;
mod near;
mod refusals;
mod rewrites;
mod series;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use surmise_instrument::object_attributes;
use surmise_instrument::same::Named;
use surmise_instrument::{Error, Outdated, SourceModel, narrowing_lines};
use surmise_value_model::Class;

use self::at_once::{for_both, make_at_once};
use self::from_tests::ByTest;
use self::near::Reaching;
use self::rewrites::Rewrites;
use self::series::MOST_RUNS;
use super::candidate::Version;
use super::changed_reached::Changed;
use super::matching::{Shared, aliases, predict, shared};
use super::names_of_both::{NamesOfBoth, name_in};
use super::options::Options;
use super::project_tests::Tests;
use super::verdict::{Verdict, Witness};
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::clock::clocks;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::{Aliases, Choice, Literal};
use surmise_engine::source::Source;
use surmise_engine::stdin::Input;
use surmise_ledger::Ledger;
use surmise_search::explore;

/// Runs before the search: they find most differences, and cost no search.
const FIRST_DRAWS: u64 = 8;
/// The same where versions run in their modules: there a search has fewer values to change, as few are missing.
const FIRST_DRAWS_IN_MODULE: u64 = 24;
/// How many times as many runs there are in modules: these are all the search there is.
const RUNS_IN_MODULE: u32 = 2;

/// Where both versions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standpoint {
    /// Each in its module, imported among the modules of its own revision.
    Module,
    /// Each by itself, with what is taken of the module around it and of companion modules.
    Excerpt,
}

/// What the runs from one standpoint came to.
pub(super) struct Outcome {
    /// What they say.
    pub(super) verdict: Verdict,
    /// How many there were of each version.
    pub(super) runs: u32,
    /// The changed lines.
    pub(super) changed: Changed,
    /// Why a version could not run in its module.
    pub(super) unplaced: Option<String>,
    /// A difference was shown by one run with likely values.
    pub(super) is_likely: bool,
}

/// Values of a run, in both versions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Given {
    /// Draws values and answers; 0 takes the usual ones.
    seed: u64,
    /// The function is not called again, as it is under some seeds.
    once: bool,
    classes: BTreeMap<String, (Class, Option<Literal>)>,
    choices: BTreeMap<String, Choice>,
    /// The function is called as a test calls it.
    by: ByTest,
}

/// Two versions that are being run.
pub(super) struct PairedRuns<'a> {
    /// One for both versions, or one for each.
    zygotes: &'a mut [Zygote],
    plans: [Plan; 2],
    /// What of each version is for other versions of Python.
    outdated: [Outdated; 2],
    /// Lines of each version that assert of which types values are.
    narrowing: [BTreeSet<u32>; 2],
    settings: [Settings; 2],
    shared: Shared,
    inputs: [Input; 2],
    begin: Instant,
    budget: (u32, Duration),
    runs: u32,
    hangs: u32,
    unsteady: u32,
    noisy: u32,
    reaching: Reaching,
    /// Made when the first difference was found.
    rewrites: Option<Rewrites>,
    /// The runs of each version.
    ledgers: [Ledger; 2],
    failure: Option<String>,
    /// The first difference under unlikely values.
    possible: Option<Box<Witness>>,
    /// The first difference that [`refusals::is_order_of_refusals`] leaves in doubt.
    refused: Option<Box<Witness>>,
    /// A difference was shown by one run with likely values.
    is_likely: bool,
    /// Each version runs in its module.
    in_module: bool,
    /// Names that mean the same in both versions, once it was asked for them.
    names_of_both: OnceCell<NamesOfBoth>,
    /// One process makes several runs: so far none has shown that it is not the first one there.
    makes_series: bool,
    /// Tests that may call the function, once they were asked for.
    tests: Tests,
}

impl<'a> PairedRuns<'a> {
    /// Runs both versions from a standpoint, within the budget of the settings. `own` are the models of [`Version::own`].
    ///
    /// # Errors
    /// When the worker process failed us, never for what the functions do.
    pub(super) fn compare(
        zygotes: &'a mut [Zygote],
        versions: [&Version; 2],
        own: [&SourceModel; 2],
        names: &[Named; 2],
        standpoint: Standpoint,
        options: &Options,
    ) -> Result<Outcome, ClientError> {
        let in_module = standpoint == Standpoint::Module;
        for zygote in &mut *zygotes {
            zygote.prepare(false, true);
        }
        let start = Some(clocks());
        let mut settings = versions.map(|version| Settings {
            function: Some(version.qualname.clone()),
            in_place: in_module,
            parts: true,
            start,
            ..options.settings.clone()
        });
        let plan = |number: usize| {
            let mut plan = Plan::unpredicted(source(versions[number], standpoint), &settings[number])?;
            let program = in_module.then(|| plan.program_ahead(&settings[number])).flatten();
            Ok::<_, Error>((plan, program))
        };
        let plans = if zygotes.len() > 1 { make_at_once(plan) } else { [plan(0), plan(1)] };
        let [Ok((mut old, program_of_old)), Ok((mut new, program_of_new))] = plans else {
            let verdict = Verdict::Unknown("a version cannot be prepared for running".to_owned());
            return Ok(Outcome { verdict, runs: 0, changed: Changed::default(), unplaced: None, is_likely: false });
        };
        // A zygote that both share says only of one process at a time that it has ended.
        for (zygote, program) in zygotes.iter_mut().zip([program_of_old, program_of_new]) {
            if let Some(program) = program {
                zygote.load_ahead(&program);
            }
        }
        let named = [&names[0], &names[1]];
        let aliases = aliases(named, &versions[1].renamed, &versions[1].state.behind);
        predict([&mut old, &mut new], &settings, &aliases);
        if !in_module {
            for (plan, version) in [(&mut old, versions[0]), (&mut new, versions[1])] {
                plan.run_with(&version.around.package, &version.around.modules, &options.settings);
            }
        }
        let mut shared = shared([&old, &new], own, named, aliases);
        shared.heed_hints([(&old.model, &versions[0].qualname), (&new.model, &versions[1].qualname)]);
        shared.heed_constructors(versions.map(|version| &version.attributes));
        shared.heed_internal(versions.map(|version| &version.attributes), &versions[1].state);
        let names_of_both = OnceCell::new();
        for checked in [&mut shared.checked, &mut shared.checked_by_both] {
            if checked.values().flatten().any(|(_, value)| value.as_ref().is_some_and(|value| name_in(value).is_some()))
            {
                names_of_both.get_or_init(|| names_in([&old.model, &new.model], versions, standpoint)).keep(checked);
            }
        }
        for (base, version) in shared.base.iter_mut().zip(versions) {
            base.of_classes.extend(versions[1].state.of_classes.iter().cloned());
            base.internal.extend(versions[1].state.of_one_version().cloned());
            base.root = version.place.as_ref().map(|place| place.root.display().to_string()).unwrap_or_default();
            base.constructed = versions[1].is_constructed_as(versions[0]);
            base.constructors_annotated_otherwise = versions[1].annotates_otherwise(versions[0]);
            base.keeps_otherwise = versions[1].keeps_otherwise(versions[0]);
            if versions.iter().all(|version| is_private(&version.qualname) || is_of_protocol(&version.qualname)) {
                base.extra.clear();
            }
        }
        for (settings, base) in settings.iter_mut().zip(&shared.base) {
            let mut base = base.clone();
            (base.strict_messages, base.strict_logging) = (options.strict_messages, options.strict_logging);
            settings.drawing = Some(base);
        }
        let begin = Instant::now();
        let reaching = Reaching::of(versions, [&old, &new]);
        let mut pair = Self {
            zygotes,
            ledgers: [(&old, versions[0]), (&new, versions[1])]
                .map(|(plan, version)| Ledger::new(plan, Some(version.qualname.clone()), begin)),
            outdated: [&old, &new].map(|plan| Outdated::of(&plan.model, surmise_interpreter::version())),
            narrowing: [&old, &new].map(|plan| narrowing_lines(&plan.model)),
            plans: [old, new],
            settings,
            shared,
            inputs: [no_input()?, no_input()?],
            begin,
            budget: (options.settings.runs * if in_module { RUNS_IN_MODULE } else { 1 }, options.settings.time),
            runs: 0,
            hangs: 0,
            unsteady: 0,
            noisy: 0,
            reaching,
            rewrites: None,
            failure: None,
            possible: None,
            refused: None,
            is_likely: false,
            in_module,
            names_of_both,
            makes_series: in_module,
            tests: Tests::default(),
        };
        let found = pair.search(versions)?;
        let changed = pair.changed(versions);
        let verdict = found.unwrap_or_else(|| pair.without_difference(versions, &changed));
        Ok(Outcome { verdict, runs: pair.runs, changed, unplaced: pair.unplaced(), is_likely: pair.is_likely })
    }

    /// The verdict of the first run that shows a difference.
    fn search(&mut self, versions: [&Version; 2]) -> Result<Option<Verdict>, ClientError> {
        let drawn = |shared: &Shared, seed: u64| Given { seed, classes: shared.drawn(seed), ..Given::default() };
        let mut tried = vec![Given::default()];
        if let Some(found) = self.attempt(versions, &Given::default())? {
            return Ok(Some(found));
        }
        if self.unplaced().is_some() {
            return Ok(None);
        }
        let first = match (self.in_module, self.shared.checked.is_empty()) {
            (false, _) => FIRST_DRAWS,
            (true, true) => FIRST_DRAWS_IN_MODULE,
            // Several of the values that only one version checks for may have to come together.
            (true, false) => 2 * FIRST_DRAWS_IN_MODULE,
        };
        let draws: Vec<Given> = (1..=first).map(|seed| drawn(&self.shared, seed)).collect();
        if let Some(found) = self.attempt_each(versions, &draws)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.compare_calls_of_tests(versions)? {
            return Ok(Some(found));
        }
        // What covers a version: the other version is run under the same.
        let mut others = VecDeque::new();
        let mut explored: [Option<Ledger>; 2] = [None, None];
        for version in 0..2 {
            if !self.may_run() || self.in_module && self.changed(versions).is_reached() {
                break;
            }
            self.explore_from(version, &mut explored)?;
            for entry in explored[version].take().into_iter().flat_map(Ledger::into_entries) {
                let given = self.carried(versions, version, &entry.trial);
                if tried.contains(&given) {
                    continue;
                }
                tried.push(given.clone());
                // Again with values that differ from each other.
                let distinct = Given { seed: 101 + tried.len() as u64 * 2, ..given.clone() };
                if self.knows_path(version, &entry) {
                    others.extend([given, distinct]);
                    continue;
                }
                for given in [given, distinct] {
                    if let Some(found) = self.attempt(versions, &given)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        let mut near = VecDeque::from(self.near());
        let mut seed = first;
        while self.may_run() && !(self.in_module && near.is_empty() && self.has_no_new_paths(versions)) {
            let mut next = Vec::new();
            while next.len() < if self.makes_series { MOST_RUNS } else { 1 } {
                seed += 1;
                let other = if seed % 2 == 0 { near.pop_front().or_else(|| others.pop_front()) } else { None };
                next.push(other.unwrap_or_else(|| drawn(&self.shared, seed)));
            }
            if let Some(found) = self.attempt_each(versions, &next)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Searches for runs that cover this version, unless `explored` has them already. Where each version has a zygote of its
    /// own, the other version is searched in parallel, since its search usually comes next.
    fn explore_from(&mut self, version: usize, explored: &mut [Option<Ledger>; 2]) -> Result<(), ClientError> {
        if explored[version].is_some() {
            return Ok(());
        }
        let settings = [0, 1].map(|version| Settings {
            runs: (self.budget.0 / 2).max(2),
            time: self.budget.1.saturating_sub(self.begin.elapsed()) / 3,
            ..self.settings[version].clone()
        });
        let of_both = self.zygotes.len() > 1;
        let mut plans = self.plans.each_mut().map(Some);
        if !of_both {
            plans[1 - version] = None;
        }
        let search = |zygote: &mut Zygote, plan: &mut Plan, input: &mut Input, number: usize| {
            explore(zygote, plan, &settings[number], input)
        };
        *explored = for_both(self.zygotes, plans, &mut self.inputs, search)?;
        Ok(())
    }

    /// True unless a value goes by a name that means something else in one of the versions.
    fn is_of_both(&self, versions: [&Version; 2], value: &Literal) -> bool {
        let standpoint = if self.in_module { Standpoint::Module } else { Standpoint::Excerpt };
        let [old, new] = &self.plans;
        let names = || self.names_of_both.get_or_init(|| names_in([&old.model, &new.model], versions, standpoint));
        name_in(value).is_none() || names().has(value)
    }

    /// New names, for the new version.
    fn aliases(&self, version: usize) -> &Aliases {
        &self.shared.base[version].aliases
    }
}

fn no_input() -> Result<Input, ClientError> {
    Input::open(None).map_err(ClientError::Setup)
}

/// What runs of a version from a standpoint.
fn source(version: &Version, standpoint: Standpoint) -> Source {
    match &version.place {
        Some(place) if standpoint == Standpoint::Module => {
            Source { text: version.with_helpers.clone(), path: Some(place.file.clone()), ..version.source.clone() }
        }
        _ => version.source.clone(),
    }
}

/// Names that mean the same where versions run.
fn names_in(models: [&SourceModel; 2], versions: [&Version; 2], standpoint: Standpoint) -> NamesOfBoth {
    NamesOfBoth::of(models, versions.map(|version| module_text(version, standpoint)))
}

/// What stands around a version from a standpoint, with itself.
fn module_text(version: &Version, standpoint: Standpoint) -> String {
    let file = version.place.as_ref().filter(|_| standpoint == Standpoint::Module);
    file.and_then(|place| std::fs::read_to_string(&place.file).ok()).unwrap_or_else(|| version.source.text.clone())
}

/// True for values that are likely where they are: the usual ones, those that a search chose, and drawn ones as long as
/// few of them are unusual.
fn is_likely(given: &Given) -> bool {
    given.seed / 2 % 4 < 2
}

/// True for methods that the language calls, by position.
fn is_of_protocol(qualname: &str) -> bool {
    let name = qualname.rsplit('.').next().unwrap_or_default();
    name.starts_with("__") && name.ends_with("__") && !matches!(name, "__init__" | "__new__" | "__call__")
}

/// True for names by which only the module itself, or the class, calls: the change has all calls.
fn is_private(qualname: &str) -> bool {
    object_attributes::is_private(qualname.rsplit('.').next().unwrap_or_default())
}
