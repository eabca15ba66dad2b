//! Expressions, visited in the order in which Python evaluates them.

use ruff_python_ast::{self as ast, Expr, ExprContext, HasNodeIndex};
use ruff_text_size::Ranged;

use super::{DIRECTLY, Walk, constraint};
use crate::role::Role;
use crate::semantic::feeds::{Iterated, Origin};
use crate::semantic::scope::{ScopeKind, Scopes};
use crate::semantic::uses::{Form, UseFlags};

impl<'a> Walk<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr, role: Role) {
        if !matches!(expr, Expr::Name(_) | Expr::Attribute(_) | Expr::Call(_)) {
            self.region.remove(DIRECTLY);
        }
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Load => self.read_name(name, role),
            Expr::Name(name) => {
                self.list_target(Form::Target, name.id.as_str(), name);
            }
            Expr::Attribute(attribute) => self.attribute(attribute, role),
            Expr::Call(call) => self.call(call, role),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::BoolOp(operation) => {
                if let Some((first, others)) = operation.values.split_first() {
                    self.expr(first, Role::Plain);
                    for other in others {
                        self.part(other, |walk| walk.expr(other, Role::Plain));
                    }
                }
            }
            Expr::BinOp(operation) => {
                let [left, right] = constraint::operands(operation, role);
                self.expr(&operation.left, left);
                self.expr(&operation.right, right);
            }
            Expr::UnaryOp(operation) => {
                let operand = match operation.op {
                    ast::UnaryOp::Not => Role::Plain,
                    ast::UnaryOp::Invert => Role::Bits,
                    ast::UnaryOp::UAdd | ast::UnaryOp::USub => Role::Number,
                };
                self.expr(&operation.operand, operand);
            }
            Expr::Compare(comparison) if is_membership(comparison) => self.membership(comparison),
            Expr::Compare(comparison) => {
                let first = comparison.ops.first().zip(comparison.comparators.first());
                self.expr(&comparison.left, first.map_or(Role::Plain, |(&op, other)| constraint::compared(op, other)));
                let mut left = &*comparison.left;
                for (&op, comparator) in comparison.ops.iter().zip(&comparison.comparators) {
                    let member = matches!(op, ast::CmpOp::In | ast::CmpOp::NotIn);
                    let role = if member { constraint::searched(left) } else { constraint::compared(op, left) };
                    self.expr(comparator, role);
                    left = comparator;
                }
            }
            Expr::If(choice) => {
                self.expr(&choice.test, Role::Plain);
                for side in [&*choice.body, &*choice.orelse] {
                    self.part(side, |walk| walk.passed(side, role));
                }
            }
            Expr::Named(named) => {
                // The name is bound to the value itself, not to what a call would make of it.
                self.feed_value(&named.target, Origin::Bound, &named.value);
                self.passed(&named.value, if role == Role::Callee { Role::Plain } else { role });
                self.target(&named.target);
            }
            Expr::Lambda(lambda) => self.lambda(lambda, None),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    if let Some(key) = &item.key {
                        self.expr(key, Role::Plain);
                    }
                    self.expr(&item.value, if item.key.is_some() { Role::Plain } else { Role::Mapping });
                }
            }
            Expr::Set(set) => self.exprs(&set.elts),
            Expr::List(list) => self.exprs(&list.elts),
            Expr::Tuple(tuple) => self.exprs(&tuple.elts),
            Expr::Starred(starred) => self.expr(&starred.value, Role::Iterated),
            Expr::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step].into_iter().flatten();
                parts.for_each(|part| self.expr(part, Role::Plain));
            }
            Expr::ListComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::SetComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::Generator(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::DictComp(comp) => {
                self.comprehension(&comp.generators, [comp.key.as_deref(), Some(&comp.value)], comp);
            }
            Expr::Await(awaited) => self.awaited(&awaited.value),
            Expr::Yield(yielded) => {
                self.feed_generator();
                if let Some(value) = &yielded.value {
                    self.expr(value, Role::Plain);
                }
            }
            Expr::YieldFrom(yielded) => {
                self.feed_generator();
                self.expr(&yielded.value, Role::Iterated);
            }
            Expr::FString(string) => self.f_string(string),
            Expr::TString(string) => self.t_string(string),
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::IpyEscapeCommand(_) => {}
        }
    }

    /// `a[b]`, read.
    fn subscript(&mut self, subscript: &'a ast::ExprSubscript) {
        if subscript.ctx.is_load() && !is_slice(&subscript.slice) {
            let used = self.adapt(Form::Subscript, Role::Plain, subscript);
            used.inner = subscript.value.end().to_u32();
        }
        self.expr(&subscript.value, constraint::subscripted(&subscript.slice));
        self.expr(&subscript.slice, Role::Plain);
    }

    /// `a in b` where `a` may be a stand-in and `b` a string, which CPython refuses.
    fn membership(&mut self, comparison: &'a ast::ExprCompare) {
        let bare = comparison.ops[0] == ast::CmpOp::NotIn;
        let used = self.adapt(Form::Membership, Role::Plain, comparison);
        used.inner = comparison.left.end().to_u32();
        used.flags.set(UseFlags::BARE, bare);
        self.expr(&comparison.left, Role::Plain);
        self.expr(&comparison.comparators[0], constraint::searched(&comparison.left));
    }

    pub(super) fn exprs(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.expr(expr, Role::Plain);
        }
    }

    /// Visits an assignment target: what is read on the way to it, then what it binds.
    pub(super) fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => {
                self.list_target(Form::Target, name.id.as_str(), name);
                self.bind(name.id.as_str());
            }
            Expr::Attribute(attribute) => self.attribute_target(attribute, true),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.target(element)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.target(element)),
            Expr::Starred(starred) => self.target(&starred.value),
            _ => self.expr(target, Role::Plain),
        }
    }

    /// `y.a`. Attributes of literals cannot be missing.
    fn attribute(&mut self, attribute: &'a ast::ExprAttribute, role: Role) {
        if attribute.ctx != ExprContext::Load {
            return self.attribute_target(attribute, true);
        }
        let symbol = self.intern(attribute.attr.as_str());
        let of_class = self.attribute_is_certain(attribute);
        let certain = is_literal(&attribute.value) || of_class;
        let used = self.list(Form::Attribute, symbol, role, attribute, attribute.attr.start());
        used.inner = attribute.value.end().to_u32();
        used.flags.set(UseFlags::CERTAIN, certain);
        used.flags.set(UseFlags::IN_PLACE, of_class);
        self.base(attribute);
    }

    /// `y.a = 1`, and `del y.a` or `y.a: int`, which give it no value.
    pub(super) fn attribute_target(&mut self, attribute: &'a ast::ExprAttribute, gives: bool) {
        let symbol = self.intern(attribute.attr.as_str());
        let used = self.list(Form::AttributeTarget, symbol, Role::Plain, attribute, attribute.attr.start());
        used.inner = attribute.value.end().to_u32();
        used.flags.set(UseFlags::BARE, !gives);
        self.base(attribute);
    }

    /// Visits the value whose attribute is read or written.
    pub(super) fn base(&mut self, attribute: &'a ast::ExprAttribute) {
        let symbol = self.intern(attribute.attr.as_str());
        let types = self.tables.scopes.symbols.types(symbol);
        self.expr(&attribute.value, Role::Base(types));
    }

    fn awaited(&mut self, value: &'a Expr) {
        self.adapt(Form::Awaited, Role::Awaited, value);
        self.expr(value, Role::Awaited);
    }

    /// `elements` is what its parameter takes elements of, where the call that it is passed to says so.
    pub(super) fn lambda(&mut self, lambda: &'a ast::ExprLambda, elements: Option<Iterated>) {
        self.region.remove(DIRECTLY);
        if let Some(parameters) = &lambda.parameters {
            self.defaults(parameters, None);
        }
        self.enter(Scopes::of(lambda), None, 0);
        self.returning.push(None);
        if let Some(parameters) = &lambda.parameters {
            self.parameters(parameters, false);
            if let Some(elements) = elements {
                self.feed_parameter(parameters, elements);
            }
        }
        self.part(&lambda.body, |walk| walk.expr(&lambda.body, Role::Plain));
        self.returning.pop();
        self.leave();
    }

    fn comprehension(
        &mut self,
        generators: &'a [ast::Comprehension],
        parts: [Option<&'a Expr>; 2],
        node: &impl HasNodeIndex,
    ) {
        let first_use = self.next_use();
        if let Some(first) = generators.first() {
            self.expr(&first.iter, iterated(first));
        }
        let scope = Scopes::of(node);
        debug_assert_eq!(self.tables.scopes.scopes[scope].kind, ScopeKind::Comprehension);
        self.enter(scope, None, 0);
        for (position, generator) in generators.iter().enumerate() {
            self.feed_loop(&generator.target, [Origin::Comprehension, Origin::ComprehensionPart], &generator.iter);
            let at = if position > 0 { self.next_use() } else { first_use };
            if position > 0 {
                self.expr(&generator.iter, iterated(generator));
            }
            self.target(&generator.target);
            self.feed_elements(at, &generator.iter, &generator.target);
            for condition in &generator.ifs {
                self.part(condition, |walk| walk.expr(condition, Role::Plain));
            }
        }
        for part in parts.into_iter().flatten() {
            self.part(part, |walk| walk.expr(part, Role::Plain));
        }
        self.leave();
    }
}

