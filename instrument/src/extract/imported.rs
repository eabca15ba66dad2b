//! What a source imports, and which names and attributes it may take of it.

use crate::cleanup::blocks;
use crate::semantic::SourceModel;
use crate::semantic::uses::{Form, Use};
use ruff_python_ast::{Expr, Stmt};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// One module of an import statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Dots before the module's name.
    pub level: u32,
    /// Its name; may be empty behind dots.
    pub module: String,
    /// What is taken of it; none for the module as a whole (`import module`, `import *`).
    pub names: Option<Vec<String>>,
    /// Whether the statement runs with the module: it stands in no function, nor below `if TYPE_CHECKING`.
    pub eager: bool,
}

/// The imports of a source, wherever they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// In the order of the text.
    pub imports: Vec<Import>,
    /// Names and attributes that it reads: what it may take of whole modules.
    pub names: BTreeSet<String>,
}

/// Lists them.
#[must_use]
pub fn imported(model: &SourceModel) -> Imported {
    let names = names_in(model, 0..u32::MAX).map(str::to_owned).collect();
    let mut found = Imported { imports: Vec::new(), names };
    find(model.suite(), true, &mut found.imports);
    found
}

/// Names and attributes that stand in a range of bytes.
pub(super) fn names_in(model: &SourceModel, range: Range<u32>) -> impl Iterator<Item = &str> {
    let named = |used: &&Use| {
        let forms = [Form::Name, Form::Target, Form::Attribute, Form::AttributeTarget, Form::Augmented];
        forms.contains(&used.form)
    };
    model.uses_in(range).filter(named).map(|used| model.name(used.symbol))
}

fn find(suite: &[Stmt], eager: bool, imports: &mut Vec<Import>) {
    for stmt in suite {
        match stmt {
            Stmt::Import(import) => {
                let whole = |name: &str| Import { level: 0, module: name.to_owned(), names: None, eager };
                imports.extend(import.names.iter().map(|alias| whole(&alias.name)));
            }
            Stmt::ImportFrom(import) => {
                let names: Vec<String> = import.names.iter().map(|alias| alias.name.to_string()).collect();
                let module = import.module.as_ref().map(ToString::to_string).unwrap_or_default();
                let names = (names != ["*"]).then_some(names);
                imports.push(Import { level: import.level, module, names, eager });
            }
            stmt => {
                let eager = eager && !matches!(stmt, Stmt::FunctionDef(_)) && !is_for_type_checkers(stmt);
                for suite in blocks(stmt) {
                    find(suite, eager, imports);
                }
            }
        }
    }
}

/// A name that a module does not get when it is imported: only type checkers make the import, or a function does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateImport {
    /// The name.
    pub name: String,
    /// Dots before the module's name.
    pub level: u32,
    /// The module.
    pub module: String,
    /// What is taken of it; none for the module as a whole.
    pub attribute: Option<String>,
}

/// Lists them, in the order of the text.
#[must_use]
pub fn late_imports(model: &SourceModel) -> Vec<LateImport> {
    let mut found = Vec::new();
    find_late(model.suite(), false, &mut found);
    found
}

fn find_late(suite: &[Stmt], late: bool, found: &mut Vec<LateImport>) {
    for stmt in suite {
        match stmt {
            Stmt::Import(import) if late => found.extend(import.names.iter().map(|alias| {
                let whole = alias.name.as_str();
                let first = whole.split('.').next().unwrap_or_default();
                let (name, module) = alias.asname.as_ref().map_or((first, first), |name| (name.as_str(), whole));
                LateImport { name: name.to_owned(), module: module.to_owned(), ..LateImport::default() }
            })),
            Stmt::ImportFrom(import) if late => found.extend(import.names.iter().map(|alias| LateImport {
                name: alias.asname.as_ref().unwrap_or(&alias.name).to_string(),
                level: import.level,
                module: import.module.as_ref().map(ToString::to_string).unwrap_or_default(),
                attribute: Some(alias.name.to_string()),
            })),
            stmt => {
                let late = late || matches!(stmt, Stmt::FunctionDef(_)) || is_for_type_checkers(stmt);
                for suite in blocks(stmt) {
                    find_late(suite, late, found);
                }
            }
        }
    }
}

/// `if TYPE_CHECKING:`, `if typing.TYPE_CHECKING:`.
fn is_for_type_checkers(stmt: &Stmt) -> bool {
    let Stmt::If(branch) = stmt else { return false };
    match &*branch.test {
        Expr::Name(name) => name.id == "TYPE_CHECKING",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "TYPE_CHECKING",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_any_block() {
        let model = SourceModel::parse(
            "import a.b as c, d\ntry:\n    from .e import f as g, h\nexcept ImportError:\n    from .. import *\nc.i(j)\n",
        );
        let found = imported(&model.expect("it parses"));
        let import = |level, module: &str, names: Option<&[&str]>| Import {
            level,
            module: module.to_owned(),
            names: names.map(|names| names.iter().map(|&name| name.to_owned()).collect()),
            eager: true,
        };
        assert_eq!(
            found.imports,
            [import(0, "a.b", None), import(0, "d", None), import(1, "e", Some(&["f", "h"])), import(2, "", None)]
        );
        assert_eq!(found.names.into_iter().collect::<Vec<_>>(), ["ImportError", "c", "i", "j"]);
        let source =
            "import a\nif typing.TYPE_CHECKING:\n    import b\ndef f():\n    import c\nclass D:\n    import e\n";
        let model = SourceModel::parse(source).expect("it parses");
        let eager = imported(&model).imports.into_iter().filter(|import| import.eager).map(|import| import.module);
        assert_eq!(eager.collect::<Vec<_>>(), ["a", "e"]);
    }

    #[test]
    fn late_imports_bind_names() {
        let source = "import a\nif TYPE_CHECKING:\n    import b.c\n    import d.e as f\n    from ..g import h as i\n\
                      def j():\n    if k:\n        from l import m\n";
        let found = late_imports(&SourceModel::parse(source).expect("it parses"));
        let late = |name: &str, level, module: &str, attribute: Option<&str>| LateImport {
            name: name.to_owned(),
            level,
            module: module.to_owned(),
            attribute: attribute.map(str::to_owned),
        };
        let expected = [late("b", 0, "b", None), late("f", 0, "d.e", None), late("i", 2, "g", Some("h"))];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3..], [late("m", 0, "l", Some("m"))]);
    }
}
