//! Errors of the object or class that a method was called on: the code itself may fill it before it calls the method, or derive
//! from it.

use surmise_engine::protocol::Raised;
use surmise_ledger::{Entry, Facts, is_of_content};

use crate::Dependence;
use crate::comparison::failing_operation;

/// The new object that a method was called on, if what its constructor left in its attributes may have led to an error:
/// `Stack().pop()`. That an attribute is missing is no matter of its value.
pub(crate) fn new_object(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Option<Dependence> {
    let (class, _) = entry.trial.call.as_deref()?.rsplit_once('.')?;
    let paths = facts.plan.paths();
    let reads_attribute = |range| {
        let mut read = paths.origins.read_in(range);
        let is_field =
            |name: &str| paths.is_assigned(name) || name.strip_prefix('.').is_some_and(|name| paths.is_assigned(name));
        read.any(|name| name.starts_with('.') && is_field(name))
    };
    let failing = failing_operation(facts, error).filter(|_| is_of_content(error))?;
    let near = paths.origins.near(failing).into_iter();
    near.map(|(_, range)| range).any(reads_attribute).then(|| Dependence {
        name: "self".to_owned(),
        line: error.line,
        column: error.column.unwrap_or_default(),
        value: format!("a new {class}"),
    })
}

/// The class that a method was called on, where it lacks an attribute that the classes deriving from it may have, as `_meta` in
/// `Model.create()`: a metaclass may give it to these alone.
pub(crate) fn own_class(facts: Facts<'_>, entry: &Entry, error: &Raised) -> Option<Dependence> {
    let called = entry.trial.call.as_deref().or(facts.ledger.function.as_deref())?;
    let (path, _) = called.rsplit_once('.')?;
    let class = path.rsplit('.').next().unwrap_or(path);
    let is_lacking = error.message.starts_with(&format!("type object '{class}' has no attribute"));
    let failing = facts.failing(error).into_iter().next().filter(|_| is_lacking)?;
    let text = facts.plan.text.get(failing.start as usize..failing.end as usize)?;
    // Before Python 3.11 only the line is known.
    let is_of_own = |own: &str| if error.column.is_none() { text.contains(own) } else { text.starts_with(own) };
    ["cls.", "self.__class__.", "type(self)."].into_iter().any(is_of_own).then(|| Dependence {
        name: "cls".to_owned(),
        line: error.line,
        column: error.column.unwrap_or_default(),
        value: format!("{class} itself"),
    })
}
