//! Calls: `f(z)` becomes `_c_(site,f,z)`.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextSize};

use super::expressions::is_literal;
use super::{Rewriter, demands};
use crate::hooks::Hook;
use crate::roles::Role;
use crate::sites::Kind;

impl<'a> Rewriter<'a> {
    pub(super) fn call(&mut self, call: &'a ast::ExprCall, role: Role) {
        if !self.hookable(call) {
            // Not the role of a callee: the method's own hook only works together with the call's.
            self.expr(&call.func, Role::Plain);
            let role = self.argument_role(call);
            return self.arguments(&call.arguments, role);
        }
        let (name, name_at) = callee_name_at(&call.func);
        let site = self.site(Kind::ReturnValue, name, role, call, name_at);
        self.open_hook(Hook::Call, site, call.start());
        self.expr(&call.func, Role::Callee);
        let role = self.argument_role(call);
        self.open_arguments(&call.arguments, role);
        if let Expr::Attribute(attribute) = &*call.func {
            self.report_at_name(call, attribute);
        }
    }

    fn hookable(&mut self, call: &'a ast::ExprCall) -> bool {
        // A `*` or `**` that cannot be spread is reported with the callee's name: CPython must see the call itself.
        let spreads = call.arguments.args.iter().any(Expr::is_starred_expr)
            || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none());
        if !self.frame().hooked || is_literal(&call.func) || spreads || self.is_own_function(&call.func) {
            return false;
        }
        match &*call.func {
            Expr::Name(name) => {
                let symbol = self.scopes.symbols.intern(name.id.as_str());
                !self.certain_builtin(symbol).is_some_and(|builtin| builtin.call_stays_plain)
            }
            _ => true,
        }
    }

    /// Replaces `(` by `,` (by nothing before `)`) and visits what is between.
    fn open_arguments(&mut self, arguments: &'a ast::Arguments, role: Role) {
        let open = arguments.start().to_u32();
        match (&*arguments.args, arguments.keywords.is_empty()) {
            ([], true) => self.delete(open, open + 1),
            ([Expr::Generator(generator)], true) if !generator.parenthesized => {
                // The call's own parentheses were the generator's: it needs its own pair now.
                self.edits.replace(open, 1, |out| out.push_str(",("));
                self.expr(&arguments.args[0], Role::Plain);
                return self.insert(arguments.end() - TextSize::new(1), ")");
            }
            _ => self.edits.replace(open, 1, |out| out.push(b',')),
        }
        self.arguments(arguments, role);
    }

    /// What a builtin does with its arguments.
    fn argument_role(&mut self, call: &'a ast::ExprCall) -> Role {
        let Expr::Name(name) = &*call.func else {
            return Role::Plain;
        };
        let symbol = self.scopes.symbols.intern(name.id.as_str());
        let builtin = self.certain_builtin(symbol).unwrap_or_default();
        demands::argument(builtin, call.arguments.args.len())
    }

    pub(super) fn arguments(&mut self, arguments: &'a ast::Arguments, role: Role) {
        for argument in arguments.iter_source_order() {
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

/// The last component of what is called, and where it stands.
pub(super) fn callee_name_at(callee: &Expr) -> (&str, TextSize) {
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
