//! Another order of what has none: operands of `==`, and neighbouring assignments that do not need each other.

use std::ops::Range;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{CmpOp, Expr, Stmt, StmtAssign};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mutate::Edit;
use crate::semantic::scope::ScopeKind;
use crate::semantic::uses::{Form, Resolution, Use, Variable};
use crate::semantic::{SourceModel, bytes};

/// What makes operands and assignments change places.
pub(super) fn edits(model: &SourceModel) -> Vec<Edit> {
    let uses = model.tables.uses.iter().filter(|used| matches!(used.form, Form::Name | Form::Target));
    let uses = uses.map(|used| (used.name_at, used)).collect();
    let swapped = model.with_tree(|tree| {
        let mut swaps = Swaps { model, uses, edits: Vec::new() };
        swaps.visit_body(tree.suite());
        swaps.edits
    });
    swapped.unwrap_or_default()
}

struct Swaps<'m> {
    model: &'m SourceModel,
    uses: FxHashMap<u32, &'m Use>,
    edits: Vec<Edit>,
}

/// An assignment that only binds a local variable.
struct Local {
    range: Range<u32>,
    variable: Variable,
    reads: FxHashSet<Variable>,
    may_raise: bool,
}

impl Swaps<'_> {
    fn swap(&mut self, one: Range<u32>, other: Range<u32>) {
        let text = |range: &Range<u32>| self.model.text()[range.start as usize..range.end as usize].to_owned();
        let (first, second) = (text(&one), text(&other));
        self.edits.push(Edit { range: one, text: second });
        self.edits.push(Edit { range: other, text: first });
    }

    /// True if no keyword touches an operand: `return"a"==b`.
    fn stands_apart(&self, range: &Range<u32>) -> bool {
        let bytes = self.model.text().as_bytes();
        let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        !is_word(range.end as usize) && !(range.start as usize).checked_sub(1).is_some_and(is_word)
    }

    /// Two assignments on lines of their own change places.
    fn swap_neighbours(&mut self, body: &[Stmt]) {
        let mut at = 0;
        while at + 1 < body.len() {
            let lines = self.model.lines();
            let (one, other) = (self.local(&body[at]), self.local(&body[at + 1]));
            at += 1;
            if let (Some(one), Some(other)) = (one, other)
                && lines.line(one.range.end) < lines.line(other.range.start)
                && one.variable != other.variable
                && !one.reads.contains(&other.variable)
                && !other.reads.contains(&one.variable)
                && !(one.may_raise && other.may_raise)
            {
                self.swap(one.range, other.range);
                at += 1;
            }
        }
    }

    fn local(&self, stmt: &Stmt) -> Option<Local> {
        let Stmt::Assign(StmtAssign { targets, value, .. }) = stmt else { return None };
        let [Expr::Name(target)] = targets.as_slice() else { return None };
        let range = bytes(stmt);
        let lines = self.model.lines();
        let variable = self.uses.get(&bytes(target).start)?.variable;
        let Variable::Binding(binding) = variable else { return None };
        let scopes = &self.model.tables.scopes;
        let is_local = scopes.bindings[binding].is_own()
            && scopes.scopes[scopes.bindings[binding].scope].kind == ScopeKind::Function;
        let mut local = Local { variable, reads: FxHashSet::default(), may_raise: false, range };
        (is_local && lines.line(local.range.start) == lines.line(local.range.end) && self.only_reads(value, &mut local))
            .then_some(local)
    }

    /// True if a value is made of names, attributes and constants.
    fn only_reads(&self, value: &Expr, local: &mut Local) -> bool {
        match value {
            Expr::Name(name) => self.uses.get(&bytes(name).start).is_some_and(|used| {
                local.reads.insert(used.variable);
                local.may_raise |= used.resolution != Resolution::Proven;
                true
            }),
            Expr::Attribute(attribute) => {
                local.may_raise = true;
                self.only_reads(&attribute.value, local)
            }
            Expr::List(list) => list.elts.iter().all(|item| self.only_reads(item, local)),
            Expr::Tuple(tuple) => tuple.elts.iter().all(|item| self.only_reads(item, local)),
            Expr::Dict(dict) => dict.items.is_empty(),
            _ => value.is_literal_expr(),
        }
    }
}

/// True for names, attributes of names, texts and numbers.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Attribute(attribute) => is_plain(&attribute.value),
        Expr::Name(_) | Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::NumberLiteral(_) => true,
        _ => false,
    }
}

impl<'t> Visitor<'t> for Swaps<'_> {
    fn visit_body(&mut self, body: &'t [Stmt]) {
        let edits = self.edits.len();
        self.swap_neighbours(body);
        // What changed places is not edited inside as well.
        let moved: Vec<Range<u32>> = self.edits[edits..].iter().map(|edit| edit.range.clone()).collect();
        for stmt in body.iter().filter(|stmt| !moved.contains(&bytes(*stmt))) {
            self.visit_stmt(stmt);
        }
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        if let Expr::Compare(compare) = expr
            && let ([CmpOp::Eq | CmpOp::NotEq], [right]) = (&*compare.ops, &*compare.comparators)
            && is_plain(&compare.left)
            && is_plain(right)
        {
            let (left, right) = (bytes(&*compare.left), bytes(right));
            if self.stands_apart(&left) && self.stands_apart(&right) {
                self.swap(left, right);
                return;
            }
        }
        // Quotes inside an f-string may not change their places.
        if !matches!(expr, Expr::FString(_) | Expr::TString(_)) {
            visitor::walk_expr(self, expr);
        }
    }
}
