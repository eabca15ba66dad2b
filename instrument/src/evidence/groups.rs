//! What the walk takes down: groups of what belongs together, and what is said of them.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::shapes::{note_annotation, of_literal};
use super::{Group, Origin, Place};
use crate::Kind;
use crate::scopes::{ScopeKind, Scopes};
use crate::symbols::Symbol;

/// Values that one assignment is taken to choose from (`a if b else c`, `a or b`).
const MAX_ALTERNATIVES: usize = 8;

/// What the walk finds. Places that it does not come by are left out.
pub(super) struct Found {
    pub(super) places: Vec<Option<Place>>,
    pub(super) groups: Vec<Group>,
}

/// The function whose body the walk is in.
pub(super) struct Function {
    pub(super) results: u32,
    /// Some `return` or `yield` stands in it.
    pub(super) answers: bool,
}

pub(super) struct Walk<'a, 'q> {
    pub(super) scopes: Scopes<'a>,
    /// The scopes around, innermost last.
    open: Vec<usize>,
    pub(super) functions: Vec<Option<Function>>,
    asked: &'q FxHashMap<(Kind, u32, u32), u32>,
    places: Vec<Option<Place>>,
    targets: Vec<Vec<u32>>,
    pub(super) groups: Vec<Group>,
    /// Groups of variables by their binding.
    variables: FxHashMap<u32, u32>,
    /// Of names that nothing binds.
    free: FxHashMap<Symbol, u32>,
    attributes: FxHashMap<&'a str, u32>,
    /// Of what functions give, by their name.
    results: FxHashMap<&'a str, u32>,
}

fn new_group(groups: &mut Vec<Group>) -> u32 {
    groups.push(Group::default());
    groups.len() as u32 - 1
}

impl<'a, 'q> Walk<'a, 'q> {
    /// In the module itself, with nothing found.
    pub(super) fn new(scopes: Scopes<'a>, asked: &'q FxHashMap<(Kind, u32, u32), u32>, count: usize) -> Self {
        Self {
            scopes,
            open: vec![0],
            functions: Vec::new(),
            asked,
            places: vec![None; count],
            targets: vec![Vec::new(); count],
            groups: Vec::new(),
            variables: FxHashMap::default(),
            free: FxHashMap::default(),
            attributes: FxHashMap::default(),
            results: FxHashMap::default(),
        }
    }

    pub(super) fn finish(mut self) -> Found {
        for (place, targets) in self.places.iter_mut().zip(self.targets) {
            if let Some(place) = place {
                place.targets = targets;
            }
        }
        Found { places: self.places, groups: self.groups }
    }
}

