//! Finds functions in a module and takes one out of it.
//!
//! Most functions cannot be run with the module around them, whose imports may be missing and whose code takes time.
//! [`in_place()`] keeps what a function needs to be defined where it stands, [`in_module()`] besides definitions of the
//! module that it uses, [`body()`] its bare statements.

mod body;
mod constants;
mod imported;
mod kept;
mod module;
#[cfg(test)]
mod tests;
mod variables;
mod variadic;

use crate::cleanup::{blocks, without_lone_returns};
use crate::semantic::{SourceModel, bytes};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::borrow::Cow;

use self::kept::Kept;

pub use imported::{Import, Imported, LateImport, imported, late_imports};
pub(crate) use module::{Defined, table};
pub use module::{Definition, DefinitionKind, definitions, imports, part};
pub use variables::{Variable, variables, variables_read};
pub use variadic::{Given, Variadic, keys_of_parameters, variadic};

/// A function of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Names of the classes and functions it stands in, and its own, joined by dots.
    pub qualname: String,
    /// First line, that of the first decorator if there is one.
    pub line: u32,
    /// Last line.
    pub last_line: u32,
    /// Whether it is a coroutine function.
    pub is_async: bool,
    /// Whether it stands right in a class.
    pub is_method: bool,
    /// What it does for the property of its name: `setter`, `deleter` or `getter`.
    pub accessor: Option<String>,
}

/// No function of the source has this name, or several have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no function `{qualname}` in the source")]
pub struct NotFound {
    /// The name that was asked for.
    pub qualname: String,
    /// Names that are spelled alike, the nearest first.
    pub nearest: Vec<String>,
}

/// How many names [`NotFound`] proposes.
const PROPOSALS: usize = 3;
/// Longer names are not compared: the distance takes time by the product of the lengths.
const MAX_COMPARED: usize = 200;

/// Lists all functions, in the order of the text.
#[must_use]
pub fn qualnames(model: &SourceModel) -> Vec<Function> {
    let function = |found: &Found| {
        let range = bytes(found.def);
        Function {
            qualname: found.qualname.clone(),
            line: model.lines().line(range.start),
            last_line: model.lines().line(range.end.max(1) - 1),
            is_async: found.def.is_async,
            is_method: found.is_method,
            accessor: accessor(found.def).map(str::to_owned),
        }
    };
    find_all(model.suite()).iter().map(function).collect()
}

/// Blanks everything but a function, the headers it stands under, the imports of the module, and the constants that the
/// function reads by a name of the module or of its class.
///
/// # Errors
/// [`NotFound`] where the source has no such function; a last part that only one function has is enough of a name.
pub fn in_place(model: &SourceModel, qualname: &str) -> Result<String, NotFound> {
    with_function(model, qualname, |model, def| {
        let mut kept = Kept::new(model);
        kept.imports(model.suite());
        kept.path(model.suite(), def);
        for range in constants::read_by(model, def) {
            kept.keep(range.to_std_range());
        }
        kept.finish()
    })
}

/// As [`in_place()`] for one of [`qualnames()`], but of the module's imports and definitions those that the function
/// uses, directly or through others. `wanted` says which definitions may be taken at all.
///
/// # Errors
/// [`NotFound`] where it is a function of another source.
pub fn in_module(model: &SourceModel, function: &Function, wanted: &dyn Fn(&str) -> bool) -> Result<String, NotFound> {
    let mut found = find_all(model.suite()).into_iter().filter(|found| found.qualname == function.qualname);
    let found = found.find(|found| model.lines().line(found.def.start().to_u32()) == function.line);
    let not_found = || NotFound { qualname: function.qualname.clone(), nearest: Vec::new() };
    Ok(module::excerpt(model, found.ok_or_else(not_found)?.def, wanted))
}

/// The bare body of a function as a script, as `LExecutor` runs it: `return` and `yield` become calls of `exit`.
///
/// # Errors
/// [`NotFound`] as for [`in_place()`].
pub fn body(model: &SourceModel, qualname: &str) -> Result<String, NotFound> {
    with_function(model, qualname, body::script)
}

