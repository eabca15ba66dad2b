//! Other names for local variables, and variables for results.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{Places, free_name};
use crate::mutate::Edit;
use crate::semantic::SourceModel;
use crate::semantic::bytes;
use crate::semantic::scope::{BindingFlags, ScopeKind};
use crate::semantic::symbol::BindingId;
use crate::semantic::uses::{Form, Variable};

/// What gives locals other names and results a variable.
pub(super) fn edits(model: &SourceModel) -> Vec<Edit> {
    let edits = model.with_tree(|tree| {
        let places = Places::of(tree.suite());
        if places.is_opaque {
            return Vec::new();
        }
        let mut returns = Returns { edits: Vec::new(), name: free_name(model, "result") };
        returns.visit_body(tree.suite());
        let mut edits = returns.edits;
        edits.extend(renames(model, &places));
        edits
    });
    edits.unwrap_or_default()
}

fn renames(model: &SourceModel, places: &Places<'_>) -> Vec<Edit> {
    let scopes = &model.tables.scopes;
    let variables: FxHashMap<u32, BindingId> = model
        .tables
        .uses
        .iter()
        .filter(|used| matches!(used.form, Form::Name | Form::Target | Form::ReadBefore))
        .filter_map(|used| match used.variable {
            Variable::Binding(binding) => Some((used.name_at, binding)),
            Variable::Free(_) => None,
        })
        .collect();
    let is_renamed = |at: BindingId| {
        let binding = &scopes.bindings[at];
        let name = scopes.symbols.name(binding.symbol);
        let kind = scopes.scopes[binding.scope].kind;
        let other = BindingFlags::PARAMETER | BindingFlags::IMPORTED | BindingFlags::DEFINED;
        matches!(kind, ScopeKind::Function | ScopeKind::Comprehension)
            && binding.is_own()
            && !binding.is(other)
            && !name.starts_with("__")
            && !places.kept.contains(name.as_str())
    };
    // A place whose variable is not known keeps the name everywhere.
    let unknown: FxHashSet<&str> = places
        .names
        .iter()
        .filter(|name| !variables.contains_key(&name.start().to_u32()))
        .map(|name| name.id.as_str())
        .collect();
    let edit = |name: &&ruff_python_ast::ExprName| {
        let binding = *variables.get(&name.start().to_u32())?;
        let is_renamed = is_renamed(binding) && !unknown.contains(name.id.as_str());
        is_renamed.then(|| Edit { range: bytes(*name), text: free_name(model, &name.id) })
    };
    places.names.iter().filter_map(edit).collect()
}

/// `return f(x)` becomes `result = f(x); return result`.
struct Returns {
    edits: Vec<Edit>,
    name: String,
}

impl<'t> Visitor<'t> for Returns {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        if let Stmt::Return(statement) = stmt
            && let Some(value) = statement.value.as_deref()
            && !matches!(value, Expr::Name(_))
            && !value.is_literal_expr()
        {
            let range = bytes(stmt);
            let keyword = range.start..range.start + "return".len() as u32;
            self.edits.push(Edit { range: keyword, text: format!("{} =", self.name) });
            self.edits.push(Edit { range: range.end..range.end, text: format!("; return {}", self.name) });
        }
        visitor::walk_stmt(self, stmt);
    }
}
