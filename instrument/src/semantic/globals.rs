//! The names by which pieces of code build on each other: those that one binds and another reads.

use ruff_python_ast::{Expr, Stmt};
use rustc_hash::FxHashSet;

use super::SourceModel;
use super::builtin::is_builtin;
use super::scope::{BindingFlags, MODULE};
use super::uses::{Form, Resolution, Variable};

impl SourceModel {
    /// The names that the module binds for itself.
    pub fn bound_globals(&self) -> impl Iterator<Item = &str> {
        let own = self.tables.scopes.bindings_of(MODULE).filter(|binding| binding.is(BindingFlags::BOUND));
        own.map(|binding| self.name(binding.symbol))
    }

    /// True if the module binds names that it does not write: `from m import *`.
    #[must_use]
    pub fn imports_all(&self) -> bool {
        self.tables.imports.iter().any(|import| import.names.iter().any(|name| name == "*"))
    }

    /// True if the module defines a class of a name.
    #[must_use]
    pub fn defines_class(&self, name: &str) -> bool {
        self.suite().iter().filter_map(Stmt::as_class_def_stmt).any(|class| class.name.as_str() == name)
    }

    /// True if the module defines a class of a name, in whose body there is nothing but `pass`, `...` or a text.
    #[must_use]
    pub fn has_empty_class(&self, name: &str) -> bool {
        let is_nothing = |stmt: &Stmt| {
            let is_text = |value: &Expr| value.is_ellipsis_literal_expr() || value.is_string_literal_expr();
            stmt.is_pass_stmt() || stmt.as_expr_stmt().is_some_and(|stmt| is_text(&stmt.value))
        };
        let mut classes = self.suite().iter().filter_map(Stmt::as_class_def_stmt);
        classes.any(|class| class.name.as_str() == name && class.body.iter().all(is_nothing))
    }

    /// The names that the module reads where nothing in it has bound them, builtins apart, in the order of their first
    /// reads.
    #[must_use]
    pub fn free_names(&self) -> Vec<&str> {
        self.names_read_free().filter(|name| !is_builtin(name)).collect()
    }

    /// The builtins that the module reads where nothing in it has bound their names.
    #[must_use]
    pub fn free_builtins(&self) -> Vec<&str> {
        self.names_read_free().filter(|name| is_builtin(name)).collect()
    }

    /// Builtins in place of which the module imports something: `from parse import compile`.
    pub fn imported_builtins(&self) -> impl Iterator<Item = &str> {
        let names = self.tables.imports.iter().flat_map(|import| &import.names);
        names.map(String::as_str).filter(|name| is_builtin(name))
    }

    fn names_read_free(&self) -> impl Iterator<Item = &str> {
        let mut seen = FxHashSet::default();
        let reads = self.tables.uses.iter().filter(|used| matches!(used.form, Form::Name | Form::ReadBefore));
        let free = reads.filter_map(|used| match used.variable {
            Variable::Free(symbol) => Some(symbol),
            Variable::Binding(binding) => {
                let binding = &self.tables.scopes.bindings[binding];
                let may_miss = used.resolution != Resolution::Proven && binding.scope == MODULE;
                may_miss.then_some(binding.symbol)
            }
        });
        free.filter(move |symbol| seen.insert(*symbol)).map(|symbol| self.name(symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_build_on_each_other_by_names() {
        let source = "import a.b\nfrom c import *\nx = len(y)\ndef f(p): return p + z + x\nk = k + 1\n[i for i in w]\n";
        let model = SourceModel::parse(source).expect("it parses");
        let mut bound: Vec<&str> = model.bound_globals().collect();
        bound.sort_unstable();
        assert_eq!(bound, ["a", "f", "k", "x"]);
        assert!(model.imports_all());
        assert_eq!(model.free_names(), ["y", "z", "k", "w"]);
        let model = SourceModel::parse("class A:\n    'A.'\n    ...\nclass B: x = 1\n").expect("it parses");
        assert!(model.has_empty_class("A") && !model.has_empty_class("B") && !model.has_empty_class("C"));
    }
}
