//! What the class of an error says of the values that it met.

use surmise_engine::protocol::Raised;

/// True for errors that say that a value is of the wrong type: `TypeError`, `AttributeError`.
#[must_use]
pub fn is_of_types(error: &Raised) -> bool {
    matches!(error.kind.as_str(), "TypeError" | "AttributeError" | "InjectedError")
}

/// True for errors of a value whose type is right: `IndexError`, `ZeroDivisionError`.
#[must_use]
pub fn is_of_values(error: &Raised) -> bool {
    matches!(
        error.kind.as_str(),
        "IndexError"
            | "KeyError"
            | "ValueError"
            | "ZeroDivisionError"
            | "StopIteration"
            | "RuntimeError"
            | "OverflowError"
            | "RecursionError"
    )
}

/// True for errors that are about names, not about values: `NameError`, `ImportError`.
#[must_use]
pub fn is_of_names(error: &Raised) -> bool {
    matches!(
        error.kind.as_str(),
        "NameError" | "UnboundLocalError" | "ImportError" | "ModuleNotFoundError" | "SyntaxError"
    )
}
