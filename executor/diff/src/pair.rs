//! Both versions of a function, run under the same values until a run shows a difference or the budget is spent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use surmise_instrument::SourceModel;
use surmise_instrument::same::{Named, Sameness, named, sameness};
use surmise_value_model::Class;

use super::behaviour::{difference, is_whole, same};
use super::candidate::{Candidate, Version};
use super::changed::changed_lines;
use super::comparison::Comparison;
use super::matching::{Shared, shared};
use super::verdict::{Ground, Verdict};
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute;
use surmise_engine::plan::{Plan, Settings, Trial, shared_key};
use surmise_engine::protocol::{Choice, Literal};
use surmise_engine::stdin::Input;
use surmise_ledger::{Entry, Ledger};
use surmise_search::explore;

/// Runs before the search: they find most differences, and cost no search.
const FIRST_DRAWS: u64 = 8;
/// Runs of a pair that may hang before the pair is given up.
const MOST_HANGS: u32 = 2;
/// Differences that repeated runs did not show again.
const MOST_UNSTEADY: u32 = 2;

/// What a comparison depends on besides the two versions.
#[derive(Clone)]
pub struct Options {
    /// Predictor, seed, limits; `runs` and `time` are those of each version and of the pair.
    pub settings: Settings,
    /// The text of exceptions counts.
    pub strict_messages: bool,
    /// Calls that log count.
    pub strict_logging: bool,
}

/// Values of a run, in both versions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Given {
    /// Draws values and answers; 0 takes the usual ones.
    seed: u64,
    classes: BTreeMap<String, (Class, Option<Literal>)>,
    choices: BTreeMap<String, Choice>,
}

/// Compares a candidate.
///
/// # Errors
/// When the worker process failed us, never for what the functions do.
pub fn compare(zygote: &mut Zygote, candidate: &Candidate, options: &Options) -> Result<Comparison, ClientError> {
    let begin = Instant::now();
    let mut comparison = Comparison::known(candidate);
    if let Ok(versions) = &candidate.versions {
        let models = SourceModel::parse(versions.0.own.as_str())
            .and_then(|old| Ok([old, SourceModel::parse(versions.1.own.as_str())?]));
        comparison.verdict = match models {
            Ok([old, new]) => match sameness(&old, &new) {
                Some(Sameness::Code) => Verdict::Equal(Ground::SameCode),
                Some(Sameness::Renamed) => Verdict::Equal(Ground::RenamedLocals),
                None => {
                    let names = [named(&old), named(&new)];
                    Pair::compare(zygote, [&versions.0, &versions.1], &names, options, &mut comparison)?
                }
            },
            Err(error) => Verdict::Unknown(format!("a version does not parse: {error}")),
        };
    }
    comparison.time = begin.elapsed();
    Ok(comparison)
}

/// Two versions that are being run.
struct Pair<'a> {
    zygote: &'a mut Zygote,
    plans: [Plan; 2],
    settings: [Settings; 2],
    shared: Shared,
    input: Input,
    begin: Instant,
    budget: (u32, Duration),
    runs: u32,
    hangs: u32,
    unsteady: u32,
    /// The runs of each version.
    ledgers: [Ledger; 2],
    failure: Option<String>,
}

