//! Both versions of a function, run under the same values until a run shows a difference or the budget is spent.

mod at_once;
mod carried;
mod from_tests;
mod minimal;
mod near;
mod refusals;
mod rewrites;
mod series;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use surmise_instrument::same::Named;
use surmise_instrument::{SourceModel, narrowing_lines, outdated_lines};
use surmise_value_model::Class;

use self::at_once::{Prepared, for_both, make_at_once, run_at_once};
use self::carried::own_choices;
use self::from_tests::ByTest;
use self::near::Reaching;
use self::refusals::{is_order_of_refusals, is_refusal_elsewhere};
use self::rewrites::Rewrites;
use self::series::MOST_RUNS;
use super::behaviour::{difference, is_whole, same, test_case};
use super::candidate::Version;
use super::changed_reached::Changed;
use super::checked_values::keep_names_of_both;
use super::matching::{Shared, shared};
use super::options::Options;
use super::project_tests::Tests;
use super::verdict::{Ground, Verdict, Witness};
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::clock::clocks;
use surmise_engine::execute::Execution;
use surmise_engine::plan::{Plan, Settings, Trial};
use surmise_engine::protocol::{Aliases, Choice, Literal};
use surmise_engine::source::Source;
use surmise_engine::stdin::Input;
use surmise_ledger::{Entry, Ledger};
use surmise_search::explore;

/// Runs before the search: they find most differences, and cost no search.
const FIRST_DRAWS: u64 = 8;
/// The same where versions run in their modules: there a search has fewer values to change, as few are missing.
const FIRST_DRAWS_IN_MODULE: u64 = 24;
/// How many times as many runs there are in modules: these are all the search there is.
const RUNS_IN_MODULE: u32 = 2;
/// The folder of either revision, in what runs print. In what they do, the runtime writes the same.
const PROJECT: &str = "<project>";
/// Runs of a pair that may hang before the pair is given up.
const MOST_HANGS: u32 = 2;
/// Differences that repeated runs did not show again.
const MOST_UNSTEADY: u32 = 2;
/// Differences under values under which a version also differs from an equivalent rewrite of itself.
const MOST_NOISY: u32 = 3;

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