impl<'a> Walk<'a, '_> {
    pub(super) fn here(&self) -> usize {
        self.open[self.open.len() - 1]
    }

    pub(super) fn in_class(&self) -> bool {
        self.scopes.scopes[self.here()].kind == ScopeKind::Class
    }

    pub(super) fn inside(&mut self, node: usize, work: impl FnOnce(&mut Self)) {
        let scope = self.scopes.by_id(node);
        debug_assert!(!self.open.contains(&scope), "a scope is opened once");
        self.scopes.enter(scope);
        self.open.push(scope);
        work(self);
        self.open.pop();
        self.scopes.leave(scope);
    }

    /// The group of the variable that a name means here.
    pub(super) fn variable(&mut self, name: &'a str) -> u32 {
        let symbol = self.scopes.symbols.intern(name);
        let here = self.here();
        let mut visible = self.scopes.visible(symbol);
        let binding = loop {
            let Some((at, binding)) = visible.next() else { break None };
            let scope = binding.scope as usize;
            if binding.global {
                break visible.find(|(_, binding)| binding.scope == 0 && binding.bound).map(|(at, _)| at);
            }
            let hidden = self.scopes.scopes[scope].kind == ScopeKind::Class && scope != here;
            if binding.is_own() && !hidden {
                break Some(at);
            }
        };
        drop(visible);
        let groups = &mut self.groups;
        match binding {
            Some(binding) => *self.variables.entry(binding).or_insert_with(|| new_group(groups)),
            None => *self.free.entry(symbol).or_insert_with(|| {
                let group = new_group(groups);
                if self.scopes.symbols.entry(symbol).builtin.exists {
                    groups[group as usize].origins.insert(Origin::Builtin);
                }
                group
            }),
        }
    }

    pub(super) fn attribute(&mut self, name: &'a str) -> u32 {
        *self.attributes.entry(name).or_insert_with(|| new_group(&mut self.groups))
    }

    pub(super) fn results(&mut self, name: &'a str) -> u32 {
        *self.results.entry(name).or_insert_with(|| new_group(&mut self.groups))
    }

    /// The number of the question about an expression.
    pub(super) fn asked(&self, kind: Kind, node: &impl Ranged) -> Option<usize> {
        let key = (kind, node.start().to_u32(), node.end().to_u32());
        self.asked.get(&key).map(|&number| number as usize)
    }

    pub(super) fn found(&mut self, kind: Kind, node: &impl Ranged, group: u32, callee: Option<u32>) {
        if let Some(number) = self.asked(kind, node) {
            self.places[number] = Some(Place { group, callee, targets: Vec::new() });
        }
    }

    pub(super) fn note(&mut self, group: u32, origin: Origin, value: Option<&'a Expr>) {
        self.groups[group as usize].origins.insert(origin);
        if let Some(value) = value {
            self.note_value(group, value);
        }
    }

    /// Something is assigned to a variable, in a class to an attribute, too.
    pub(super) fn bind(&mut self, name: &'a str, origin: Origin, value: Option<&'a Expr>) {
        let group = self.variable(name);
        self.note(group, origin, value);
        if self.in_class() {
            let group = self.attribute(name);
            self.note(group, origin, value);
        }
    }

    pub(super) fn annotate(&mut self, group: u32, annotation: Option<&'a Expr>) {
        if let Some(annotation) = annotation {
            note_annotation(annotation, &mut self.groups[group as usize].annotations);
        }
    }

    /// The value of an expression goes to a group.
    pub(super) fn note_value(&mut self, group: u32, value: &'a Expr) {
        let mut left = vec![value];
        for _ in 0..MAX_ALTERNATIVES {
            let Some(value) = left.pop() else { return };
            match value {
                Expr::If(choice) => left.extend([&*choice.orelse, &*choice.body]),
                Expr::BoolOp(choice) => left.extend(choice.values.iter().take(MAX_ALTERNATIVES).rev()),
                Expr::Named(named) => left.push(&named.value),
                _ => self.note_alternative(group, value),
            }
        }
    }

    pub(super) fn note_alternative(&mut self, group: u32, value: &'a Expr) {
        if let Some(shape) = of_literal(value) {
            let count = &mut self.groups[group as usize].literals[shape as usize];
            *count = count.saturating_add(1);
            return;
        }
        let number = match value {
            Expr::Name(name) => self.asked(Kind::Variable, name),
            Expr::Attribute(attribute) => self.asked(Kind::Attribute, attribute),
            Expr::Call(call) => self.asked(Kind::ReturnValue, call),
            _ => None,
        };
        if let Some(number) = number {
            self.groups[group as usize].values.push(number as u32);
            self.targets[number].push(group);
        }
    }

    /// An assignment's target. What it is made of is visited apart.
    pub(super) fn target(&mut self, target: &'a Expr, origin: Origin, value: Option<&'a Expr>) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), origin, value),
            Expr::Attribute(attribute) => {
                let group = self.attribute(attribute.attr.as_str());
                self.note(group, origin, value);
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let values: &[Expr] = match value {
                    Some(Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. })) => elts,
                    _ => &[],
                };
                let starred = elts.iter().chain(values).any(Expr::is_starred_expr);
                for (number, element) in elts.iter().enumerate() {
                    let value = values.get(number).filter(|_| !starred && values.len() == elts.len());
                    self.target(element, origin, value);
                }
            }
            Expr::Starred(starred) => self.target(&starred.value, origin, None),
            _ => {}
        }
    }
}
