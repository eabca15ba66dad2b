//! What feeds what: assignments, loops, parameters and returned values, as the walk comes by them.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

use super::{Returning, Walk};
use crate::semantic::feeds::{Elements, Feed, Iterated, Origin, Target};
use crate::semantic::shape::{Shape, of_literal, promised};
use crate::semantic::uses::{Form, UseFlags, UseId};
use crate::sites::Kind;

/// Values that one assignment is taken to choose from (`a if b else c`, `a or b`).
const MAX_ALTERNATIVES: usize = 8;

fn bytes(node: &impl Ranged) -> (u32, u32) {
    (node.start().to_u32(), node.end().to_u32())
}

/// Uses between what a call goes over and the lambda that gets its elements, at most.
const NEAR: usize = 256;

impl<'a> Walk<'a> {
    pub(super) fn feed(&mut self, target: Target, origin: Origin, whole: Option<(u32, u32)>) -> &mut Feed {
        let (scope, in_function) = (self.innermost().scope, self.functions_around > 0);
        let first = self.next_use();
        self.tables.feeds.push(Feed { target, origin, whole, first, value: None, shape: None, scope, in_function });
        self.tables.feeds.last_mut().expect("it was just pushed")
    }

    /// A name is bound by a statement that says how.
    pub(super) fn feed_name(&mut self, name: &str, origin: Origin) {
        let target = self.variable(name);
        self.feed(target, origin, None);
    }

    /// `import name`: where the module is missing, the statement makes up the value.
    pub(super) fn feed_import(&mut self, name: &str, origin: Origin, from: &impl Ranged) {
        let target = self.variable(name);
        self.feed(target, origin, Some(bytes(from)));
    }

    pub(super) fn variable(&mut self, name: &str) -> Target {
        let symbol = self.intern(name);
        Target::Variable(self.resolve(symbol).0)
    }

    /// `target = value`, which is visited next.
    pub(super) fn feed_value(&mut self, target: &'a Expr, origin: Origin, value: &'a Expr) {
        self.feed_target(target, [origin; 2], bytes(value), Some(value));
    }

    /// `for target in values`: the elements have no expression.
    pub(super) fn feed_loop(&mut self, target: &'a Expr, origins: [Origin; 2], values: &'a Expr) {
        self.feed_target(target, origins, bytes(values), None);
    }

