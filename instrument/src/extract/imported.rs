//! What a source imports, and which names and attributes it may take of it.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};
use ruff_python_parser::parse_module;
use std::collections::BTreeSet;

/// One module of an import statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Dots before the module's name.
    pub level: u32,
    /// Its name; may be empty behind dots.
    pub module: String,
    /// What is taken of it; none for the module as a whole (`import module`, `import *`).
    pub names: Option<Vec<String>>,
}

/// The imports of a source, wherever they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// Names and attributes that it reads: what it may take of whole modules.
    pub names: BTreeSet<String>,
}

/// Lists them; a source that does not parse has none.
#[must_use]
pub fn imported(source: &str) -> Imported {
    let mut found = Imported::default();
    if let Ok(parsed) = parse_module(source) {
        found.visit_body(parsed.suite());
    }
    found
}

impl Visitor<'_> for Imported {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Import(import) => {
                let whole = |name: &str| Import { level: 0, module: name.to_owned(), names: None };
                self.imports.extend(import.names.iter().map(|alias| whole(&alias.name)));
            }
            Stmt::ImportFrom(import) => {
                let names: Vec<String> = import.names.iter().map(|alias| alias.name.to_string()).collect();
                let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
                let names = (names != ["*"]).then_some(names);
                self.imports.push(Import { level: import.level, module, names });
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => drop(self.names.insert(name.id.to_string())),
            Expr::Attribute(attribute) => drop(self.names.insert(attribute.attr.to_string())),
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_any_block() {
        let found = imported(
            "import a.b as c, d\ntry:\n    from .e import f as g, h\nexcept ImportError:\n    from .. import *\nc.i(j)\n",
        );
        let import = |level, module: &str, names: Option<&[&str]>| Import {
            level,
            module: module.to_owned(),
            names: names.map(|names| names.iter().map(|&name| name.to_owned()).collect()),
        };
        assert_eq!(
            found.imports,
            [import(0, "a.b", None), import(0, "d", None), import(1, "e", Some(&["f", "h"])), import(2, "", None)]
        );
        assert_eq!(found.names.into_iter().collect::<Vec<_>>(), ["ImportError", "c", "i", "j"]);
        assert_eq!(imported("def f(:"), Imported::default());
    }
}
