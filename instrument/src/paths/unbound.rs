//! Reads of module-level names that no binding can have come before: deleted names, and functions that are defined later.

use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, Pattern, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashSet;

use crate::SourceModel;
use crate::control_flow::{CodeId, ControlFlow, Node, NodeId, NodeKind};
use crate::semantic::bytes;

/// Functions through which code may bind names that it does not spell.
const DYNAMIC: [&str; 5] = ["exec", "globals", "locals", "vars", "setattr"];

/// What the statements of a module, outside of functions and classes, do with one name.
struct Effects<'a> {
    name: &'a str,
    /// Offsets at which `def` and `class` statements bind it.
    defined: Vec<u32>,
    /// Offsets at which anything else binds it.
    bound: Vec<u32>,
    /// Offsets of `del name`.
    deleted: Vec<u32>,
    /// Byte ranges of `except E as name: ...`, whose ends delete it.
    handlers: Vec<Range<u32>>,
    /// Something may bind the name without spelling it here: `from m import *`, `global name` in a function, `exec`.
    is_open: bool,
    /// Depth of function and class bodies around.
    depth: usize,
}

impl<'a> Effects<'a> {
    fn of(model: &SourceModel, name: &'a str) -> Option<Self> {
        let (defined, bound, deleted, handlers) = Default::default();
        let mut effects = Self { name, defined, bound, deleted, handlers, is_open: false, depth: 0 };
        model.with_tree(|tree| {
            effects.visit_body(tree.suite());
            effects
        })
    }

    fn is_bound_in(&self, node: &Node) -> bool {
        let mut offsets = self.bound.iter().chain(&self.defined);
        offsets.any(|at| node.range.contains(at))
    }
}

impl Visitor<'_> for Effects<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        let start = stmt.start().to_u32();
        let is_outside = self.depth == 0;
        match stmt {
            Stmt::FunctionDef(def) if is_outside && def.name.as_str() == self.name => {
                self.defined.push(def.name.start().to_u32());
            }
            Stmt::ClassDef(def) if is_outside && def.name.as_str() == self.name => {
                self.defined.push(def.name.start().to_u32());
            }
            Stmt::Global(global) => {
                self.is_open |= !is_outside && global.names.iter().any(|name| name.as_str() == self.name);
            }
            Stmt::Import(import) if is_outside => {
                let binds = import.names.iter().any(|alias| match &alias.asname {
                    Some(name) => name.as_str() == self.name,
                    None => alias.name.as_str().split('.').next() == Some(self.name),
                });
                self.bound.extend(binds.then_some(start));
            }
            Stmt::ImportFrom(import) if is_outside => {
                self.is_open |= import.names.iter().any(|alias| alias.name.as_str() == "*");
                let mut names = import.names.iter().map(|alias| alias.asname.as_ref().unwrap_or(&alias.name));
                let binds = names.any(|name| name.as_str() == self.name);
                self.bound.extend(binds.then_some(start));
            }
            Stmt::Try(statement) if is_outside => {
                for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
                    if let Some(name) = handler.name.as_ref().filter(|name| name.as_str() == self.name) {
                        self.bound.push(name.start().to_u32());
                        self.handlers.push(bytes(handler));
                    }
                }
            }
            _ => {}
        }
        let nests = matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        self.depth += usize::from(nests);
        walk_stmt(self, stmt);
        self.depth -= usize::from(nests);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Name(name) = expr {
            let at = name.start().to_u32();
            self.is_open |= DYNAMIC.contains(&name.id.as_str());
            if self.depth == 0 && name.id.as_str() == self.name {
                match name.ctx {
                    ExprContext::Store => self.bound.push(at),
                    ExprContext::Del => self.deleted.push(at),
                    _ => {}
                }
            }
        }
        walk_expr(self, expr);
    }

    // What patterns capture is not followed.
    fn visit_pattern(&mut self, _pattern: &Pattern) {
        self.is_open |= self.depth == 0;
    }
}

/// True if no way through the module binds a name before a read of it at an offset, outside of functions and classes:
/// each comes from a `del` or from the end of `except E as name`, or from the start where only `def` and `class`
/// statements bind the name later. (A name that is assigned later may be a parameter, if the source is the body of a
/// function.)
#[must_use]
pub fn is_never_bound_before(model: &SourceModel, name: &str, offset: u32) -> bool {
    let Some(effects) = Effects::of(model, name).filter(|effects| !effects.is_open) else { return false };
    let graph = model.control_flow();
    let module = CodeId::from_u32(0);
    let holds = |node: &Node| node.range.contains(&offset) && node.is_statement();
    let around = graph.nodes.iter_enumerated().filter(|(_, node)| holds(node));
    let Some((start, node)) = around.min_by_key(|(_, node)| node.range.end - node.range.start) else { return false };
    if node.code != module || effects.is_bound_in(node) {
        return false;
    }
    let before = predecessors(graph, module);
    let mut seen = FxHashSet::from_iter([start]);
    let mut left = vec![start];
    while let Some(at) = left.pop() {
        for &from in &before[at.as_usize()] {
            let node = &graph.nodes[from];
            if effects.deleted.iter().any(|deleted| node.range.contains(deleted)) {
                continue;
            }
            let leaves = |handler: &Range<u32>| {
                handler.contains(&node.range.start) && !handler.contains(&graph.nodes[at].range.start)
            };
            if effects.handlers.iter().any(leaves) {
                continue;
            }
            if effects.is_bound_in(node) {
                return false;
            }
            if node.kind == NodeKind::Entry && !effects.bound.is_empty() {
                return false;
            }
            if seen.insert(from) {
                left.push(from);
            }
        }
    }
    !effects.defined.is_empty() || !effects.deleted.is_empty() || !effects.bound.is_empty()
}

fn predecessors(graph: &ControlFlow, code: CodeId) -> Vec<Vec<NodeId>> {
    let mut before = vec![Vec::new(); graph.nodes.len()];
    for (from, node) in graph.nodes.iter_enumerated().filter(|(_, node)| node.code == code) {
        for (_, to) in &node.edges {
            before[to.as_usize()].push(from);
        }
    }
    before
}
