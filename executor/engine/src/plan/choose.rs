//! The class that a site takes: the likeliest whose values satisfy what the code does with them.

use surmise_instrument::{Kind, Role, Site, Types};
use surmise_value_model::classes::Concretization;
use surmise_value_model::{Class, CoarseClass, Prediction};

use crate::protocol::Assigned;

/// Chooses for one site; `None` where nothing was predicted.
pub(super) fn choose(ranked: &[Prediction], site: &Site, values: Concretization, draw: u64) -> Option<Assigned> {
    if site.annotation && !ranked.is_empty() {
        // What annotations name is a class, and nothing is done with it.
        let place = ranked.iter().position(|prediction| prediction.class == Class::Object);
        let probability = place.map_or(0.0, |place| ranked[place].probability);
        let rank = u16::try_from(place.unwrap_or(ranked.len())).unwrap_or(u16::MAX).saturating_add(1);
        return Some(Assigned { class: Class::Object, probability, rank });
    }
    let concrete = |prediction: &Prediction| values.concretize(prediction.class, draw);
    let fitting = (1u16..).zip(ranked).find(|(_, prediction)| satisfies(concrete(prediction), site));
    if let Some((rank, prediction)) = fitting {
        return Some(Assigned { class: concrete(prediction), probability: prediction.probability, rank });
    }
    // Nothing ranked can be used like this, but an object can.
    let last = u16::try_from(ranked.len()).unwrap_or(u16::MAX).saturating_add(1);
    (!ranked.is_empty()).then_some(Assigned { class: Class::Object, probability: 0.0, rank: last })
}

/// True if a value of the class satisfies the constraints of its site and of all downstream uses, as far as the syntax
/// shows them.
#[must_use]
pub fn satisfies(class: Class, site: &Site) -> bool {
    supports(class, site.role, site.kind) && site.downstream.iter().all(|role| supports(class, role, Kind::Variable))
}

/// The same, where the syntax leaves open what the types are: arithmetic and comparisons with something unknown may be
/// those of texts and containers, and an index a number.
#[must_use]
pub fn may_satisfy(class: Class, site: &Site) -> bool {
    let fits = |role: Role, kind: Kind| match role {
        Role::Operand => true,
        Role::Part => !number(class),
        Role::Subscripted => matches!(class, Class::List | Class::Tuple | Class::Str | Class::Dict),
        _ => supports(class, role, kind),
    };
    fits(site.role, site.kind) && site.downstream.iter().all(|role| fits(role, Kind::Variable))
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
    fn the_likeliest_fitting_class_is_taken() {
        let ranked = [Class::None, Class::Str, Class::Callable].map(|class| Prediction { class, probability: 0.3 });
        let mut site =
            instrument(&SourceModel::parse("missing").expect("it parses"), Options { python: (3, 11) }).sites.remove(0);
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
    fn a_value_must_satisfy_downstream_uses() {
        let source = "rows = fetch()\nfor row in rows: pass\n";
        let model = SourceModel::parse(source).expect("it parses");
        let site = &instrument(&model, Options { python: (3, 11) }).sites;
        let call = site.iter().find(|site| site.kind == Kind::ReturnValue).expect("`fetch()` is a site");
        let ranked = [Class::None, Class::List].map(|class| Prediction { class, probability: 0.5 });
        let chosen = choose(&ranked, call, Concretization::Fine, 0).map(|chosen| chosen.class);
        assert_eq!(chosen, Some(Class::List), "a loop goes over what was assigned");
    }
}