impl<'a> Pair<'a> {
    fn compare(
        zygote: &'a mut Zygote,
        [old, new]: [&Version; 2],
        names: &[Named; 2],
        options: &Options,
        comparison: &mut Comparison,
    ) -> Result<Verdict, ClientError> {
        let settings =
            [old, new].map(|version| Settings { function: Some(version.qualname.clone()), ..options.settings.clone() });
        let plans = [Plan::new(old.source.clone(), &settings[0]), Plan::new(new.source.clone(), &settings[1])];
        let [Ok(mut old_plan), Ok(mut new_plan)] = plans else {
            return Ok(Verdict::Unknown("a version cannot be prepared for running".to_owned()));
        };
        for (plan, version) in [(&mut old_plan, old), (&mut new_plan, new)] {
            plan.run_with(&version.around.package, &version.around.modules, &options.settings);
        }
        let shared = shared([&old_plan, &new_plan], [&names[0], &names[1]]);
        let mut settings = settings;
        for (settings, base) in settings.iter_mut().zip(&shared.base) {
            let mut base = base.clone();
            (base.strict_messages, base.strict_logging) = (options.strict_messages, options.strict_logging);
            settings.drawing = Some(base);
        }
        let begin = Instant::now();
        let mut pair = Pair {
            zygote,
            ledgers: [(&old_plan, old), (&new_plan, new)]
                .map(|(plan, version)| Ledger::new(plan, Some(version.qualname.clone()), begin)),
            plans: [old_plan, new_plan],
            settings,
            shared,
            input: Input::open(None).map_err(ClientError::Setup)?,
            begin,
            budget: (options.settings.runs, options.settings.time),
            runs: 0,
            hangs: 0,
            unsteady: 0,
            failure: None,
        };
        let found = pair.search()?;
        comparison.runs = pair.runs;
        let (removed, added) = changed_lines(old, new);
        let (reached, all) = pair.reached(0, &removed);
        let (reached_new, all_new) = pair.reached(1, &added);
        comparison.changed = (reached + reached_new, all + all_new);
        Ok(found.unwrap_or_else(|| pair.without_difference(comparison.changed)))
    }

