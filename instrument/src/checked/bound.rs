//! What gives the names of a module their values.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::cleanup::blocks;
use crate::semantic::SourceModel;

/// For each name that the module's own code binds, the texts of the statements that do, in whatever block; of an import only
/// its part for that name, and of a class its decorators and bases: an instance of it is one whatever methods it has.
#[must_use]
pub fn bindings(model: &SourceModel) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    collect(model.suite(), model.text(), &mut found);
    found
}

fn collect(suite: &[Stmt], text: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    let mut add = |name: &str, text: String| {
        found.entry(name.to_owned()).or_default().insert(text);
    };
    for stmt in suite {
        let whole = || text[stmt.range()].to_owned();
        match stmt {
            Stmt::FunctionDef(def) => add(&def.name, whole()),
            Stmt::ClassDef(class) => {
                let parts = class.decorator_list.iter().map(Ranged::range);
                let parts = parts.chain(class.arguments.iter().map(|arguments| arguments.range()));
                add(&class.name, parts.map(|part| &text[part]).collect::<Vec<_>>().join(" "));
            }
            Stmt::Assign(assign) => {
                for name in assign.targets.iter().filter_map(Expr::as_name_expr) {
                    add(&name.id, whole());
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    add(&name.id, whole());
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let root = alias.name.split('.').next().unwrap_or_default();
                    add(alias.asname.as_ref().map_or(root, |name| name.as_str()), alias.name.to_string());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    add(name, format!("{} {module} {}", import.level, alias.name));
                }
            }
            _ => {}
        }
    }
    for inner in suite.iter().filter(|stmt| !stmt.is_function_def_stmt() && !stmt.is_class_def_stmt()).flat_map(blocks)
    {
        collect(inner, text, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_statements_that_bind_them() {
        let text = "import a.b, c as d\nif d:\n    from .e import f, g\nX = 1\nX = 2\nclass C:\n    Y = 1\n";
        let found = bindings(&SourceModel::parse(text).expect("it parses"));
        let texts = |name: &str| found[name].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["C", "X", "a", "d", "f", "g"]);
        assert_eq!((texts("X"), texts("d"), texts("f")), (vec!["X = 1", "X = 2"], vec!["c"], vec!["1 e f"]));
    }
}
