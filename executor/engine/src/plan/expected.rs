//! How the conditions of a program are expected to come out: so that code goes on, and as a model finds likely.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use surmise_instrument::evidence;
use surmise_instrument::paths::{Hint, Outcome, Question, Requirement, Wish};
use surmise_instrument::{Kind, Role, Site};
use surmise_value_model::{Class, Conditions, Literals, Recorded, RecordedValue, Sample};

use super::inputs::is_input;
use super::{Plan, PredictorChoice, Settings, Value};
use crate::protocol::{Assigned, ExpectedAnswer, Literal};

/// How likely an outcome has to be: of 0.5, 0.6, 0.65, 0.7, 0.8 and 1 the one with which single runs of functions of the
/// `dev` projects are real ones most often.
const LIKELY: f32 = 0.7;
/// Probability of what a recorded condition first came to: loops end, so that it cannot always come out so.
const SEEN: f32 = 0.99;
/// Injected containers and strings are no longer, in elements or characters.
const LONGEST: u32 = 1000;

/// An outcome with its probability.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) outcome: Outcome,
    /// 1 where the other outcome only raises.
    pub(super) probability: f32,
}

/// A requirement with the probability of the outcome that it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand<'p> {
    pub(super) requirement: &'p Requirement,
    pub(super) probability: f32,
}

impl Demand<'_> {
    /// True where real values hardly ever do otherwise.
    pub(super) fn is_sure(&self) -> bool {
        self.probability >= 1.0
    }
}

/// What conditions and formats say of values, by the text of the expressions that read them.
#[derive(Default)]
pub(super) struct Asked<'p> {
    demands: FxHashMap<&'p str, Vec<Demand<'p>>>,
    /// By the byte range of what a variable is assigned that has no other value: what is demanded of the variable.
    of_assigned: FxHashMap<(u32, u32), Vec<Demand<'p>>>,
    formats: FxHashMap<&'p str, Vec<&'p Hint>>,
    /// By all bytes that the texts may come from.
    origins: Vec<(Range<u32>, &'p Hint)>,
    /// Of what the code asks whether it is an instance of a builtin type.
    checked: FxHashSet<&'p str>,
}

impl<'p> Asked<'p> {
    /// True for a value of which the code asks whether it is an instance of a builtin type.
    pub(super) fn is_checked(&self, text: &str) -> bool {
        self.checked.contains(text)
    }

    /// A text that the code can take apart as it does with what this call of `input()` reads.
    fn form_of_input(&self, site: &Site) -> Option<String> {
        let is_source = |range: &Range<u32>| range.start <= site.start && site.end <= range.end;
        let mut read = self.origins.iter().filter(|(range, _)| is_input(site) && is_source(range));
        read.find_map(|(_, hint)| match &hint.wish {
            Wish::Text(text) if text.parse::<f64>().is_err() => Some(text.clone()),
            _ => None,
        })
    }

    /// The demands on expressions of this text.
    pub(super) fn demands(&self, text: &str) -> &[Demand<'p>] {
        self.demands.get(text).map_or(&[], Vec::as_slice)
    }

    /// The demands on the variable that gets its value at a site.
    pub(super) fn demands_on_variable(&self, site: &Site) -> &[Demand<'p>] {
        let is_value = site.kind != Kind::Variable;
        let found = self.of_assigned.get(&(site.start, site.end)).filter(|_| is_value);
        found.map_or(&[], Vec::as_slice)
    }
}

