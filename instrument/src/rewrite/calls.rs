//! Calls: `f(z)` becomes `_c_(site,f,z)`, and `y.a(z)` becomes `_m_(site,y,z)` where the order of evaluation allows.

use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextSize};

use super::Rewriter;
use super::expressions::is_literal;
use super::names::Resolution;
use crate::builtin_names;
use crate::hooks::Hook;
use crate::scopes::ScopeKind;
use crate::sites::{Kind, Role};

impl<'a> Rewriter<'a> {
    pub(super) fn call(&mut self, call: &'a ast::ExprCall, role: Role) {
        if !self.hookable(call) {
            self.expr(&call.func, Role::Callee);
            return self.arguments(&call.arguments);
        }
        match &*call.func {
            Expr::Attribute(attribute) if !is_literal(&attribute.value) && self.arguments_are_inert(call) => {
                self.method_call(call, attribute, role);
            }
            _ => self.plain_call(call, role),
        }
    }

    fn hookable(&mut self, call: &'a ast::ExprCall) -> bool {
        // A `*` or `**` that cannot be spread is reported with the callee's name: CPython must see the call itself.
        let spreads = call.arguments.args.iter().any(Expr::is_starred_expr)
            || call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none());
        if !self.frame().hooked || is_literal(&call.func) || spreads {
            return false;
        }
        match &*call.func {
            Expr::Name(name) => {
                let name = name.id.as_str();
                !(builtin_names::call_stays_plain(name) && self.means_builtin(name))
            }
            _ => true,
        }
    }

    fn plain_call(&mut self, call: &'a ast::ExprCall, role: Role) {
        let (name, name_at) = callee_name(&call.func);
        let site = self.site(Kind::ReturnValue, name, role, call, name_at);
        self.open_hook(Hook::Call, site, call.start());
        self.expr(&call.func, Role::Callee);
        self.open_arguments(&call.arguments);
        if let Expr::Attribute(attribute) = &*call.func {
            self.report_at_name(call, attribute);
        }
    }

    /// The attribute is read and called by one hook; its own site is the one before the call's.
    fn method_call(&mut self, call: &'a ast::ExprCall, attribute: &'a ast::ExprAttribute, role: Role) {
        let name = &attribute.attr;
        self.site(Kind::Attribute, name.as_str(), Role::Callee, attribute, name.start());
        let site = self.site(Kind::ReturnValue, name.as_str(), role, call, name.start());
        self.open_hook(Hook::Method, site, call.start());
        self.expr(&attribute.value, Role::Base);
        // `_m_(8,y` and then the arguments: the dot, the name and the parenthesis go.
        let (dot, name) = (self.find_dot(attribute), attribute.attr.range());
        self.delete(dot, dot + 1);
        self.delete(name.start().to_u32(), name.end().to_u32());
        self.open_arguments(&call.arguments);
        self.report_at_name(call, attribute);
    }

    /// Replaces `(` by `,` (by nothing before `)`) and visits what is between.
    fn open_arguments(&mut self, arguments: &'a ast::Arguments) {
        let open = arguments.start().to_u32();
        match (&*arguments.args, arguments.keywords.is_empty()) {
            ([], true) => self.delete(open, open + 1),
            ([Expr::Generator(generator)], true) if !generator.parenthesized => {
                // The call's own parentheses were the generator's: it needs its own pair now.
                self.edits.replace(open, 1, |out| out.push_str(",("));
                self.expr(&arguments.args[0], Role::Plain);
                return self.insert(arguments.end() - TextSize::new(1), ")");
            }
            _ => self.edits.replace(open, 1, |out| out.push(',')),
        }
        self.arguments(arguments);
    }

    pub(super) fn arguments(&mut self, arguments: &'a ast::Arguments) {
        for argument in arguments.iter_source_order() {
            match argument {
                ast::ArgOrKeyword::Arg(expr) => self.expr(expr, Role::Plain),
                ast::ArgOrKeyword::Keyword(keyword) => {
                    let role = if keyword.arg.is_some() { Role::Plain } else { Role::Mapping };
                    self.expr(&keyword.value, role);
                }
            }
        }
    }

    /// True where evaluating the arguments before the attribute makes no difference: constants and local
    /// variables that are certainly bound. CPython looks the attribute up first.
    fn arguments_are_inert(&self, call: &ast::ExprCall) -> bool {
        let positional = call.arguments.args.iter().all(|argument| self.is_inert(argument));
        positional
            && call.arguments.keywords.iter().all(|keyword| keyword.arg.is_some() && self.is_inert(&keyword.value))
    }

    fn is_inert(&self, expr: &Expr) -> bool {
        match expr {
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_) => true,
            Expr::Name(name) => {
                let scope = &self.scopes.scopes[self.frames[self.frames.len() - 1].scope];
                scope.kind == ScopeKind::Function
                    && scope.binding(name.id.as_str()).is_some_and(|binding| binding.bound && !binding.global)
                    && self.resolve(name.id.as_str()) == Resolution::Proven
            }
            _ => false,
        }
    }
}

/// The last component of what is called, and where it stands.
fn callee_name(callee: &Expr) -> (&str, TextSize) {
    match callee {
        Expr::Name(name) => (name.id.as_str(), name.start()),
        Expr::Attribute(attribute) => (attribute.attr.as_str(), attribute.attr.start()),
        Expr::Call(call) => (callee_name(&call.func).0, call.start()),
        Expr::Subscript(subscript) => (callee_name(&subscript.value).0, subscript.start()),
        Expr::Await(awaited) => callee_name(&awaited.value),
        Expr::Named(named) => callee_name(&named.target),
        _ => ("", callee.start()),
    }
}