    fn feed_target(&mut self, target: &'a Expr, origins: [Origin; 2], whole: (u32, u32), value: Option<&'a Expr>) {
        match target {
            Expr::Name(name) => {
                let target = self.variable(name.id.as_str());
                self.feed_from(target, origins[0], Some(whole), value);
            }
            Expr::Attribute(attribute) => {
                let target = Target::Attribute(self.intern(attribute.attr.as_str()));
                self.feed_from(target, origins[0], Some(whole), value);
            }
            Expr::Subscript(subscript) => self.feed_target(&subscript.value, [Origin::Item; 2], whole, None),
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let values: &[Expr] = match value {
                    Some(Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. })) => elts,
                    _ => &[],
                };
                let starred = elts.iter().chain(values).any(Expr::is_starred_expr);
                for (number, element) in elts.iter().enumerate() {
                    let value = values.get(number).filter(|_| !starred && values.len() == elts.len());
                    self.feed_target(element, [origins[1]; 2], whole, value);
                }
            }
            Expr::Starred(starred) => self.feed_target(&starred.value, [origins[1]; 2], whole, None),
            _ => {}
        }
    }

    /// A value goes to a target; each that it may be is listed.
    pub(super) fn feed_from(
        &mut self,
        target: Target,
        origin: Origin,
        whole: Option<(u32, u32)>,
        value: Option<&'a Expr>,
    ) {
        let Some(value) = value else {
            self.feed(target, origin, whole);
            return;
        };
        if !matches!(value, Expr::If(_) | Expr::BoolOp(_) | Expr::Named(_)) {
            return self.feed_alternative(target, origin, whole, value);
        }
        let mut whole = whole;
        let mut left = vec![value];
        for _ in 0..MAX_ALTERNATIVES {
            let Some(value) = left.pop() else { return };
            match value {
                Expr::If(choice) => left.extend([&*choice.orelse, &*choice.body]),
                Expr::BoolOp(choice) => left.extend(choice.values.iter().take(MAX_ALTERNATIVES).rev()),
                Expr::Named(named) => left.push(&named.value),
                _ => self.feed_alternative(target, origin, whole.take(), value),
            }
        }
        if whole.is_some() {
            self.feed(target, origin, whole);
        }
    }

    fn feed_alternative(&mut self, target: Target, origin: Origin, whole: Option<(u32, u32)>, value: &'a Expr) {
        let kind = match value {
            Expr::Name(_) => Some(Kind::Variable),
            Expr::Attribute(_) => Some(Kind::Attribute),
            Expr::Call(_) => Some(Kind::ReturnValue),
            _ => None,
        };
        let shape = of_literal(value);
        let (start, end) = bytes(value);
        let feed = self.feed(target, origin, whole);
        feed.shape = shape;
        feed.value = kind.map(|kind| (kind, start, end));
    }

    /// `x: annotation`
    pub(super) fn promise(&mut self, target: Target, annotation: Option<&'a Expr>) {
        if let Some(annotation) = annotation {
            let annotations = &mut self.tables.annotations;
            promised(annotation, &mut |shape| annotations.push((target, shape)));
        }
    }

    /// The parameters of the function that was just entered.
    pub(super) fn parameters(&mut self, parameters: &'a ast::Parameters, method: bool) {
        let mut number = 0;
        for parameter in parameters {
            let origin = match parameter {
                ast::AnyParameterRef::Variadic(rest) => {
                    let keywords = parameters.kwarg.as_ref().is_some_and(|kwarg| kwarg.range == rest.range);
                    if keywords { Origin::Keywords } else { Origin::Variadic }
                }
                ast::AnyParameterRef::NonVariadic(parameter) => {
                    number += 1;
                    match &parameter.default {
                        _ if method && number == 1 && matches!(parameter.name().as_str(), "self" | "cls") => {
                            Origin::Receiver
                        }
                        Some(_) => Origin::Default,
                        None => Origin::Parameter,
                    }
                }
            };
            self.parameter(parameter, origin);
        }
    }

    fn parameter(&mut self, parameter: ast::AnyParameterRef<'a>, origin: Origin) {
        let (name, default) = (parameter.name(), parameter.default());
        let variable = self.list_target(Form::Parameter, name.as_str(), name);
        let target = Target::Variable(variable);
        // A lambda's parameters are not followed.
        let followed = self.returning.last().is_some_and(Option::is_some);
        if !followed && let Some(used) = self.tables.uses.raw.last_mut() {
            used.flags |= UseFlags::NOT_GUARDED;
        }
        self.feed(target, origin, followed.then(|| bytes(name)));
        if let Some(default) = default {
            self.feed_from(target, Origin::DefaultValue, followed.then(|| bytes(default)), Some(default));
        }
        if !matches!(origin, Origin::Variadic | Origin::Keywords) {
            self.promise(target, parameter.annotation());
        }
    }

    /// `return value`, and `return` or the end of the function without one.
    pub(super) fn feed_result(&mut self, value: Option<&'a Expr>) {
        let Some(target) = self.answering() else { return };
        match value {
            Some(value) => self.feed_from(target, Origin::Returned, Some(bytes(value)), Some(value)),
            None => self.feed(target, Origin::Returned, None).shape = Some(Shape::None),
        }
    }

    /// `yield`
    pub(super) fn feed_generator(&mut self) {
        if let Some(target) = self.answering() {
            self.feed(target, Origin::Generator, None);
        }
    }

    fn answering(&mut self) -> Option<Target> {
        let returning: &mut Returning = self.returning.last_mut()?.as_mut()?;
        returning.answers = true;
        Some(returning.target)
    }

    /// What the only parameter of a lambda takes elements of, for a call that passes them: `sorted(rows, key=lambda row: ...)`,
    /// `map(lambda row: ..., rows)`.
    pub(super) fn iterated_by(&mut self, call: &'a ast::ExprCall, lambda: &'a ast::ExprLambda) -> Option<Iterated> {
        let Expr::Name(called) = &*call.func else { return None };
        let arguments = &call.arguments;
        let is_key = arguments.find_keyword("key").is_some_and(|key| key.value.range() == lambda.range);
        let values = match called.id.as_str() {
            "sorted" | "min" | "max" | "groupby" if is_key => arguments.args.first()?,
            "map" | "filter" if arguments.args.len() == 2 => &arguments.args[1],
            _ => return None,
        };
        if let Expr::Name(name) = values {
            let symbol = self.intern(name.id.as_str());
            return Some(Iterated::Variable(self.resolve(symbol).0));
        }
        let mut uses = self.tables.uses.iter_enumerated().rev().take(NEAR);
        uses.find(|(_, used)| (used.start, used.end) == bytes(values)).map(|(id, _)| Iterated::Use(id))
    }

    /// The first parameter of a lambda, which is in scope, takes elements.
    pub(super) fn feed_parameter(&mut self, parameters: &'a ast::Parameters, of: Iterated) {
        if let Some(parameter) = parameters.iter_non_variadic_params().next() {
            let symbol = self.intern(parameter.name().as_str());
            let target = self.resolve(symbol).0;
            self.tables.elements.push(Elements { of, target });
        }
    }

    /// The target of a loop, which is in scope, takes the elements of what it goes over, whose uses start at `first`.
    pub(super) fn feed_elements(&mut self, first: UseId, values: &'a Expr, target: &'a Expr) {
        let (values, target) = elements(values, target);
        let Expr::Name(target) = target else { return };
        let of = if let Expr::Name(name) = values {
            let symbol = self.intern(name.id.as_str());
            Iterated::Variable(self.resolve(symbol).0)
        } else {
            let Some(used) = self.tables.uses.get(first) else { return };
            if (used.start, used.end) != bytes(values) {
                return;
            }
            Iterated::Use(first)
        };
        let symbol = self.intern(target.id.as_str());
        let target = self.resolve(symbol).0;
        self.tables.elements.push(Elements { of, target });
    }
}

/// Through builtins that pass elements on: what they go over, and what gets its elements.
fn elements<'a>(values: &'a Expr, target: &'a Expr) -> (&'a Expr, &'a Expr) {
    if let Expr::Call(call) = values
        && let Expr::Name(called) = &*call.func
        && let Some(first) = call.arguments.args.first()
    {
        match (called.id.as_str(), target) {
            ("enumerate", Expr::Tuple(parts)) if parts.len() == 2 => return (first, &parts.elts[1]),
            ("zip", Expr::Tuple(parts)) if !parts.is_empty() => return (first, &parts.elts[0]),
            ("sorted" | "reversed" | "list" | "set" | "tuple" | "iter", _) => return (first, target),
            _ => {}
        }
    }
    (values, target)
}
