//! Errors of the state of an object that was made for a call: the code itself may fill it before it calls the method.

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