    fn without_difference(&self, changed: (u32, u32)) -> Verdict {
        if self.unsteady >= MOST_UNSTEADY {
            return Verdict::Unknown("the function does something else each time".to_owned());
        }
        if self.hangs >= MOST_HANGS {
            return Verdict::Unknown("runs do not end".to_owned());
        }
        if let Some(failure) = &self.failure {
            return Verdict::Unknown(format!("it could not be called: {failure}"));
        }
        if changed.0 == 0 && changed.1 > 0 {
            return Verdict::Unknown(format!("no run reached a changed line{}", self.obstacle()));
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

    /// Changed lines that count, and those of them that were reached.
    fn reached(&self, version: usize, lines: &[u32]) -> (u32, u32) {
        let first = |line: &u32| self.plans[version].instrumented.marks.first_line(*line);
        let counted = self.ledgers[version].lines();
        let lines: BTreeSet<u32> = lines.iter().map(first).filter(|line| counted.contains(line)).collect();
        (lines.intersection(self.ledgers[version].covered()).count() as u32, lines.len() as u32)
    }

    fn may_run(&self) -> bool {
        self.runs < self.budget.0
            && self.begin.elapsed() < self.budget.1
            && self.hangs < MOST_HANGS
            && self.unsteady < MOST_UNSTEADY
    }

    /// The verdict of the first run that shows a difference.
    fn search(&mut self) -> Result<Option<Verdict>, ClientError> {
        let drawn = |shared: &Shared, seed: u64| Given { seed, classes: shared.drawn(seed), ..Given::default() };
        let mut tried = vec![Given::default()];
        if let Some(found) = self.attempt(&Given::default())? {
            return Ok(Some(found));
        }
        for seed in 1..=FIRST_DRAWS {
            if let Some(found) = self.attempt(&drawn(&self.shared, seed))? {
                return Ok(Some(found));
            }
        }
        // What covers a version: the other version is run under the same.
        for version in 0..2 {
            if !self.may_run() {
                break;
            }
            let settings = Settings {
                runs: (self.budget.0 / 2).max(2),
                time: self.budget.1.saturating_sub(self.begin.elapsed()) / 3,
                ..self.settings[version].clone()
            };
            let explored = explore(self.zygote, &mut self.plans[version], &settings, &mut self.input)?;
            for entry in explored.into_entries() {
                let given = self.carried(version, &entry.trial);
                self.ledgers[version].add(entry);
                if tried.contains(&given) {
                    continue;
                }
                tried.push(given.clone());
                if let Some(found) = self.attempt(&given)? {
                    return Ok(Some(found));
                }
                // Again with values that differ from each other.
                let distinct = Given { seed: 101 + tried.len() as u64 * 2, ..given };
                if let Some(found) = self.attempt(&distinct)? {
                    return Ok(Some(found));
                }
            }
        }
        let mut seed = FIRST_DRAWS;
        while self.may_run() {
            seed += 1;
            if let Some(found) = self.attempt(&drawn(&self.shared, seed))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A trial of one version in terms of both.
    fn carried(&self, version: usize, trial: &Trial) -> Given {
        let none = BTreeMap::new();
        let aliases = self.settings[version].drawing.as_ref().map_or(&none, |drawing| &drawing.aliases);
        let values = trial.values.iter().filter_map(|(&site, value)| {
            let site = self.plans[version].sites.get(site as usize)?;
            Some((shared_key(site, aliases), (value.assigned.class, value.literal.clone())))
        });
        Given { seed: 0, classes: values.collect(), choices: trial.choices.clone() }
    }

    /// Runs a version; the number of its entry.
    fn run(&mut self, version: usize, given: &Given) -> Result<usize, ClientError> {
        let mut settings = self.settings[version].clone();
        if let Some(drawing) = &mut settings.drawing {
            drawing.seed = given.seed;
            drawing.classes.extend(given.classes.clone());
        }
        let trial = Trial { choices: given.choices.clone(), ..Trial::default() };
        let left = self.budget.1.saturating_sub(self.begin.elapsed()).max(Duration::from_millis(50));
        let timeout = settings.timeout.min(left);
        let run = execute::once(self.zygote, &self.plans[version], &settings, &mut self.input, &trial, timeout)?;
        self.ledgers[version].add(run);
        Ok(self.ledgers[version].entries().len() - 1)
    }

    /// Runs both versions; a difference counts if repeating the runs shows it again.
    fn attempt(&mut self, given: &Given) -> Result<Option<Verdict>, ClientError> {
        if !self.may_run() {
            return Ok(None);
        }
        self.runs += 1;
        let numbers = self.run_both(given)?;
        let [old, new] = self.entries(numbers);
        let failure = old.internal.as_ref().or(new.internal.as_ref()).cloned();
        let (whole, alike) = (is_whole(old) && is_whole(new), same(old, new));
        let weak = !alike && given.seed / 2 % 4 > 1 && is_weak(old, new);
        self.failure = failure.or(self.failure.take());
        if !whole {
            // One that ends and one that does not may differ in speed alone.
            self.hangs += 1;
            return Ok(None);
        }
        if alike || weak {
            return Ok(None);
        }
        let again = self.run_both(given)?;
        if [0, 1].into_iter().any(|version| !same(self.entries(numbers)[version], self.entries(again)[version])) {
            self.unsteady += 1;
            return Ok(None);
        }
        let [old, new] = self.smaller(given, numbers)?;
        Ok(difference(old, new).map(|witness| Verdict::Different(Box::new(witness))))
    }

    /// Runs both versions under the same values; the numbers of their entries.
    fn run_both(&mut self, given: &Given) -> Result<[usize; 2], ClientError> {
        Ok([self.run(0, given)?, self.run(1, given)?])
    }

    fn entries(&self, numbers: [usize; 2]) -> [&Entry; 2] {
        [0, 1].map(|version| &self.ledgers[version].entries()[numbers[version]])
    }

    /// Runs that differ as these do, with fewer changed values.
    fn smaller(&mut self, given: &Given, mut numbers: [usize; 2]) -> Result<[&Entry; 2], ClientError> {
        if given.seed != 0 {
            return Ok(self.entries(numbers));
        }
        let mut best = given.clone();
        let without_class = given.classes.keys().map(|key| (Some(key), None));
        let without_choice = given.choices.keys().map(|key| (None, Some(key)));
        for (class, choice) in without_class.chain(without_choice) {
            let mut fewer = best.clone();
            class.map(|key| fewer.classes.remove(key));
            choice.map(|key| fewer.choices.remove(key));
            let fewer_numbers = self.run_both(&fewer)?;
            let [old, new] = self.entries(fewer_numbers);
            if is_whole(old) && is_whole(new) && !same(old, new) {
                (best, numbers) = (fewer, fewer_numbers);
            }
        }
        Ok(self.entries(numbers))
    }
}

/// A difference in how values of unusual types are refused says more about the values than about the change.
fn is_weak(old: &Entry, new: &Entry) -> bool {
    let refused = |text: Option<String>| matches!(text.as_deref(), Some("raise TypeError" | "raise AttributeError"));
    difference(old, new).is_some_and(|witness| refused(witness.old) || refused(witness.new))
}