/// The lines of a run, and the error that ended it.
type Path<'a> = (&'a [u32], Option<(&'a str, u32)>);

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
    /// Lines of each version that are for other versions of Python.
    outdated: [BTreeSet<u32>; 2],
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
    /// The first difference that [`is_order_of_refusals`] leaves in doubt.
    refused: Option<Box<Witness>>,
    /// A difference was shown by one run with likely values.
    is_likely: bool,
    /// Each version runs in its module.
    in_module: bool,
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
            start,
            ..options.settings.clone()
        });
        let plan = |number: usize| Plan::new(source(versions[number], standpoint), &settings[number]);
        let plans = if zygotes.len() > 1 { make_at_once(plan) } else { [plan(0), plan(1)] };
        let [Ok(mut old), Ok(mut new)] = plans else {
            let verdict = Verdict::Unknown("a version cannot be prepared for running".to_owned());
            return Ok(Outcome { verdict, runs: 0, changed: Changed::default(), unplaced: None, is_likely: false });
        };
        if !in_module {
            for (plan, version) in [(&mut old, versions[0]), (&mut new, versions[1])] {
                plan.run_with(&version.around.package, &version.around.modules, &options.settings);
            }
        }
        let mut shared = shared([&old, &new], own, [&names[0], &names[1]], &versions[1].renamed);
        shared.heed_hints([(&old.model, &versions[0].qualname), (&new.model, &versions[1].qualname)]);
        shared.heed_constructors(versions.map(|version| &version.attributes));
        for checked in [&mut shared.checked, &mut shared.checked_by_both] {
            keep_names_of_both(checked, [&old.model, &new.model], || {
                versions.map(|version| module_text(version, standpoint))
            });
        }
        for (base, version) in shared.base.iter_mut().zip(versions) {
            base.root = version.place.as_ref().map(|place| place.root.display().to_string()).unwrap_or_default();
            base.constructed = versions[0].constructor == versions[1].constructor;
            if versions.iter().all(|version| is_private(&version.qualname)) {
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
            outdated: [&old, &new].map(|plan| outdated_lines(&plan.model, surmise_interpreter::version())),
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
            makes_series: in_module,
            tests: Tests::default(),
        };
        let found = pair.search(versions)?;
        let changed = pair.changed(versions);
        let verdict = found.unwrap_or_else(|| pair.without_difference(&changed));
        Ok(Outcome { verdict, runs: pair.runs, changed, unplaced: pair.unplaced(), is_likely: pair.is_likely })
    }

    /// Why a version did not run in its module, if it should have.
    fn unplaced(&self) -> Option<String> {
        let ran = self.ledgers.iter().filter(|_| self.in_module).map(|ledger| {
            let in_place = ledger.entries().iter().find_map(|entry| entry.in_place.clone());
            let fault = || ledger.entries().iter().find_map(|entry| entry.internal.clone());
            let no_module = || "its file is no module of a package".to_owned();
            in_place
                .unwrap_or_else(|| Err(fault().map_or_else(no_module, |fault| format!("a fault of Surmise: {fault}"))))
        });
        let failed = |(ran, version): (Result<(), String>, _)| Some(format!("the {version} version: {}", ran.err()?));
        ran.zip(["old", "new"]).find_map(failed).or_else(|| self.lacks_otherwise())
    }

    /// What the import of one version's module lacks and the other's does not: their surroundings are not alike.
    fn lacks_otherwise(&self) -> Option<String> {
        let lacking = |ledger: &Ledger| ledger.entries().first().map(|entry| entry.lacking.clone()).unwrap_or_default();
        let [old, new] = [lacking(&self.ledgers[0]), lacking(&self.ledgers[1])];
        let only = |some: &[String], others: &[String]| some.iter().find(|name| !others.contains(name)).cloned();
        let (version, name) = match (only(&old, &new), only(&new, &old)) {
            (Some(name), _) => ("old", name),
            (None, Some(name)) => ("new", name),
            (None, None) => return None,
        };
        Some(format!("the {version} version: only its module cannot be imported with `{name}`"))
    }

    /// The verdict where no run with likely values showed a difference.
    fn without_difference(&mut self, changed: &Changed) -> Verdict {
        if let Some(witness) = self.possible.take().or_else(|| self.refused.take()) {
            return Verdict::Possible(witness);
        }
        if self.unsteady >= MOST_UNSTEADY {
            return Verdict::Unknown("the function does something else each time".to_owned());
        }
        if self.noisy > 0 {
            let noise = "the versions differ where one also differs from an equivalent rewrite of itself";
            return Verdict::Unknown(noise.to_owned());
        }
        if let Some(failure) = &self.failure {
            return Verdict::Unknown(format!("it could not be called: {failure}"));
        }
        if self.hangs >= MOST_HANGS {
            return Verdict::Unknown("runs do not end".to_owned());
        }
        if changed.reached == 0 {
            return Verdict::Unknown(format!("no run reached a changed line{}", self.obstacle()));
        }
        if let Some(missed) = changed.described() {
            return Verdict::Unknown(format!("no run reached {missed}{}", self.obstacle()));
        }
        Verdict::Equal(Ground::Runs)
    }

    /// The error that stopped most runs.
    fn obstacle(&self) -> String {
        let versions = self.ledgers.iter().zip(["old", "new"]);
        let errors = versions.flat_map(|(ledger, version)| {
            ledger.errors().into_iter().map(move |((kind, line), count)| (count, kind, line, version))
        });
        errors.max_by_key(|(count, ..)| *count).map_or_else(String::new, |(_, kind, line, version)| {
            format!("; most ended with {kind} in line {line} of the {version} version")
        })
    }

    fn changed(&self, versions: [&Version; 2]) -> Changed {
        Changed::of(versions, [0, 1].map(|version| (&self.ledgers[version], &self.plans[version])), &self.outdated)
    }

    fn may_run(&self) -> bool {
        self.runs < self.budget.0
            && self.begin.elapsed() < self.budget.1
            && self.hangs < MOST_HANGS
            && self.unsteady < MOST_UNSTEADY
            && self.noisy < MOST_NOISY
            && !self.zygotes.iter().any(Zygote::is_stopped)
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
            if !self.may_run() || self.in_module && self.changed(versions).missed.iter().all(Vec::is_empty) {
                break;
            }
            self.explore_from(version, &mut explored)?;
            for entry in explored[version].take().into_iter().flat_map(Ledger::into_entries) {
                let given = self.carried(version, &entry.trial);
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

    /// True if a run of this version took the same path.
    fn knows_path(&self, version: usize, entry: &Entry) -> bool {
        self.ledgers[version].entries().iter().any(|known| path(known) == path(entry))
    }

    /// True once all changed lines were reached and each path through a version was taken more than once: the share of paths
    /// that were taken once is about the odds that the next run takes one that none has taken (Good and Turing's estimate).
    /// While a difference is in doubt, other runs may settle it.
    fn has_no_new_paths(&self, versions: [&Version; 2]) -> bool {
        let is_known = |ledger: &Ledger| {
            let mut paths: BTreeMap<Path<'_>, u32> = BTreeMap::new();
            for entry in ledger.entries() {
                *paths.entry(path(entry)).or_default() += 1;
            }
            paths.values().all(|&runs| runs > 1)
        };
        let is_open = self.possible.is_some() || self.refused.is_some();
        !is_open && self.ledgers.iter().all(is_known) && self.changed(versions).missed.iter().all(Vec::is_empty)
    }

    /// New names, for the new version.
    fn aliases(&self, version: usize) -> &Aliases {
        &self.shared.base[version].aliases
    }

    /// The settings of a run of a version, and the time that it may take.
    fn settings_of_run(&self, version: usize, given: &Given) -> (Settings, Duration) {
        let mut settings = self.settings[version].clone();
        if let Some(drawing) = &mut settings.drawing {
            (drawing.seed, drawing.once) = (given.seed, given.once);
            drawing.classes.extend(given.classes.clone());
            self.call_by_test(drawing, &given.by);
        }
        let left = self.budget.1.saturating_sub(self.begin.elapsed()).max(Duration::from_millis(50));
        let timeout = settings.timeout.min(left);
        (settings, timeout)
    }

    /// Runs both versions; a difference counts if repeating the runs shows it again.
    fn attempt(&mut self, versions: [&Version; 2], given: &Given) -> Result<Option<Verdict>, ClientError> {
        if !self.may_run() {
            return Ok(None);
        }
        self.runs += 1;
        let numbers = self.run_both(given)?;
        self.judge(versions, given, numbers)
    }

    /// What runs under the same values show, of which the entries have these numbers.
    fn judge(
        &mut self,
        versions: [&Version; 2],
        given: &Given,
        numbers: [usize; 2],
    ) -> Result<Option<Verdict>, ClientError> {
        let [old, new] = self.entries(numbers);
        let failure = old.internal.as_ref().or(new.internal.as_ref()).cloned();
        let (whole, alike) = (is_whole(old) && is_whole(new), same(old, new));
        let is_order = is_order_of_refusals(old, new);
        let weak = !alike && self.is_weak_under(given, [old, new]);
        self.failure = failure.or(self.failure.take());
        if !whole {
            // One that ends and one that does not may differ in speed alone.
            self.hangs += 1;
            return Ok(None);
        }
        if alike || weak {
            if given.by == ByTest::Nobody {
                self.keep_if_reaching(given, numbers);
            }
            return Ok(None);
        }
        let again = self.run_both(given)?;
        if [0, 1].into_iter().any(|version| !same(self.entries(numbers)[version], self.entries(again)[version])) {
            self.unsteady += 1;
            return Ok(None);
        }
        let first = [0, 1].map(|version| self.plans[version].uses().len() as u32);
        let (smallest, smallest_numbers) = self.minimal(given, numbers)?;
        if self.is_noise(versions, &smallest, smallest_numbers)? {
            self.noisy += 1;
            return Ok(None);
        }
        let entries = self.entries(smallest_numbers);
        let Some(mut witness) = difference(entries[0], entries[1]).map(Box::new) else { return Ok(None) };
        witness.test = test_case(entries, first);
        let entries = self.entries(numbers);
        let are_made_up = given.by == ByTest::Nobody;
        if are_made_up && entries.iter().any(|entry| entry.error.as_ref().is_some_and(is_refusal_elsewhere)) {
            return Ok(None);
        }
        if are_made_up && self.is_refusal_of_class(&smallest, &witness) {
            return Ok(None);
        }
        if is_order {
            self.refused.get_or_insert(witness);
            return Ok(None);
        }
        if is_likely(given) || smallest.classes.is_empty() {
            self.is_likely = true;
            return Ok(Some(Verdict::Different(witness)));
        }
        // What two draws show is no accident of one of them.
        match self.possible.take() {
            Some(first) => return Ok(Some(Verdict::Different(first))),
            None => self.possible = Some(witness),
        }
        Ok(None)
    }

    /// Runs both versions under the same values; the numbers of their entries.
    fn run_both(&mut self, given: &Given) -> Result<[usize; 2], ClientError> {
        let prepared = [0, 1].map(|version| self.prepared(version, given));
        let [old_plan, new_plan] = &mut self.plans;
        let runs = run_at_once(self.zygotes, [Some(old_plan), Some(new_plan)], &mut self.inputs, &prepared)?;
        let runs = runs.into_iter().zip(&self.shared.base);
        let runs = runs.map(|(run, base)| Entry::from(without_root(run.expect("both have a plan"), &base.root)));
        let entries: Vec<Entry> = runs.collect();
        Ok(self.add(entries.try_into().expect("there are two versions")))
    }

    /// What a run of a version under some values takes.
    fn prepared(&self, version: usize, given: &Given) -> Prepared {
        let choices = own_choices(&self.plans[version], self.aliases(version), &given.choices);
        (self.settings_of_run(version, given), Trial { choices, ..Trial::default() })
    }

    /// Keeps a run of each version; the numbers of their entries.
    fn add(&mut self, entries: [Entry; 2]) -> [usize; 2] {
        for (entry, ledger) in entries.into_iter().zip(&mut self.ledgers) {
            ledger.add(entry);
        }
        [0, 1].map(|version| self.ledgers[version].entries().len() - 1)
    }

    fn entries(&self, numbers: [usize; 2]) -> [&Entry; 2] {
        [0, 1].map(|version| &self.ledgers[version].entries()[numbers[version]])
    }
}

/// A run in whose output the folder of its revision has another name.
fn without_root(mut run: Execution, root: &str) -> Execution {
    if !root.is_empty() {
        run.stdout = run.stdout.replace(root, PROJECT);
    }
    run
}

fn no_input() -> Result<Input, ClientError> {
    Input::open(None).map_err(ClientError::Setup)
}

fn path(entry: &Entry) -> Path<'_> {
    (&entry.covered, entry.error.as_ref().map(|error| (error.kind.as_str(), error.line)))
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

/// True for names by which only the module itself, or the class, calls: the change has all calls.
fn is_private(qualname: &str) -> bool {
    let name = qualname.rsplit('.').next().unwrap_or_default();
    name.starts_with('_') && !name.ends_with("__")
}
