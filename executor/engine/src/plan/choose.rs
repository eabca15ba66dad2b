//! The class that a site takes: the likeliest whose values satisfy what the code does with them.

use surmise_instrument::paths::{Question, Requirement};
use surmise_instrument::{Kind, Role, Site, Types};
use surmise_value_model::classes::Concretization;
use surmise_value_model::{Class, CoarseClass, Prediction};

use super::expected::Demand;
use crate::protocol::Assigned;

/// Where a ranking comes from.
#[derive(Clone, Copy)]
pub(super) enum Trust {
    /// From recorded runs of the site: it takes them, whatever the syntax says.
    Observed,
    /// From a predictor. A concrete value that is less likely than `least` gives way to an object that accepts any
    /// operation: a wrong one ends a run sooner.
    Predicted { least: f32 },
}

/// Chooses for one site; `None` where nothing was predicted.
///
/// `demands` are what conditions ask of the value: of those that keep the code from raising, all are met if any class
/// can; the others weigh how likely a class is.
pub(super) fn choose(
    ranked: &[Prediction],
    site: &Site,
    demands: &[Demand<'_>],
    trust: Trust,
    (values, draw): (Concretization, u64),
) -> Option<Assigned> {
    if site.annotation && !ranked.is_empty() {
        // What annotations name is a class, and nothing is done with it.
        return Some(object(ranked));
    }
    let concrete = |prediction: &Prediction| values.concretize(prediction.class, draw);
    let fits = |prediction: &Prediction| match trust {
        Trust::Observed => true,
        Trust::Predicted { .. } => satisfies(concrete(prediction), site),
    };
    let least = match trust {
        Trust::Observed => 0.0,
        Trust::Predicted { least } => least,
    };
    let sure = || demands.iter().filter(|demand| demand.is_sure());
    let passes = |class: Class| sure().all(|demand| is_met(demand.requirement, class));
    let weighted = weighted(ranked, demands, concrete);
    let fitting = weighted.iter().find(|weighed| fits(weighed.prediction) && passes(concrete(weighed.prediction)));
    let fitting = fitting.or_else(|| weighted.iter().find(|weighed| fits(weighed.prediction)));
    if fitting.is_some_and(|fitting| fitting.weight < least) && passes(Class::Object) {
        return Some(object(ranked));
    }
    let fitting = fitting.map(|weighed| (weighed.rank, weighed.prediction));
    if let Some((rank, prediction)) = fitting {
        return Some(Assigned { class: concrete(prediction), probability: prediction.probability, rank });
    }
    // Nothing ranked can be used like this, but an object can.
    let last = u16::try_from(ranked.len()).unwrap_or(u16::MAX).saturating_add(1);
    (!ranked.is_empty()).then_some(Assigned { class: Class::Object, probability: 0.0, rank: last })
}

/// A class with its place in the ranking, and how likely it is in view of what conditions ask.
struct Weighed<'r> {
    rank: u16,
    prediction: &'r Prediction,
    weight: f32,
}

/// The classes by how likely they are: a class that leads where few real runs go is less so.
fn weighted<'r>(
    ranked: &'r [Prediction],
    demands: &[Demand<'_>],
    concrete: impl Fn(&Prediction) -> Class,
) -> Vec<Weighed<'r>> {
    let share = |demand: &Demand<'_>, class| {
        if is_met(demand.requirement, class) { demand.probability } else { 1.0 - demand.probability }
    };
    let weigh = |(rank, prediction): (u16, &'r Prediction)| {
        let likely = demands.iter().filter(|demand| !demand.is_sure());
        let factor: f32 = likely.map(|demand| share(demand, concrete(prediction))).product();
        Weighed { rank, prediction, weight: prediction.probability * factor }
    };
    let mut weighted: Vec<Weighed<'r>> = (1u16..).zip(ranked).map(weigh).collect();
    let total: f32 = weighted.iter().map(|weighed| weighed.weight).sum();
    if total > 0.0 {
        for weighed in &mut weighted {
            weighed.weight /= total;
        }
    }
    weighted.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    weighted
}

