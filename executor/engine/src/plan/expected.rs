//! How the conditions of a program are expected to come out: so that code goes on, and as a model finds likely.

use rustc_hash::FxHashMap;
use surmise_instrument::evidence;
use surmise_instrument::paths::{Outcome, Question, Requirement, Wish};
use surmise_instrument::{Role, Site};
use surmise_value_model::{Class, Conditions};

use super::{Plan, PredictorChoice, Settings, Value};
use crate::protocol::{Assigned, ExpectedAnswer, Literal};

/// How likely an outcome has to be: of 0.5, 0.6, 0.65, 0.7, 0.8 and 1 the one with which single runs of functions of the
/// `dev` projects are real ones most often.
const LIKELY: f32 = 0.7;

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

impl Plan {
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
                let Some(other) = found.iter_mut().find(|other| other.outcome.decides == outcome.decides) else {
                    found.push(Expected { outcome: outcome.clone(), probability });
                    continue;
                };
                if probability > other.probability {
                    *other = Expected { outcome: outcome.clone(), probability };
                }
            }
            found
        })
    }

    /// How likely conditions hold, by the byte where they begin. Only the model has learned that.
    fn probabilities(&self, settings: &Settings) -> FxHashMap<u32, f32> {
        if settings.predictor != PredictorChoice::Model {
            return FxHashMap::default();
        }
        let model = Conditions::built_in();
        let conditions = evidence::conditions(&self.model).into_iter();
        conditions.map(|condition| (condition.decides.start, model.probability(&condition.features))).collect()
    }

    /// What is demanded of values, wherever the code reads them.
    pub(super) fn demands(&self, settings: &Settings) -> Vec<Demand<'_>> {
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
        settings: &Settings,
    ) -> Value {
        let is_possible = !settings.record && settings.drawing.is_none();
        let wanted = demands.iter().filter(|demand| demand.requirement.answer && is_possible);
        let named = wanted.clone().find_map(|demand| {
            let other = &demand.requirement.other;
            let name = self.text.get(other.start as usize..other.end as usize).filter(|text| is_dotted(text))?;
            match demand.requirement.question {
                Question::Identity => Some(Literal::Named(name.to_owned())),
                Question::OtherInstance => Some(Literal::Instance(name.to_owned())),
                _ => None,
            }
        });
        if named.is_some() && !is_used_otherwise(site.role) {
            return Value { assigned: Assigned { class: Class::Object, ..assigned }, literal: named };
        }
        let wish = wanted.clone().find_map(|demand| literal_of(assigned.class, demand.requirement.wish.as_ref()?));
        let format = || {
            let formats = self.paths().formats.iter().filter(|hint| self.is_read_by(site, &hint.subject));
            formats.filter_map(|hint| literal_of(assigned.class, &hint.wish)).last()
        };
        Value { assigned, literal: wish.or_else(format) }
    }

    /// The answers that are expected of stand-ins, where a line asks for one of a kind only.
    pub(super) fn expected_answers(&self, settings: &Settings) -> Vec<ExpectedAnswer> {
        let mut answers: Vec<(ExpectedAnswer, bool)> = Vec::new();
        for demand in self.demands(settings) {
            let operation = match demand.requirement.question {
                Question::Truth => "truth",
                Question::Comparison | Question::OtherInstance => "comparison",
                Question::Membership => "membership",
                Question::Nothing | Question::Instance(_) | Question::Identity => continue,
            };
            let line = self.model.lines().line(demand.requirement.subject.start);
            let (answer, always) = (demand.requirement.answer, demand.is_sure());
            let found = ExpectedAnswer { line, operation: operation.into(), answer, always };
            let same = answers.iter_mut().find(|(other, _)| other.line == line && other.operation == operation);
            match same {
                None => answers.push((found, true)),
                // What keeps the code from raising goes first.
                Some((other, agree)) if always == other.always => *agree &= other.answer == answer,
                Some(other) if always => *other = (found, true),
                Some(_) => {}
            }
        }
        answers.into_iter().filter(|(_, agree)| *agree).map(|(answer, _)| answer).collect()
    }
}

/// True for `name` and `module.name`.
fn is_dotted(text: &str) -> bool {
    let is_name = |part: &str| {
        part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.starts_with(|c: char| c.is_ascii_digit())
    };
    text.split('.').all(|part| !part.is_empty() && is_name(part)) && !matches!(text, "None" | "True" | "False")
}

/// True where the syntax asks for something that few values can do.
fn is_used_otherwise(role: Role) -> bool {
    matches!(role, Role::Callee | Role::ClassBase | Role::Decorator | Role::Caught | Role::Raised)
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
