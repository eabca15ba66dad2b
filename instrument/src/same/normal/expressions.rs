//! Ways to write the same expression: names of `OSError`, `super()`, `cast`, displays, and the like.

use ruff_python_ast::name::Name;
use ruff_python_ast::{self as ast, CmpOp, Expr, ExprContext, UnaryOp};

use super::{Form, fresh, is_name, tuple};

/// Other names of `OSError`, and modules that have it as `error`.
const OS_ERRORS: &[&str] = &["IOError", "EnvironmentError"];
const WITH_OS_ERROR: &[&str] = &["socket", "select", "os", "mmap"];

impl Form {
    pub(super) fn rewrite_expression(&self, expr: &mut Expr) {
        if let Expr::Name(name) = expr
            && OS_ERRORS.iter().any(|other| self.is_builtin(&Expr::Name(name.clone()), other))
        {
            name.id = Name::new("OSError");
        }
        if let Expr::Attribute(attribute) = &*expr
            && attribute.attr.as_str() == "error"
            && WITH_OS_ERROR.iter().any(|module| is_name(&attribute.value, module))
        {
            let (node_index, range) = fresh();
            *expr = ast::ExprName { node_index, range, id: Name::new("OSError"), ctx: ExprContext::Load }.into();
        }
        if let Expr::UnaryOp(unary) = &*expr
            && unary.op == UnaryOp::Not
            && let Expr::Compare(compare) = &*unary.operand
            && let [op @ (CmpOp::In | CmpOp::Is)] = *compare.ops
        {
            let mut compare = compare.clone();
            compare.ops = Box::new([if op == CmpOp::In { CmpOp::NotIn } else { CmpOp::IsNot }]);
            *expr = compare.into();
        }
        if let Expr::Call(call) = expr
            && let Some(other) = self.rewritten_call(call)
        {
            *expr = other;
        }
    }

    fn rewritten_call(&self, call: &mut ast::ExprCall) -> Option<Expr> {
        if !call.arguments.keywords.is_empty() {
            return None;
        }
        let is_typing = |expr: &Expr| matches!(expr, Expr::Name(name) if self.casts.contains(&name.id));
        match (&*call.func, &*call.arguments.args) {
            (func, [Expr::Name(class), Expr::Name(object)]) if self.is_builtin(func, "super") => {
                let around = self.around.borrow();
                let [.., (true, own), (false, first)] = &around[..] else { return None };
                if *own == class.id && *first == object.id {
                    call.arguments.args = Box::default();
                }
            }
            (cast, [_, value]) if is_typing(cast) => return Some(value.clone()),
            (Expr::Attribute(cast), [_, value]) if cast.attr.as_str() == "cast" && is_typing(&cast.value) => {
                return Some(value.clone());
            }
            (Expr::Attribute(method), [Expr::StringLiteral(encoding)])
                if matches!(method.attr.as_str(), "encode" | "decode")
                    && matches!(&*encoding.value.to_str().to_lowercase(), "utf-8" | "utf8") =>
            {
                call.arguments.args = Box::default();
            }
            (func, [file, Expr::StringLiteral(mode)])
                if self.is_builtin(func, "open") && mode.value.to_str() == "r" =>
            {
                call.arguments.args = Box::new([file.clone()]);
            }
            (func, arguments) => return self.display(func, arguments),
        }
        None
    }

    /// What a builtin class makes of its arguments, as a display or comprehension.
    fn display(&self, func: &Expr, arguments: &[Expr]) -> Option<Expr> {
        let (node_index, range) = fresh();
        let ctx = ExprContext::Load;
        Some(match arguments {
            [] if self.is_builtin(func, "list") => ast::ExprList { node_index, range, elts: Vec::new(), ctx }.into(),
            [] if self.is_builtin(func, "dict") => ast::ExprDict { node_index, range, items: Vec::new() }.into(),
            [] if self.is_builtin(func, "tuple") => tuple(Vec::new()),
            [Expr::List(list)] if self.is_builtin(func, "set") && !list.elts.is_empty() => {
                ast::ExprSet { node_index, range, elts: list.elts.clone() }.into()
            }
            [Expr::Tuple(tuple)] if self.is_builtin(func, "set") && !tuple.elts.is_empty() => {
                ast::ExprSet { node_index, range, elts: tuple.elts.clone() }.into()
            }
            [Expr::ListComp(inner)] if self.is_builtin(func, "set") => {
                let (elt, generators) = (inner.elt.clone(), inner.generators.clone());
                ast::ExprSetComp { node_index, range, elt, generators }.into()
            }
            [Expr::Generator(inner)] if self.is_builtin(func, "set") => {
                let (elt, generators) = (inner.elt.clone(), inner.generators.clone());
                ast::ExprSetComp { node_index, range, elt, generators }.into()
            }
            [Expr::Generator(inner)] if self.is_builtin(func, "list") => {
                let (elt, generators) = (inner.elt.clone(), inner.generators.clone());
                ast::ExprListComp { node_index, range, elt, generators }.into()
            }
            _ => return None,
        })
    }
}