impl Plan {
    /// What conditions and formats say of the values of all expressions.
    pub(super) fn asked(&self, settings: &Settings) -> Asked<'_> {
        let text = |range: &Range<u32>| self.text.get(range.start as usize..range.end as usize);
        let mut asked = Asked::default();
        for demand in self.demands(settings) {
            if let Some(text) = text(&demand.requirement.subject) {
                asked.demands.entry(text).or_default().push(demand);
            }
            if let Some(value) = self.only_value(&demand.requirement.subject) {
                asked.of_assigned.entry((value.start, value.end)).or_default().push(demand);
            }
        }
        for hint in &self.paths().formats {
            if let Some(text) = text(&hint.subject) {
                asked.formats.entry(text).or_default().push(hint);
            }
        }
        asked.origins = self.formats_from();
        let checks = self.paths().hints.iter().filter(|hint| matches!(hint.wish, Wish::Instance(_)));
        asked.checked.extend(checks.filter_map(|hint| text(&hint.subject)));
        asked
    }

    /// What a variable is assigned that gets its value nowhere else.
    fn only_value(&self, read: &Range<u32>) -> Option<Range<u32>> {
        let name = self.text.get(read.start as usize..read.end as usize)?;
        let paths = self.paths();
        let mut sources = paths.origins.near(read.clone()).into_iter().filter(|(distance, _)| *distance == 1);
        let (Some((_, value)), None) = (sources.next(), sources.next()) else { return None };
        let statement = paths.statement(self.model.lines().line(value.start))?;
        let target = self.text.get(statement.start as usize..value.start as usize)?;
        let is_assigned = target.trim_end().strip_suffix('=').is_some_and(|target| target.trim_end() == name);
        (is_assigned && value.end == statement.end).then_some(value)
    }

    /// The outcomes that are expected, one for each condition at most.
    pub(super) fn expected(&self, settings: &Settings) -> &[Expected] {
        self.expected.get_or_init(|| {
            let mut found: Vec<Expected> = Vec::new();
            let probabilities = self.probabilities(settings);
            for outcome in &self.paths().outcomes {
                let probability = if outcome.is_guard {
                    1.0
                } else {
                    let Some(holds) = probabilities.get(&outcome.decides.start) else { continue };
                    if outcome.truth { *holds } else { 1.0 - holds }
                };
                if probability < LIKELY {
                    continue;
                }
                // The outcomes of one condition follow each other.
                match found.last_mut().filter(|last| last.outcome.decides == outcome.decides) {
                    Some(last) if probability <= last.probability => {}
                    Some(last) => *last = Expected { outcome: outcome.clone(), probability },
                    None => found.push(Expected { outcome: outcome.clone(), probability }),
                }
            }
            found
        })
    }

    /// How likely conditions hold, by the byte where they begin. Only the model has learned that, and a recorded call
    /// says what they first came to.
    fn probabilities(&self, settings: &Settings) -> FxHashMap<u32, f32> {
        let recorded = |recorded: &Recorded| {
            let seen = |start: u32| {
                let (line, column) = self.model.lines().position(start);
                recorded.holds(line, column).map(|holds| (start, if holds { SEEN } else { 1.0 - SEEN }))
            };
            let conditions = evidence::conditions(&self.model).into_iter();
            conditions.filter_map(|condition| seen(condition.decides.start)).collect()
        };
        match settings.predictor {
            PredictorChoice::Model | PredictorChoice::Llm => self.odds().clone(),
            PredictorChoice::Recorded => settings.recorded.as_deref().map(recorded).unwrap_or_default(),
            _ => FxHashMap::default(),
        }
    }

    /// How likely the model finds that conditions hold, and that loops have an element, by the byte where the condition
    /// begins, or what the loop goes over.
    pub fn odds(&self) -> &FxHashMap<u32, f32> {
        self.odds.get_or_init(|| {
            let model = Conditions::built_in();
            let conditions = evidence::conditions(&self.model).into_iter();
            conditions.map(|condition| (condition.decides.start, model.probability(&condition.features))).collect()
        })
    }

    /// What is demanded of values, wherever the code reads them.
    fn demands(&self, settings: &Settings) -> Vec<Demand<'_>> {
        let demands = |expected| {
            let Expected { outcome, probability }: &Expected = expected;
            outcome.requires.iter().map(|requirement| Demand { requirement, probability: *probability })
        };
        self.expected(settings).iter().flat_map(demands).collect()
    }

    /// A value of the class, as far as conditions and formats say more of it. One that conditions want to be another value,
    /// or an instance of a class, is made like an object.
    pub(super) fn with_literal(
        &self,
        site: &Site,
        assigned: Assigned,
        demands: &[Demand<'_>],
        asked: &Asked<'_>,
        observed: &[(Class, Literal)],
        settings: &Settings,
    ) -> Value {
        let is_possible = !settings.record && settings.drawing.is_none();
        let wanted = demands.iter().filter(|demand| demand.requirement.answer && is_possible);
        let named = wanted.clone().find_map(|demand| {
            let name = demand.requirement.other.as_ref()?;
            match demand.requirement.question {
                Question::Identity => Some(Literal::Named(name.to_string())),
                Question::OtherInstance => Some(Literal::Instance(name.to_string())),
                _ => None,
            }
        });
        if named.is_some() && !is_used_otherwise(site.role) {
            return Value { assigned: Assigned { class: Class::Object, ..assigned }, literal: named };
        }
        let of_call = || recorded_literal(self.recorded_value(site, settings)?, assigned.class);
        let of_runs = || Some(observed.iter().find(|(class, _)| *class == assigned.class)?.1.clone());
        if let Some(literal) = of_call().or_else(of_runs) {
            return Value { assigned, literal: Some(literal) };
        }
        if let Some(text) = asked.form_of_input(site) {
            return Value { assigned: Assigned { class: Class::Str, ..assigned }, literal: Some(Literal::Text(text)) };
        }
        let wish = wanted.clone().find_map(|demand| literal_of(assigned.class, demand.requirement.wish.as_ref()?));
        let member = wanted.clone().find_map(|demand| {
            let is_element = demand.requirement.question == Question::Element;
            let container = demand.requirement.other.as_ref().filter(|_| is_element)?;
            Some(Literal::Member(container.to_string()))
        });
        let format = || {
            let same_text = asked.formats.get(self.text_of(site)).into_iter().flatten();
            let formats = same_text.filter(|hint| self.is_in_function_of(site, &hint.subject));
            formats.filter_map(|hint| literal_of(assigned.class, &hint.wish)).last()
        };
        let usual = || {
            let is_learned = settings.predictor.is_model() && is_possible && assigned.class == Class::Str;
            if is_learned { usual_literal(&site.name) } else { None }
        };
        Value { assigned, literal: wish.or(member).or_else(format).or_else(usual) }
    }

    /// What a recorded call had at a site.
    pub(super) fn recorded_value<'s>(&self, site: &Site, settings: &'s Settings) -> Option<&'s RecordedValue> {
        settings.recorded.as_deref()?.value(&self.query(site), self.model.lines())
    }

    /// What recorded runs had at a site, with true, or under its name, with false.
    pub(super) fn sample<'s>(&self, site: &Site, settings: &'s Settings) -> Option<(&'s Sample, bool)> {
        let observed = settings.observed.as_deref()?;
        let (query, lines) = (self.query(site), self.model.lines());
        let (begin, end) = (lines.position(site.start), lines.position(site.end));
        let place = (begin.0, begin.1, end.0, end.1);
        let path = self.source.path.as_deref().and_then(|path| std::path::absolute(path).ok());
        let path = path.as_deref().and_then(Path::to_str).unwrap_or(&self.source.name);
        observed.sample(path, place, query.kind, query.name)
    }

    /// The answers that are expected of stand-ins, where a line asks for one of a kind only.
    pub(super) fn expected_answers(&self, settings: &Settings) -> Vec<ExpectedAnswer> {
        /// An answer, whether the code raises otherwise, and whether all that ask for it agree.
        type Answer = (bool, bool, bool);
        let mut answers: BTreeMap<(u32, &'static str), Answer> = BTreeMap::new();
        for demand in self.demands(settings) {
            let operation = match demand.requirement.question {
                Question::Truth => "truth",
                Question::Comparison | Question::OtherInstance => "comparison",
                Question::Membership => "membership",
                Question::Nothing | Question::Instance(_) | Question::Identity | Question::Element => continue,
            };
            let line = self.model.lines().line(demand.requirement.subject.start);
            let found = (demand.requirement.answer, demand.is_sure(), true);
            let same = answers.entry((line, operation)).or_insert(found);
            // What keeps the code from raising goes first.
            if found.1 == same.1 {
                same.2 &= found.0 == same.0;
            } else if found.1 {
                *same = found;
            }
        }
        let agreed = answers.into_iter().filter(|(_, (.., agree))| *agree);
        let expected = |((line, operation), (answer, always, _)): ((u32, &'static str), Answer)| ExpectedAnswer {
            line,
            operation: operation.into(),
            answer,
            always,
        };
        agreed.map(expected).collect()
    }
}

/// True where the syntax asks for something that few values can do.
fn is_used_otherwise(role: Role) -> bool {
    matches!(role, Role::Callee | Role::ClassBase | Role::Decorator | Role::Caught | Role::Raised)
}

/// The values that recorded runs had at a site, as far as the recording has more of them than their classes; of each class
/// the most frequent first.
pub(super) fn literals_of(sample: &Sample) -> Vec<(Class, Literal)> {
    let of_class = |class: Class| {
        let literal = move |value: &RecordedValue| Some((class, recorded_literal(value, class)?));
        sample.values(class).iter().filter_map(literal).collect::<Vec<_>>()
    };
    Class::ALL.into_iter().flat_map(of_class).collect()
}

/// The string that a name usually is.
fn usual_literal(name: &str) -> Option<Literal> {
    static BUILT_IN: LazyLock<Literals> = LazyLock::new(Literals::built_in);
    BUILT_IN.of(name).map(Literal::Text)
}

/// The value of a class that a recorded call had, as far as the recording has more of it than the class.
fn recorded_literal(value: &RecordedValue, class: Class) -> Option<Literal> {
    if value.class != class {
        return None; // the site cannot have what the call had
    }
    let length = || Some(Literal::Length(value.length?.min(LONGEST) as u16));
    match class {
        Class::Str => value.literal.clone().map(Literal::Text).or_else(length),
        Class::PositiveInt | Class::NegativeInt => Some(Literal::Integer(value.literal.as_ref()?.parse().ok()?)),
        Class::PositiveFloat | Class::NegativeFloat => Some(Literal::Real(value.literal.as_ref()?.parse().ok()?)),
        Class::List | Class::Tuple | Class::Set | Class::Dict => length(),
        _ => None,
    }
}

/// The value of a class that fulfils a wish.
fn literal_of(class: Class, wish: &Wish) -> Option<Literal> {
    match (class, wish) {
        (Class::Str, Wish::Text(text)) if !text.is_empty() => Some(Literal::Text(text.clone())),
        (Class::PositiveInt, Wish::Integer(number)) if *number > 0 => Some(Literal::Integer(*number)),
        (Class::NegativeInt, Wish::Integer(number)) if *number < 0 => Some(Literal::Integer(*number)),
        _ => None,
    }
}
