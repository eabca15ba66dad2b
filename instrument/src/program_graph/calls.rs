//! Which code objects run before which statement: bodies of classes, and of functions that one statement calls.

use std::fmt;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use crate::semantic::SourceModel;
use crate::semantic::control_flow::{CodeId, ControlFlow, NodeId, NodeKind};
use crate::semantic::scope::{BindingFlags, ScopeId, ScopeKind, Scopes};
use crate::semantic::uses::{Form, UseFlags, Variable};

/// Why the body of a function is not part of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing in the source calls it by its name.
    NotCalled,
    /// It is called in several places, or by itself.
    CalledOften,
    /// It is passed on as a value, so that others may call it.
    Passed,
    /// Calling it does not run its body: `yield`, `async def`.
    Suspended,
    /// It is a method, or its name means something else, too.
    Unclear,
}

/// A function whose body is not part of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Line of its definition.
    pub line: u32,
    /// Why it is left out.
    pub reason: Reason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason {
            Reason::NotCalled => "nothing calls it by its name",
            Reason::CalledOften => "it is called more than once",
            Reason::Passed => "it is passed on as a value",
            Reason::Suspended => "a call of it does not run its body",
            Reason::Unclear => "it is not certain what calls it",
        };
        write!(formatter, "`{}` (line {}) is not followed: {why}", self.name, self.line)
    }
}

/// What runs before which statement.
pub(super) struct Inlined {
    pub(super) before: FxHashMap<NodeId, Vec<CodeId>>,
    pub(super) skipped: Vec<Skipped>,
}

/// A definition of a function or class.
struct Definition {
    start: u32,
    /// The name, and what is known of a function; `None` for a class.
    function: Option<Function>,
}

struct Function {
    name: String,
    /// The scope that its body is.
    scope: ScopeId,
    /// `yield` or `async`.
    is_suspended: bool,
    /// Decorators may call it or replace it.
    is_decorated: bool,
}

pub(super) fn inlined(model: &SourceModel, flow: &ControlFlow) -> Inlined {
    let definitions = model.with_tree(|tree| {
        let mut finder = Finder::default();
        finder.visit_body(tree.suite());
        finder.definitions
    });
    let mut found = Inlined { before: FxHashMap::default(), skipped: Vec::new() };
    let codes: FxHashMap<u32, CodeId> =
        flow.codes.iter_enumerated().skip(1).map(|(id, code)| (code.range.start, id)).collect();
    // Statements by where they start, and the narrowest one around a place.
    let around = |place: u32| {
        let nodes = flow.nodes.iter_enumerated();
        let holds = |kind: &NodeKind| !matches!(kind, NodeKind::Entry | NodeKind::Exit | NodeKind::RaiseExit);
        let nodes = nodes.filter(|(_, node)| holds(&node.kind) && node.range.contains(&place));
        nodes.min_by_key(|(_, node)| node.range.len()).map(|(id, _)| id)
    };
    let mut sites: Vec<(u32, NodeId, CodeId)> = Vec::new();
    for definition in definitions.unwrap_or_default() {
        let Some(&code) = codes.get(&definition.start) else { continue };
        let call = match &definition.function {
            // The statement that defines a class.
            None => around(definition.start).map(|node| (definition.start, node)),
            Some(function) => match only_call(model, function, &flow.codes[code].range) {
                Ok(place) => around(place).map(|node| (place, node)),
                Err(reason) => {
                    let line = model.lines().line(definition.start);
                    found.skipped.push(Skipped { name: function.name.clone(), line, reason });
                    None
                }
            },
        };
        if let Some((place, node)) = call {
            sites.push((place, node, code));
        }
    }
    sites.sort_unstable_by_key(|(place, ..)| *place);
    for (_, node, code) in sites {
        found.before.entry(node).or_default().push(code);
    }
    found
}

/// The place of the one call of a function outside of its own body.
fn only_call(model: &SourceModel, function: &Function, body: &std::ops::Range<u32>) -> Result<u32, Reason> {
    if function.is_suspended {
        return Err(Reason::Suspended);
    }
    let scopes = &model.tables.scopes;
    let mut scope = scopes.scopes[function.scope].parent;
    while scopes.scopes[scope].kind == ScopeKind::TypeParams {
        scope = scopes.scopes[scope].parent;
    }
    if function.is_decorated || scopes.scopes[scope].kind == ScopeKind::Class {
        return Err(Reason::Unclear);
    }
    let symbol = scopes.symbols.get(&function.name).ok_or(Reason::Unclear)?;
    let mut bindings = scopes.bindings.iter_enumerated();
    let binding = bindings.find(|(_, binding)| binding.scope == scope && binding.symbol == symbol);
    let (binding, flags) = binding.map(|(id, binding)| (id, binding.flags)).ok_or(Reason::Unclear)?;
    let others = BindingFlags::PARAMETER | BindingFlags::IMPORTED | BindingFlags::DELETED | BindingFlags::OTHERWISE;
    if flags.intersects(others) || !flags.contains(BindingFlags::DEFINED) {
        return Err(Reason::Unclear);
    }
    let uses = model.tables.uses.iter();
    let mut reads = uses.filter(|used| used.form == Form::Name && used.variable == Variable::Binding(binding));
    let mut outside = None;
    if reads.clone().any(|used| !used.is(UseFlags::CALLEE)) {
        return Err(Reason::Passed);
    }
    if reads.any(|used| !body.contains(&used.start) && outside.replace(used.start).is_some()) {
        return Err(Reason::CalledOften);
    }
    outside.ok_or(Reason::NotCalled)
}

/// Lists all definitions of a module.
#[derive(Default)]
struct Finder {
    definitions: Vec<Definition>,
    /// Whether a `yield` was met in the function that is being walked.
    yields: bool,
}

impl Finder {
    fn function(&mut self, def: &StmtFunctionDef) {
        let outer = std::mem::take(&mut self.yields);
        let at = self.definitions.len();
        let function = Function {
            name: def.name.to_string(),
            scope: Scopes::of(def),
            is_suspended: def.is_async,
            is_decorated: !def.decorator_list.is_empty(),
        };
        self.definitions.push(Definition { start: def.start().to_u32(), function: Some(function) });
        visitor::walk_body(self, &def.body);
        if let Some(function) = &mut self.definitions[at].function {
            function.is_suspended |= self.yields;
        }
        self.yields = outer;
    }
}

impl<'a> Visitor<'a> for Finder {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => {
                self.definitions.push(Definition { start: def.start().to_u32(), function: None });
                visitor::walk_body(self, &def.body);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.yields = true,
            // A generator of its own.
            Expr::Lambda(_) => return,
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}