/// An object that accepts any operation, with its place in the ranking.
fn object(ranked: &[Prediction]) -> Assigned {
    let place = ranked.iter().position(|prediction| prediction.class == Class::Object);
    let probability = place.map_or(0.0, |place| ranked[place].probability);
    let rank = u16::try_from(place.unwrap_or(ranked.len())).unwrap_or(u16::MAX).saturating_add(1);
    Assigned { class: Class::Object, probability, rank }
}

/// True if a value of the class may meet a requirement. Objects that accept any operation answer as is required.
fn is_met(requirement: &Requirement, class: Class) -> bool {
    let stand_in = matches!(class, Class::Object | Class::Callable | Class::Resource);
    match requirement.question {
        Question::Truth => stand_in || is_falsy(class) != requirement.answer,
        Question::Nothing => (class == Class::None) == requirement.answer,
        Question::Instance(name) => is_of_type(class, name) == requirement.answer,
        Question::OtherInstance => stand_in || !requirement.answer,
        Question::Comparison | Question::Membership | Question::Identity | Question::Element => true,
    }
}

/// True for classes whose values are false.
#[must_use]
pub fn is_falsy(class: Class) -> bool {
    use Class::{EmptyDict, EmptyList, EmptySet, EmptyStr, EmptyTuple, False, None, ZeroFloat, ZeroInt};
    [None, False, ZeroInt, ZeroFloat, EmptyStr, EmptyList, EmptyTuple, EmptySet, EmptyDict].contains(&class)
}

/// True for classes whose values are instances of the builtin type of this name.
fn is_of_type(class: Class, name: &str) -> bool {
    let coarse = class.coarse();
    match name {
        "str" => coarse == CoarseClass::Str,
        "int" => matches!(coarse, CoarseClass::Int | CoarseClass::Bool),
        "float" => coarse == CoarseClass::Float,
        "bool" => coarse == CoarseClass::Bool,
        "list" => coarse == CoarseClass::List,
        "tuple" => coarse == CoarseClass::Tuple,
        "dict" => coarse == CoarseClass::Dict,
        "set" => coarse == CoarseClass::Set,
        "callable" => coarse == CoarseClass::Callable,
        _ => false,
    }
}

/// True if a value of the class satisfies the constraints of its site and of all downstream uses, as far as the syntax
/// shows them.
#[must_use]
pub fn satisfies(class: Class, site: &Site) -> bool {
    supports(class, site.role, site.kind) && site.downstream.iter().all(|role| supports(class, role, Kind::Variable))
}

/// As [`satisfies`], where the syntax leaves open what the types are: arithmetic and comparisons with something unknown
/// may be those of texts and containers, and an index a number.
#[must_use]
pub fn may_satisfy(class: Class, site: &Site) -> bool {
    may_support(class, site.role, site.kind)
        && site.downstream.iter().all(|role| may_support(class, role, Kind::Variable))
}

/// As [`supports`], where the syntax leaves open what the types are.
fn may_support(class: Class, role: Role, kind: Kind) -> bool {
    match role {
        Role::Operand => true,
        Role::Part => !number(class),
        Role::Subscripted => matches!(class, Class::List | Class::Tuple | Class::Str | Class::Dict),
        _ => supports(class, role, kind),
    }
}

/// True unless no value at all of the class can be used in one of these ways: for values that somebody knows, whose
/// elements may be just right.
#[must_use]
pub fn accepts(class: Class, roles: impl IntoIterator<Item = (Role, Kind)>) -> bool {
    let is_container = !number(class) && class != Class::None;
    let is_set = matches!(class, Class::Set | Class::EmptySet);
    let is_text = matches!(class, Class::Str | Class::EmptyStr);
    roles.into_iter().all(|(role, kind)| match role {
        Role::Searched | Role::Iterated | Role::IteratedInParts | Role::Unpacked(_) => is_container,
        Role::IteratedDeep => is_container && class != Class::Str,
        Role::Subscripted | Role::Indexed(_) | Role::Sliced => is_container && !is_set,
        Role::Keyed => class == Class::EmptyDict || may_support(class, role, kind),
        Role::Bits => (is_container && !is_text) || may_support(class, role, kind),
        _ => may_support(class, role, kind),
    })
}

