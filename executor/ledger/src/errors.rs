//! What the class of an error says of the values that it met.

use surmise_engine::protocol::Raised;

const OF_TYPES: [&str; 3] = ["TypeError", "AttributeError", "InjectedError"];
const OF_VALUES: [&str; 8] = [
    "IndexError",
    "KeyError",
    "ValueError",
    "ZeroDivisionError",
    "StopIteration",
    "RuntimeError",
    "OverflowError",
    "RecursionError",
];
const OF_NAMES: [&str; 5] = ["NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError"];

/// True for errors that say that a value is of the wrong type: `TypeError`, `AttributeError`, and the `ValueError` of a
/// format that is for another type.
#[must_use]
pub fn is_of_types(error: &Raised) -> bool {
    // The `csv` module has an exception of its own for rows that are no texts.
    let messages = ["Unknown format code", "Invalid format specifier", "iterator should return strings"];
    OF_TYPES.contains(&error.kind.as_str()) || messages.iter().any(|start| error.message.starts_with(start))
}

/// The type that an error says to be the wrong one: `'int' object is not iterable`.
#[must_use]
pub fn blamed_type(error: &Raised) -> Option<&str> {
    let message = error.message.as_str();
    if !is_of_types(error) {
        return None;
    }
    if let Some(rest) = message.strip_prefix("cannot unpack non-iterable ") {
        return rest.split(' ').next();
    }
    if let Some(rest) = message.strip_prefix("can't concat ") {
        return rest.split(' ').next();
    }
    if let Some(rest) = message.strip_prefix("argument of type '") {
        return rest.split('\'').next();
    }
    match message.strip_prefix('\'') {
        Some(rest) => rest.split_once("' object").map(|(blamed, _)| blamed),
        None => message.split_once("() takes ")?.0.split_once('.').map(|(blamed, _)| blamed),
    }
}

/// True for errors of values that have more or fewer parts than are taken out of them.
#[must_use]
pub fn is_of_unpacking(error: &Raised) -> bool {
    error.kind == "ValueError" && error.message.contains("to unpack")
}

/// True for errors of a value whose type is right: `IndexError`, `ZeroDivisionError`.
#[must_use]
pub fn is_of_values(error: &Raised) -> bool {
    OF_VALUES.contains(&error.kind.as_str()) && !is_of_types(error)
}

/// True for errors of what a value holds, which its type says nothing of, or of a `None` in place of a value.
#[must_use]
pub fn is_of_content(error: &Raised) -> bool {
    is_of_values(error) || error.message.contains("'NoneType' object")
}

/// True for what the operating system refused: `PermissionError: [Errno 13] ...`.
#[must_use]
pub fn is_of_system(error: &Raised) -> bool {
    error.message.starts_with("[Errno ")
}

/// True for errors that are about names, not about values: `NameError`, `ImportError`.
#[must_use]
pub fn is_of_names(error: &Raised) -> bool {
    OF_NAMES.contains(&error.kind.as_str())
}

/// True for errors of a text that is no code: `SyntaxError`, `IndentationError`.
#[must_use]
pub fn is_of_syntax(error: &Raised) -> bool {
    matches!(error.kind.as_str(), "SyntaxError" | "IndentationError" | "TabError")
}