/// A function on the way through the tree.
struct Found<'a> {
    qualname: String,
    def: &'a StmtFunctionDef,
    is_method: bool,
}

fn find_all(suite: &[Stmt]) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut rest: Vec<(&[Stmt], String, bool)> = vec![(suite, String::new(), false)];
    while let Some((suite, prefix, in_class)) = rest.pop() {
        for stmt in suite {
            let (name, is_class) = match stmt {
                Stmt::FunctionDef(def) => (def.name.as_str(), false),
                Stmt::ClassDef(def) => (def.name.as_str(), true),
                other => {
                    rest.extend(blocks(other).into_iter().map(|suite| (suite, prefix.clone(), in_class)));
                    continue;
                }
            };
            let qualname = format!("{prefix}{name}");
            rest.extend(blocks(stmt).into_iter().map(|suite| (suite, format!("{qualname}."), is_class)));
            if let Stmt::FunctionDef(def) = stmt {
                found.push(Found { qualname, def, is_method: in_class });
            }
        }
    }
    found.sort_by_key(|found| found.def.range().start());
    found
}

/// The function of this name; of several definitions the one that holds.
pub(crate) fn function<'a>(suite: &'a [Stmt], qualname: &str) -> Option<&'a StmtFunctionDef> {
    select(&find_all(suite), &spelled(qualname)).map(|chosen| chosen.def)
}

/// CPython's own spelling of nested functions, as ours is.
fn spelled(qualname: &str) -> String {
    qualname.replace(".<locals>.", ".")
}

fn with_function<T>(
    model: &SourceModel,
    qualname: &str,
    take: impl FnOnce(&SourceModel, &StmtFunctionDef) -> T,
) -> Result<T, NotFound> {
    let wanted = spelled(qualname);
    let mended = match without_lone_returns(model.text()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => SourceModel::parse(text).ok(),
    };
    let model = mended.as_ref().unwrap_or(model);
    let found = find_all(model.suite());
    let not_found = || NotFound { qualname: qualname.to_owned(), nearest: nearest(&found, &wanted) };
    select(&found, &wanted).map(|chosen| take(model, chosen.def)).ok_or_else(not_found)
}

/// Of several definitions the last holds, as when the module runs; but not an accessor that needs the one before.
fn select<'f, 'a>(found: &'f [Found<'a>], wanted: &str) -> Option<&'f Found<'a>> {
    let ends = |found: &Found| found.qualname.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.'));
    let exact = found.iter().rev().find(|found| found.qualname == wanted);
    let full = if let Some(exact) = exact {
        &exact.qualname
    } else {
        let mut matches = found.iter().filter(|found| ends(found)).map(|found| &found.qualname);
        let first = matches.next()?;
        matches.all(|other| other == first).then_some(first)?
    };
    let mut all = found.iter().rev().filter(|found| found.qualname == *full);
    all.clone().find(|found| accessor(found.def).is_none()).or_else(|| all.next())
}

fn accessor(def: &StmtFunctionDef) -> Option<&str> {
    def.decorator_list.iter().find_map(|decorator| match &decorator.expression {
        Expr::Attribute(attribute) => {
            Some(attribute.attr.as_str()).filter(|name| matches!(*name, "setter" | "deleter" | "getter"))
        }
        _ => None,
    })
}

fn nearest(found: &[Found], wanted: &str) -> Vec<String> {
    if wanted.len() > MAX_COMPARED {
        return Vec::new();
    }
    let distance = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        strsim::levenshtein(name, wanted).min(strsim::levenshtein(last, wanted))
    };
    let names = found.iter().map(|found| found.qualname.as_str()).filter(|name| name.len() <= MAX_COMPARED);
    let mut names: Vec<(usize, &str)> = names.map(|name| (distance(name), name)).collect();
    names.sort_by_key(|item| item.0);
    let mut nearest: Vec<String> = Vec::new();
    for (_, name) in names {
        if nearest.len() < PROPOSALS && !nearest.iter().any(|known| known == name) {
            nearest.push(name.to_owned());
        }
    }
    nearest
}