fn is_membership(comparison: &ast::ExprCompare) -> bool {
    let [op] = &*comparison.ops else {
        return false;
    };
    let container = &comparison.comparators[0];
    matches!(op, ast::CmpOp::In | ast::CmpOp::NotIn)
        && !is_literal(&comparison.left)
        && (!is_literal(container) || container.is_string_literal_expr() || container.is_f_string_expr())
}

fn iterated(comprehension: &ast::Comprehension) -> Role {
    if comprehension.is_async { Role::Asynchronous } else { constraint::iterated(&comprehension.target) }
}

/// Literals: their attributes are known, and calling them is CPython's own `SyntaxWarning`.
pub(super) fn is_literal(expr: &Expr) -> bool {
    let displayed = matches!(
        expr,
        Expr::FString(_)
            | Expr::TString(_)
            | Expr::List(_)
            | Expr::Dict(_)
            | Expr::Tuple(_)
            | Expr::Set(_)
            | Expr::ListComp(_)
            | Expr::DictComp(_)
            | Expr::SetComp(_)
            | Expr::Generator(_)
    );
    displayed || expr.is_literal_expr()
}

/// True for `a:b`, alone or among other parts.
fn is_slice(slice: &Expr) -> bool {
    match slice {
        Expr::Slice(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().any(|part| part.is_slice_expr() || part.is_starred_expr()),
        _ => false,
    }
}
