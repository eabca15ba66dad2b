//! Errors that nothing explains but the page: no state, no file, no setting and no version that its readers may have.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use surmise_engine::protocol::Raised;

use crate::program::Program;
use crate::sources::{Packages, Sources};

/// A call that does not fit what is called.
static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"got an unexpected keyword argument|got some positional-only|missing \d+ required|takes (?:no|\d+|from \d+ to|at (?:most|least)|exactly)\b|got multiple values for|expected (?:at (?:most|least) )?\d+ arguments?, got")
        .expect("it compiles")
});
/// Builtin types other than those of `None`, `True` and `False`, by which code says that something is missing.
const BUILTIN: [&str; 22] = [
    "str",
    "bytes",
    "bytearray",
    "int",
    "float",
    "complex",
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "range",
    "slice",
    "generator",
    "coroutine",
    "builtin_function_or_method",
    "dict_keys",
    "dict_values",
    "dict_items",
    "map",
    "filter",
    "zip",
];
/// How modules come to have names that their text does not bind.
const DYNAMIC: [&str; 5] = ["__getattr__", "ModuleType", "sys.modules", "globals()", "vars()"];

/// True for an error that has its cause in what the page shows.
pub(crate) fn is_robust(error: &Raised, sources: &Sources, program: &Program<'_>, folders: &[PathBuf]) -> bool {
    // What a package checks itself, it checks in its own state.
    if error.in_package {
        return false;
    }
    let parts: Vec<&str> = error.message.split('\'').collect();
    let of_page = |name: &str| program.sections_defining(name).is_empty();
    match (error.kind.as_str(), parts.as_slice()) {
        ("ImportError", ["cannot import name ", name, " from ", module, ..])
        | ("AttributeError", ["module ", module, " has no attribute ", name, ..]) => is_absent(module, name, folders),
        ("AttributeError", ["type object ", class, " has no attribute ", name, ..]) if of_page(class) => {
            sources.packages == Packages::None || !is_mentioned(name, &program.packages(), folders)
        }
        ("AttributeError", ["", "function" | "method", " object has no attribute ", ..]) => {
            let line = &program.line(error.line).text;
            !program.called_by_others().iter().any(|name| has_word(line, name))
        }
        ("AttributeError", ["", class, " object has no attribute ", ..]) if BUILTIN.contains(class) => true,
        // Names that are missing are made up, but for those that are misspelt.
        ("NameError", _) => true,
        ("TypeError", _) if SIGNATURE.is_match(&error.message) => {
            let called = error.message.split_once("()").map_or("", |(called, _)| called);
            let function = called.rsplit('.').next().unwrap_or_default();
            !program.called_by_others().contains(function)
        }
        // Values of a package change, their types hardly do.
        ("TypeError", _) => sources.packages != Packages::Called,
        ("RecursionError", _) => false,
        _ => sources.packages == Packages::None,
    }
}

/// True for a name that a module does not have, whatever else is installed or has been imported.
fn is_absent(module: &str, name: &str, folders: &[PathBuf]) -> bool {
    let path = PathBuf::from(module.replace('.', "/"));
    let top =
        path.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    let has_top = |folder: &&PathBuf| folder.join(&top).is_dir() || folder.join(format!("{top}.py")).is_file();
    let Some(folder) = folders.iter().find(has_top) else {
        // It is of the standard library, or compiled.
        return true;
    };
    let files = [folder.join(&path).join("__init__.py"), folder.join(&path).with_extension("py")];
    if let Some(text) = files.iter().find_map(|file| std::fs::read(file).ok()) {
        let text = String::from_utf8_lossy(&text);
        return !has_word(&text, name) && !DYNAMIC.iter().any(|dynamic| text.contains(dynamic));
    }
    is_compiled(&folder.join(&path))
}

/// True for the path of a module, without its ending, that a compiler has made.
fn is_compiled(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let begin = format!("{}.", name.to_string_lossy());
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let file = PathBuf::from(entry.file_name());
        let is_library = file.extension().is_some_and(|ending| ending == "so");
        is_library && file.to_string_lossy().starts_with(&begin)
    })
}

/// True if a source of one of some packages has a word.
fn is_mentioned(word: &str, packages: &[String], folders: &[PathBuf]) -> bool {
    let has = |path: &Path| {
        let is_source = path.extension().is_some_and(|ending| ending == "py" || ending == "pyi");
        is_source && std::fs::read(path).is_ok_and(|text| has_word(&String::from_utf8_lossy(&text), word))
    };
    packages.iter().flat_map(|package| folders.iter().map(move |folder| folder.join(package))).any(|path| {
        let files = walkdir::WalkDir::new(&path).into_iter().flatten();
        has(&path.with_extension("py")) || files.into_iter().any(|entry| has(entry.path()))
    })
}

/// True if a text has a name as a word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_parts_of_others() {
        assert!(has_word("a = sudo\n", "sudo") && has_word("sudo", "sudo"));
        assert!(!has_word("pseudosudo sudo_x", "sudo"));
    }
}