/// True unless the code does with the value of a site what no value of the class allows.
#[must_use]
pub fn may_have(site: &Site, class: Class) -> bool {
    let elsewhere = site.downstream.iter().map(|role| (role, Kind::Variable));
    accepts(class, std::iter::once((site.role, site.kind)).chain(elsewhere))
}

/// True if a value of the class survives what the code does with it at the site.
fn supports(class: Class, role: Role, kind: Kind) -> bool {
    use Class::{
        Callable, Dict, EmptyDict, EmptyList, EmptySet, EmptyStr, EmptyTuple, List, None, Object, Resource, Set, Str,
        Tuple,
    };
    let stand_in = matches!(class, Object | Callable | Resource);
    let container = stand_in || matches!(class, EmptyList | EmptyTuple | EmptySet | EmptyDict);
    match role {
        Role::Plain | Role::Statement => true,
        Role::Callee => matches!(class, Object | Callable),
        Role::Base(types) => class != None && types_of(class).is_none_or(|own| types.contains(own)),
        Role::Operand | Role::Number => stand_in || number(class),
        Role::Bits => stand_in || types_of(class) == Some(Types::INT),
        Role::Text => stand_in || matches!(class, Str | EmptyStr),
        Role::Subscripted | Role::Keyed => stand_in || class == Dict,
        Role::Indexed(0) => stand_in || matches!(class, List | Tuple | Dict | Str),
        Role::Indexed(_) => stand_in || matches!(class, List | Tuple | Dict),
        Role::Sliced => stand_in || matches!(class, List | EmptyList | Tuple | EmptyTuple | Str | EmptyStr),
        Role::Iterated => container || matches!(class, List | Tuple | Set | Dict | Str | EmptyStr),
        Role::IteratedInParts => container || matches!(class, List | Tuple | Set),
        Role::IteratedDeep => container || matches!(class, List | Tuple | Set | EmptyStr),
        Role::Searched => container || matches!(class, List | Tuple | Set | Dict),
        Role::Mapping => stand_in || matches!(class, Dict | EmptyDict),
        Role::Unpacked(_) => stand_in || matches!(class, List | Tuple),
        Role::Awaited => stand_in || kind == Kind::ReturnValue,
        Role::Selected
        | Role::Part
        | Role::Asynchronous
        | Role::Context
        | Role::Raised
        | Role::Caught
        | Role::ClassBase
        | Role::Decorator => stand_in,
    }
}

