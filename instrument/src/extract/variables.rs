//! Variables of a module and of the classes at its top, and where a function reads them.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::Function;
use super::module::{Defined, is_assignment, table, variables_of_classes};
use crate::semantic::builtin::is_builtin;
use crate::semantic::scope::{BindingFlags, MODULE, ScopeKind};
use crate::semantic::uses::{Form, Use, Variable as Meant};
use crate::semantic::{SourceModel, bytes};

/// A variable that has one assignment, whose value does not depend on what may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// `LIMIT`, or `Box.limit` for a variable of a class.
    pub name: String,
    /// The assignment.
    pub text: String,
    /// Other variables of the module that it reads.
    pub reads: BTreeSet<String>,
}

/// Variables of a module and of the classes at its top that are assigned once, and whose values literals, builtins, modules of
/// the standard library and other such variables say. Names with two underscores on either side are not listed.
#[must_use]
pub fn variables(model: &SourceModel) -> Vec<Variable> {
    let own = table(model.suite()).into_iter().filter(|(_, defined)| defined.stmt.is_some_and(is_assignment));
    let all: BTreeMap<String, Defined<'_>> = own.chain(variables_of_classes(model.suite())).collect();
    let mut found: BTreeMap<String, Variable> = BTreeMap::new();
    for (name, defined) in &all {
        let (Some(stmt), false) = (defined.stmt, defined.repeated || is_special(name)) else { continue };
        let class = name.split_once('.').map(|(class, _)| class);
        if let Some(reads) = value_of(stmt).and_then(|value| variables_in(model, value, class)) {
            let text = model.text()[stmt.range()].to_owned();
            found.insert(name.clone(), Variable { name: name.clone(), text, reads });
        }
    }
    // What builds on a value that may be missing may be missing.
    loop {
        let known: BTreeSet<String> = found.keys().cloned().collect();
        found.retain(|_, variable| variable.reads.is_subset(&known));
        if found.len() == known.len() {
            return found.into_values().collect();
        }
    }
}

/// Which of these variables a function reads, and on which lines: those of its class as attributes of `self`, `cls` and the class.
#[must_use]
pub fn variables_read(
    model: &SourceModel,
    function: &Function,
    names: &BTreeSet<String>,
) -> BTreeMap<String, BTreeSet<u32>> {
    if names.is_empty() {
        return BTreeMap::new();
    }
    let class = function.qualname.split_once('.').map_or("", |(class, _)| class);
    let line = |used: &Use| model.lines().line(used.start);
    let is_inside = |used: &Use| (function.line..=function.last_line).contains(&line(used));
    let mut found: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut add = |name: &str, used: &Use| {
        if names.contains(name) && is_inside(used) {
            found.entry(name.to_owned()).or_default().insert(line(used));
        }
    };
    for used in model.tables.uses.iter().filter(|used| used.form == Form::Name && is_of_module(model, used)) {
        add(model.name(used.symbol), used);
    }
    for pair in model.tables.uses.raw.windows(2) {
        // An attribute is listed right before what it is read from.
        let [attribute, owner] = pair else { continue };
        if attribute.form != Form::Attribute || owner.form != Form::Name || owner.end != attribute.inner {
            continue;
        }
        let owner = model.name(owner.symbol);
        let class = if matches!(owner, "self" | "cls") { class } else { owner };
        add(&format!("{class}.{}", model.name(attribute.symbol)), attribute);
    }
    found
}

/// `__all__`, `__version__`, `Box.__slots__`.
fn is_special(name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    name.starts_with("__") && name.ends_with("__")
}

pub(super) fn value_of(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Assign(assign) => Some(&assign.value),
        Stmt::AnnAssign(assign) => assign.value.as_deref(),
        _ => None,
    }
}

fn is_of_module(model: &SourceModel, used: &Use) -> bool {
    matches!(used.variable, Meant::Binding(binding) if model.tables.scopes.bindings[binding].scope == MODULE)
}

/// Variables of the module and of the class around that a value reads; `None` if it reads what may be missing.
fn variables_in(model: &SourceModel, value: &Expr, class: Option<&str>) -> Option<BTreeSet<String>> {
    let scopes = &model.tables.scopes;
    let mut found = BTreeSet::new();
    for used in model.uses_in(bytes(value)).filter(|used| used.form == Form::Name) {
        let name = model.name(used.symbol);
        match used.variable {
            Meant::Free(_) if is_builtin(name) => {}
            Meant::Free(_) => return None,
            Meant::Binding(at) => {
                let binding = &scopes.bindings[at];
                let is_standard = || binding.is(BindingFlags::STANDARD_MODULE) && !binding.is(BindingFlags::OTHERWISE);
                match (scopes.scopes[binding.scope].kind, class) {
                    (ScopeKind::Module, _) if is_standard() => {}
                    (ScopeKind::Module, _) => drop(found.insert(name.to_owned())),
                    (ScopeKind::Class, Some(class)) => drop(found.insert(format!("{class}.{name}"))),
                    (ScopeKind::Class, None) => return None,
                    // Of a lambda or a comprehension inside the value.
                    _ => {}
                }
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::qualnames;

    const MODULE: &str = "\
import re, other
__version__ = '1'
LIMIT = 3
TWICE = LIMIT * 2
PATTERN = re.compile('[%d]' % max(TWICE, 1))
MADE = other.make()
BUILT = [MADE]
KEY = lambda pair: pair[0]
twice = 1
twice = 2
class Box:
    limit: int = LIMIT
    sizes = [limit, 4]
    def full(self, LIMIT):
        size = len(self.items)
        return size > self.limit and LIMIT
    @classmethod
    def make(cls):
        return cls.sizes, Box.limit
def check(x):
    if x > LIMIT:
        return PATTERN
";

    #[test]
    fn variables_are_those_whose_values_the_module_says() {
        let found = variables(&SourceModel::parse(MODULE).expect("it parses"));
        let names: Vec<&str> = found.iter().map(|variable| variable.name.as_str()).collect();
        assert_eq!(names, ["Box.limit", "Box.sizes", "KEY", "LIMIT", "PATTERN", "TWICE"]);
        let reads = |at: usize| found[at].reads.iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!([reads(0), reads(1), reads(4)], [vec!["LIMIT"], vec!["Box.limit"], vec!["TWICE"]]);
        assert_eq!(found[0].text, "limit: int = LIMIT");
    }

    #[test]
    fn readers_are_found_by_scope_and_class() {
        let model = SourceModel::parse(MODULE).expect("it parses");
        let lines = |names: &[&str]| -> Vec<(String, Vec<u32>)> {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            let of = |function: Function| {
                let read = variables_read(&model, &function, &names);
                let lines: Vec<u32> = read.into_values().flatten().collect();
                (!lines.is_empty()).then_some((function.qualname, lines))
            };
            qualnames(&model).into_iter().filter_map(of).collect()
        };
        assert_eq!(lines(&["LIMIT"]), [("check".to_owned(), vec![21])], "a parameter hides it");
        assert_eq!(lines(&["Box.limit"]), [("Box.full".to_owned(), vec![16]), ("Box.make".to_owned(), vec![19])]);
        assert_eq!(lines(&["PATTERN", "Box.sizes"]).len(), 2);
        assert!(lines(&["KEY", "limit"]).is_empty());
    }
}
