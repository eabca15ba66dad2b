//! Calls: `f(z)`.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextSize};

use super::expressions::is_literal;
use super::{Walk, constraint};
use crate::role::Role;
use crate::semantic::uses::{Form, UseFlags};

impl<'a> Walk<'a> {
    pub(super) fn call(&mut self, call: &'a ast::ExprCall, role: Role) {
        let certain = !self.may_fail(call);
        let (name, name_at) = callee_name_at(&call.func);
        let symbol = self.intern(name);
        let arguments = &call.arguments;
        let used = self.list(Form::Call, symbol, role, call, name_at);
        used.inner = arguments.start().to_u32();
        used.flags.set(UseFlags::CERTAIN, certain);
        used.flags.set(UseFlags::IN_PLACE, certain && (spreads(call) || name == "isinstance"));
        used.flags.set(UseFlags::DIRECT, matches!(&*call.func, Expr::Name(_) | Expr::Attribute(_)));
        used.flags.set(UseFlags::BARE, arguments.is_empty());
        if let ([Expr::Generator(generator)], []) = (&*arguments.args, &*arguments.keywords) {
            used.flags.set(UseFlags::SOLE_GENERATOR, !generator.parenthesized);
        }
        // The hook of a method only works together with that of the call.
        let hooked = !certain && self.frame().hooked && !self.region.intersects(UseFlags::NOT_GUARDED);
        let role = if hooked { Role::Callee } else { Role::Plain };
        self.in_region(UseFlags::CALLEE, |walk| walk.expr(&call.func, role));
        let role = self.argument_role(call);
        self.arguments(call, role);
    }

    /// False for calls that are left to CPython.
    fn may_fail(&mut self, call: &'a ast::ExprCall) -> bool {
        // A `*` or `**` that cannot be spread is reported with the callee's name: CPython must see the call itself.
        if is_literal(&call.func) || spreads(call) || self.is_own_function(&call.func) {
            return false;
        }
        match &*call.func {
            Expr::Name(name) => {
                let symbol = self.intern(name.id.as_str());
                !self.certain_builtin(symbol).is_some_and(|builtin| builtin.call_stays_plain)
            }
            _ => true,
        }
    }

    /// What a builtin does with its arguments.
    fn argument_role(&mut self, call: &'a ast::ExprCall) -> Role {
        let Expr::Name(name) = &*call.func else {
            return Role::Plain;
        };
        let symbol = self.intern(name.id.as_str());
        let builtin = self.certain_builtin(symbol).unwrap_or_default();
        constraint::argument(builtin, call.arguments.args.len())
    }

    fn arguments(&mut self, call: &'a ast::ExprCall, role: Role) {
        for argument in call.arguments.iter_source_order() {
            if let Expr::Lambda(lambda) = argument.value() {
                let elements = self.iterated_by(call, lambda);
                self.lambda(lambda, elements);
                continue;
            }
            match argument {
                ast::ArgOrKeyword::Arg(expr) => self.expr(expr, role),
                ast::ArgOrKeyword::Keyword(keyword) => {
                    let role = if keyword.arg.is_some() { Role::Plain } else { Role::Mapping };
                    self.expr(&keyword.value, role);
                }
            }
        }
    }
}

/// True for a call with a `*` or a `**`.
fn spreads(call: &ast::ExprCall) -> bool {
    call.arguments.args.iter().any(Expr::is_starred_expr)
        || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none())
}

/// The last component of what is called, and where it stands.
fn callee_name_at(callee: &Expr) -> (&str, TextSize) {
    match callee {
        Expr::Name(name) => (name.id.as_str(), name.start()),
        Expr::Attribute(attribute) => (attribute.attr.as_str(), attribute.attr.start()),
        Expr::Call(call) => (callee_name_at(&call.func).0, call.start()),
        Expr::Subscript(subscript) => (callee_name_at(&subscript.value).0, subscript.start()),
        Expr::Await(awaited) => callee_name_at(&awaited.value),
        Expr::Named(named) => callee_name_at(&named.target),
        _ => ("", callee.start()),
    }
}