fn number(class: Class) -> bool {
    types_of(class).is_some_and(|types| types == Types::INT || types == Types::FLOAT)
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
    use surmise_instrument::{Options, SourceModel, instrument};

    use super::*;

    #[test]
    fn known_values_are_refused_only_where_none_of_their_class_fits() {
        let accepted = |class, role| accepts(class, [(Role::Plain, Kind::Variable), (role, Kind::Variable)]);
        for (class, role) in [
            (Class::List, Role::Subscripted),
            (Class::Str, Role::Searched),
            (Class::Dict, Role::IteratedInParts),
            (Class::Str, Role::Unpacked(2)),
            (Class::EmptyDict, Role::Keyed),
            (Class::Set, Role::Bits),
            (Class::Str, Role::Operand),
        ] {
            assert!(accepted(class, role), "{class:?} {role:?}");
        }
        for (class, role) in [
            (Class::PositiveInt, Role::Iterated),
            (Class::None, Role::Subscripted),
            (Class::Set, Role::Indexed(0)),
            (Class::List, Role::Keyed),
            (Class::Str, Role::Number),
            (Class::Str, Role::Callee),
            (Class::Dict, Role::Context),
        ] {
            assert!(!accepted(class, role), "{class:?} {role:?}");
        }
    }

    #[test]
    fn the_likeliest_fitting_class_is_taken() {
        let ranked = [Class::None, Class::Str, Class::Callable].map(|class| Prediction { class, probability: 0.3 });
        let mut site =
            instrument(&SourceModel::parse("missing").expect("it parses"), Options::new((3, 11))).sites.remove(0);
        let mut choice = |ranked: &[Prediction], role| {
            site.role = role;
            choose(ranked, &site, &[], Trust::Predicted { least: 0.0 }, (Concretization::Fine, 0))
                .map(|chosen| (chosen.class, chosen.rank))
        };
        let mut chosen = |role| choice(&ranked, role);
        assert_eq!(chosen(Role::Plain), Some((Class::None, 1)));
        assert_eq!(chosen(Role::Iterated), Some((Class::Str, 2)));
        assert_eq!(chosen(Role::Callee), Some((Class::Callable, 3)));
        assert_eq!(choice(&ranked[..1], Role::Context), Some((Class::Object, 2)));
        assert_eq!(choice(&[], Role::Plain), None);
    }

    #[test]
    fn what_was_observed_is_taken_although_the_syntax_makes_others_likelier() {
        let model = SourceModel::parse("print(text * 3)").expect("it parses");
        let sites = instrument(&model, Options::new((3, 11))).sites;
        let site = sites.iter().find(|site| site.name == "text").expect("`text` is missing");
        let ranked = [Class::Str, Class::PositiveInt].map(|class| Prediction { class, probability: 0.5 });
        let chosen = |trust| choose(&ranked, site, &[], trust, (Concretization::Fine, 0)).map(|chosen| chosen.class);
        assert_eq!(chosen(Trust::Predicted { least: 0.0 }), Some(Class::PositiveInt));
        assert_eq!(chosen(Trust::Observed), Some(Class::Str));
    }

    #[test]
    fn a_value_must_satisfy_downstream_uses() {
        let source = "rows = fetch()\nfor row in rows: pass\n";
        let model = SourceModel::parse(source).expect("it parses");
        let site = &instrument(&model, Options::new((3, 11))).sites;
        let call = site.iter().find(|site| site.kind == Kind::ReturnValue).expect("`fetch()` is a site");
        let ranked = [Class::None, Class::List].map(|class| Prediction { class, probability: 0.5 });
        let chosen = choose(&ranked, call, &[], Trust::Predicted { least: 0.0 }, (Concretization::Fine, 0))
            .map(|chosen| chosen.class);
        assert_eq!(chosen, Some(Class::List), "a loop goes over what was assigned");
    }

    #[test]
    fn what_passes_the_guards_is_taken_and_what_is_unsure_is_an_object() {
        let source = "if not isinstance(x, str):\n    raise TypeError(x)\nassert y\n";
        let model = SourceModel::parse(source).expect("it parses");
        let paths = surmise_instrument::paths::Paths::of(&model);
        let sites = instrument(&model, Options::new((3, 11))).sites;
        let site = sites.into_iter().find(|site| site.name == "x").expect("`x` is missing");
        let ranked = [(Class::None, 0.8), (Class::Str, 0.2)];
        let ranked = ranked.map(|(class, probability)| Prediction { class, probability });
        let chosen = |demands: &[Demand<'_>], least: f32| {
            choose(&ranked, &site, demands, Trust::Predicted { least }, (Concretization::Fine, 0))
                .map(|chosen| chosen.class)
        };
        let guards: Vec<&Requirement> =
            paths.outcomes.iter().filter(|outcome| outcome.is_guard).flat_map(|outcome| &outcome.requires).collect();
        let [of_x, of_y] = guards[..] else { panic!("two guards: {guards:?}") };
        let sure = |requirement| Demand { requirement, probability: 1.0 };
        assert_eq!(of_x.question, Question::Instance("str"));
        assert_eq!(chosen(&[sure(of_x)], 0.1), Some(Class::Str), "whatever else is likelier");
        assert_eq!((of_y.question, of_y.answer), (Question::Truth, true));
        assert_eq!(chosen(&[sure(of_y)], 0.0), Some(Class::Str));
        assert_eq!(chosen(&[sure(of_y)], 0.7), Some(Class::Object));
        assert_eq!(chosen(&[], 0.7), Some(Class::None));
        let likely = |probability| Demand { requirement: of_y, probability };
        assert_eq!(chosen(&[likely(0.6)], 0.0), Some(Class::None), "0.8 · 0.4 against 0.2 · 0.6");
        assert_eq!(chosen(&[likely(0.9)], 0.0), Some(Class::Str), "0.8 · 0.1 against 0.2 · 0.9");
    }
}
