//! Expressions, visited in the order in which Python evaluates them.

use ruff_python_ast::{self as ast, Expr, ExprContext};
use ruff_text_size::Ranged;

use super::{Rewriter, demands};
use crate::hooks::Hook;
use crate::roles::Role;
use crate::scopes::{ScopeKind, node_id};
use crate::sites::Kind;

impl<'a> Rewriter<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr, role: Role) {
        match expr {
            Expr::Name(name) => {
                if name.ctx == ExprContext::Load {
                    self.read_name(name, role);
                }
            }
            Expr::Attribute(attribute) => self.attribute(attribute, role),
            Expr::Call(call) => self.call(call, role),
            Expr::Subscript(subscript) => {
                self.expr(&subscript.value, demands::subscripted(&subscript.slice));
                self.expr(&subscript.slice, Role::Plain);
            }
            Expr::BoolOp(operation) => {
                for value in &operation.values {
                    self.expr(value, Role::Plain);
                }
            }
            Expr::BinOp(operation) => {
                let [left, right] = demands::operands(operation, role);
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
            Expr::Compare(comparison) if self.is_membership(comparison) => self.membership(comparison),
            Expr::Compare(comparison) => {
                let first = comparison.ops.first().zip(comparison.comparators.first());
                self.expr(&comparison.left, first.map_or(Role::Plain, |(&op, other)| demands::compared(op, other)));
                let mut left = &*comparison.left;
                for (&op, comparator) in comparison.ops.iter().zip(&comparison.comparators) {
                    let member = matches!(op, ast::CmpOp::In | ast::CmpOp::NotIn);
                    let role = if member { demands::searched(left) } else { demands::compared(op, left) };
                    self.expr(comparator, role);
                    left = comparator;
                }
            }
            Expr::If(choice) => {
                self.expr(&choice.test, Role::Plain);
                self.expr(&choice.body, role);
                self.expr(&choice.orelse, role);
            }
            Expr::Named(named) => {
                // The name is bound to the value itself, not to what a call would make of it.
                self.expr(&named.value, if role == Role::Callee { Role::Plain } else { role });
                if let Expr::Name(name) = &*named.target {
                    self.bind(name.id.as_str());
                }
            }
            Expr::Lambda(lambda) => self.lambda(lambda),
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
                for part in [&slice.lower, &slice.upper, &slice.step].into_iter().flatten() {
                    self.expr(part, Role::Plain);
                }
            }
            Expr::ListComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::SetComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::Generator(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::DictComp(comp) => {
                self.comprehension(&comp.generators, [comp.key.as_deref(), Some(&comp.value)], node_id(comp));
            }
            Expr::Await(awaited) => self.awaited(&awaited.value),
            Expr::Yield(yielded) => {
                if let Some(value) = &yielded.value {
                    self.expr(value, Role::Plain);
                }
            }
            Expr::YieldFrom(yielded) => self.expr(&yielded.value, Role::Iterated),
            Expr::FString(string) => self.f_string(string),
            // A template keeps the text of its expressions, so it stays as written.
            Expr::TString(_)
            | Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::IpyEscapeCommand(_) => {}
        }
    }

    /// `a in b` where `a` may be a stand-in and `b` a string, which CPython refuses.
    fn is_membership(&mut self, comparison: &ast::ExprCompare) -> bool {
        let [op] = &*comparison.ops else {
            return false;
        };
        let container = &comparison.comparators[0];
        matches!(op, ast::CmpOp::In | ast::CmpOp::NotIn)
            && self.frame().hooked
            && !is_literal(&comparison.left)
            && (!is_literal(container) || container.is_string_literal_expr() || container.is_f_string_expr())
    }

    /// `a in b` becomes `_i_(a,b)`, and `a not in b` becomes `(not _i_(a,b))`.
    fn membership(&mut self, comparison: &'a ast::ExprCompare) {
        let container = &comparison.comparators[0];
        let negated = comparison.ops[0] == ast::CmpOp::NotIn;
        self.open_expr(comparison.start(), |out, prefix| {
            out.push_str(if negated { "(not " } else { "" });
            out.push_str(prefix);
            out.push(Hook::Membership.letter() as u8);
            out.push_str("_(");
        });
        self.expr(&comparison.left, Role::Plain);
        let mut at = self.find_word(comparison.left.end().to_usize());
        if negated {
            self.delete(at, at + 3);
            at = self.find_word(at as usize + 3);
        }
        self.edits.replace(at, 2, |out| out.push(b','));
        self.expr(container, demands::searched(&comparison.left));
        self.insert(comparison.end(), if negated { "))" } else { ")" });
    }

    /// Where the next word starts, past white space, comments, backslashes and closing parentheses.
    fn find_word(&self, from: usize) -> u32 {
        let bytes = self.source.as_bytes();
        let mut at = from;
        while at < bytes.len() && !bytes[at].is_ascii_alphabetic() {
            if bytes[at] == b'#' {
                at += memchr::memchr2(b'\n', b'\r', &bytes[at..]).unwrap_or(bytes.len() - at);
            } else {
                at += 1;
            }
        }
        at as u32
    }

    pub(super) fn exprs(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.expr(expr, Role::Plain);
        }
    }

    /// Visits an assignment target: what is read on the way to it, then what it binds.
    pub(super) fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str()),
            Expr::Attribute(attribute) => self.base(attribute),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|element| self.target(element)),
            Expr::List(list) => list.elts.iter().for_each(|element| self.target(element)),
            Expr::Starred(starred) => self.target(&starred.value),
            _ => self.expr(target, Role::Plain),
        }
    }

    /// `y.a` becomes `_a_(site,y)`. Attributes of literals cannot be missing and stay.
    fn attribute(&mut self, attribute: &'a ast::ExprAttribute, role: Role) {
        let symbol = self.scopes.symbols.intern(attribute.attr.as_str());
        self.note_attribute(symbol, role);
        let certain = is_literal(&attribute.value) || self.attribute_is_certain(attribute);
        if attribute.ctx != ExprContext::Load || !self.frame().hooked || certain {
            return self.base(attribute);
        }
        let site = self.attribute_site(attribute, role);
        let hook = if role == Role::Callee { Hook::Method } else { Hook::Attribute };
        self.open_hook(hook, site, attribute.start());
        self.base(attribute);
        self.close_attribute(attribute);
        self.report_at_name(attribute, attribute);
    }

    /// Visits the value whose attribute is read or written.
    pub(super) fn base(&mut self, attribute: &'a ast::ExprAttribute) {
        let types = self.scopes.symbols.types(attribute.attr.as_str());
        self.expr(&attribute.value, Role::Base(types));
    }

    /// Replaces `.a` by `)`, keeping the white space and comments between.
    pub(super) fn close_attribute(&mut self, attribute: &'a ast::ExprAttribute) {
        let dot = self.find_dot(attribute);
        self.delete(dot, dot + 1);
        let name = attribute.attr.range();
        self.edits.replace(name.start().to_u32(), name.len().to_u32(), |out| out.push(b')'));
    }

    pub(super) fn find_dot(&self, attribute: &ast::ExprAttribute) -> u32 {
        let bytes = self.source.as_bytes();
        let mut at = attribute.value.end().to_usize();
        let end = attribute.attr.start().to_usize();
        while at < end && bytes[at] != b'.' {
            if bytes[at] == b'#' {
                at += memchr::memchr2(b'\n', b'\r', &bytes[at..end]).unwrap_or(end - at);
            } else {
                at += 1;
            }
        }
        at as u32
    }

    /// CPython reports an attribute on another line than its object at the attribute's name.
    pub(super) fn report_at_name(&mut self, node: &impl Ranged, attribute: &ast::ExprAttribute) {
        if !self.lines.is_on(self.line(node.start()), attribute.attr.end().to_u32()) {
            let at = attribute.attr.start().to_u32();
            self.moved.push((node.start().to_u32(), node.end().to_u32(), at));
        }
    }

    /// `await x` becomes `await _w_(site,x)`.
    fn awaited(&mut self, value: &'a Expr) {
        if !self.frame().hooked {
            return self.expr(value, Role::Awaited);
        }
        let site = self.site(Kind::Variable, "", Role::Awaited, value, value.start());
        self.open_hook(Hook::Await, site, value.start());
        self.expr(value, Role::Awaited);
        self.insert(value.end(), ")");
    }

    fn lambda(&mut self, lambda: &'a ast::ExprLambda) {
        if let Some(parameters) = &lambda.parameters {
            self.defaults(parameters, None);
        }
        self.enter(self.scopes.of(lambda), None, 0);
        self.expr(&lambda.body, Role::Plain);
        self.leave();
    }

    fn comprehension(&mut self, generators: &'a [ast::Comprehension], parts: [Option<&'a Expr>; 2], node: usize) {
        let first_site = self.sites.len();
        if let Some(first) = generators.first() {
            self.expr(&first.iter, iterated(first));
        }
        let scope = self.scopes.by_id(node);
        debug_assert_eq!(self.scopes.scopes[scope].kind, ScopeKind::Comprehension);
        self.enter(scope, None, 0);
        for (position, generator) in generators.iter().enumerate() {
            let at = if position > 0 { self.sites.len() } else { first_site };
            if position > 0 {
                self.expr(&generator.iter, iterated(generator));
            }
            self.target(&generator.target);
            self.note_elements(at, &generator.iter, &generator.target);
            for condition in &generator.ifs {
                self.expr(condition, Role::Plain);
            }
        }
        for part in parts.into_iter().flatten() {
            self.expr(part, Role::Plain);
        }
        self.leave();
    }
}

fn iterated(comprehension: &ast::Comprehension) -> Role {
    if comprehension.is_async { Role::Asynchronous } else { demands::iterated(&comprehension.target) }
}

/// Literals: their attributes are known, and calling them is CPython's own `SyntaxWarning`.
pub(super) fn is_literal(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::FString(_)
            | Expr::TString(_)
            | Expr::List(_)
            | Expr::Dict(_)
            | Expr::Tuple(_)
            | Expr::Set(_)
            | Expr::ListComp(_)
            | Expr::DictComp(_)
            | Expr::SetComp(_)
            | Expr::Generator(_)
    )
}
