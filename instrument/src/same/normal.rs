//! A normal form of code: one way to write what can be written in several ways that do the same, so that a refactoring is
//! recognised without a run.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::{
    self as ast, AtomicNodeIndex, CmpOp, ElifElseClause, ExceptHandler, Expr, ExprContext, Operator, Stmt, UnaryOp,
};
use ruff_text_size::TextRange;
use rustc_hash::FxHashMap;

use super::{equal, plain, rename_locals};
use crate::extract::imported;
use crate::semantic::SourceModel;

/// Other names of `OSError`, and modules that have it as `error`.
const OS_ERRORS: &[&str] = &["IOError", "EnvironmentError"];
const WITH_OS_ERROR: &[&str] = &["socket", "select", "os", "mmap"];
/// Exceptions whose first argument is no message.
const WITH_VALUES: &[&str] = &["SystemExit", "StopIteration", "StopAsyncIteration", "KeyError"];
const LOGGING: &[&str] = &["debug", "info", "warning", "warn", "error", "exception", "critical"];

/// True if two sources differ only in how they write the same: `else` behind a `return`, `super(C, self)`, names of
/// `OSError`, what a message says (unless messages count), and the like.
#[must_use]
pub fn have_one_form(old: &SourceModel, new: &SourceModel, messages_count: bool) -> bool {
    let form = |model: &SourceModel| {
        let used = imported(model).names;
        model.with_tree(|tree| normal(plain(tree.suite(), &used), &used, messages_count))
    };
    let (Some(mut old), Some(mut new)) = (form(old), form(new)) else { return false };
    equal(&old, &new) || rename_locals(&mut old) && rename_locals(&mut new) && equal(&old, &new)
}

fn normal(mut body: ast::Suite, used: &BTreeSet<String>, messages_count: bool) -> ast::Suite {
    body.retain(|stmt| match stmt {
        Stmt::Import(import) => import.names.iter().any(|alias| {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            used.contains(name.split('.').next().unwrap_or(name))
        }),
        Stmt::ImportFrom(import) => import.names.iter().any(|alias| {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            name == "*" || used.contains(name)
        }),
        _ => true,
    });
    let names = Names::default();
    for stmt in &mut body {
        names.visit_stmt(stmt);
    }
    let form = Form { messages_count, names, around: RefCell::default() };
    for stmt in &mut body {
        form.visit_stmt(stmt);
    }
    form.block(&mut body);
    body
}

/// Names of a source by what is done with them.
#[derive(Default)]
struct Names {
    bound: RefCell<BTreeSet<Name>>,
    /// How often each is read.
    read: RefCell<FxHashMap<Name, usize>>,
}

impl Names {
    fn is_read(&self, name: &Name) -> bool {
        self.read.borrow().contains_key(name)
    }

    fn reads(&self, name: &Name) {
        *self.read.borrow_mut().entry(name.clone()).or_default() += 1;
    }
}

impl Transformer for Names {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    self.reads(&name.id);
                }
            }
            // Names that others may see.
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                for name in names {
                    self.reads(&name.id);
                }
            }
            Stmt::FunctionDef(def) => _ = self.bound.borrow_mut().insert(def.name.id.clone()),
            _ => {}
        }
        transformer::walk_stmt(self, stmt);
    }

    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Name(name) = expr {
            match name.ctx {
                ExprContext::Load => self.reads(&name.id),
                _ => _ = self.bound.borrow_mut().insert(name.id.clone()),
            }
            if matches!(name.id.as_str(), "locals" | "vars" | "eval" | "exec") {
                // Any name may be read.
                let bound: Vec<Name> = self.bound.borrow().iter().cloned().collect();
                for name in &bound {
                    self.reads(name);
                }
            }
        }
        transformer::walk_expr(self, expr);
    }

    fn visit_parameter(&self, parameter: &mut ast::Parameter) {
        self.bound.borrow_mut().insert(parameter.name.id.clone());
        transformer::walk_parameter(self, parameter);
    }

    fn visit_alias(&self, alias: &mut ast::Alias) {
        self.bound.borrow_mut().insert(alias.asname.as_ref().unwrap_or(&alias.name).id.clone());
    }
}

struct Form {
    messages_count: bool,
    names: Names,
    /// Of each class and function around: the name of a class, the first parameter of a function.
    around: RefCell<Vec<(bool, Name)>>,
}

impl Transformer for Form {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        let around = match stmt {
            Stmt::ClassDef(def) => {
                let is_object = |arguments: &ast::Arguments| {
                    let base = arguments.args.first().is_none_or(|base| is_name(base, "object"));
                    base && arguments.args.len() < 2 && arguments.keywords.is_empty()
                };
                def.arguments.take_if(|arguments| is_object(arguments));
                Some((true, def.name.id.clone()))
            }
            Stmt::FunctionDef(def) => {
                let first = def.parameters.iter_non_variadic_params().next();
                Some((false, first.map_or_else(|| Name::new(""), |first| first.name().id.clone())))
            }
            _ => None,
        };
        let is_inside = around.is_some();
        self.around.borrow_mut().extend(around);
        transformer::walk_stmt(self, stmt);
        if is_inside {
            self.around.borrow_mut().pop();
        }
        self.rewrite(stmt);
    }

    fn visit_expr(&self, expr: &mut Expr) {
        transformer::walk_expr(self, expr);
        self.rewrite_expression(expr);
    }

    fn visit_except_handler(&self, handler: &mut ExceptHandler) {
        transformer::walk_except_handler(self, handler);
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.take_if(|name| !self.names.is_read(&name.id));
        self.block(&mut inner.body);
    }

    fn visit_match_case(&self, case: &mut ast::MatchCase) {
        transformer::walk_match_case(self, case);
        self.block(&mut case.body);
    }
}

impl Form {
    fn is_builtin(&self, expr: &Expr, name: &str) -> bool {
        is_name(expr, name) && !self.names.bound.borrow().iter().any(|bound| bound.as_str() == name)
    }

    fn rewrite(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.block(&mut def.body);
                if matches!(def.body.last(), Some(Stmt::Return(last)) if last.value.is_none()) {
                    def.body.pop();
                }
            }
            Stmt::ClassDef(def) => self.block(&mut def.body),
            Stmt::If(stmt) => {
                self.block(&mut stmt.body);
                stmt.elif_else_clauses.iter_mut().for_each(|clause| self.block(&mut clause.body));
            }
            Stmt::For(stmt) => {
                self.block(&mut stmt.body);
                self.block(&mut stmt.orelse);
            }
            Stmt::While(stmt) => {
                if matches!(&*stmt.test, Expr::NumberLiteral(number) if number.value.as_int().is_some_and(|one| *one == 1))
                {
                    let (node_index, range) = fresh();
                    *stmt.test = ast::ExprBooleanLiteral { node_index, range, value: true }.into();
                }
                self.block(&mut stmt.body);
                self.block(&mut stmt.orelse);
            }
            Stmt::With(stmt) => self.block(&mut stmt.body),
            Stmt::Try(stmt) => {
                self.block(&mut stmt.body);
                self.block(&mut stmt.orelse);
                self.block(&mut stmt.finalbody);
            }
            Stmt::Return(stmt) => _ = stmt.value.take_if(|value| value.is_none_literal_expr()),
            Stmt::Raise(stmt) => {
                stmt.cause = None;
                if let Some(exc) = &mut stmt.exc {
                    self.rewrite_exception(exc);
                }
            }
            Stmt::Expr(stmt) if !self.messages_count => {
                if let Expr::Call(call) = &mut *stmt.value
                    && is_log_or_warning(&call.func)
                    && let Some(first) = call.arguments.args.first_mut()
                {
                    let operands = message(first);
                    first_of(first, operands);
                    // The place that a warning names.
                    let is_place =
                        |keyword: &ast::Keyword| keyword.arg.as_ref().is_some_and(|name| name == "stacklevel");
                    call.arguments.keywords.retain(|keyword| !is_place(keyword));
                }
            }
            _ => {}
        }
    }

    /// A class that is raised is called without arguments; the text of a message becomes what is put into it.
    fn rewrite_exception(&self, exc: &mut Expr) {
        let is_class = last_name(exc).is_some_and(|name| name.starts_with(|letter: char| letter.is_uppercase()));
        if is_class && matches!(exc, Expr::Name(_) | Expr::Attribute(_)) {
            let (node_index, range) = fresh();
            let arguments = ast::Arguments { range, node_index, args: Box::default(), keywords: Vec::new().into() };
            let func = Box::new(exc.clone());
            let node_index = AtomicNodeIndex::NONE;
            *exc = ast::ExprCall { node_index, range_start: range.start(), func, arguments }.into();
        }
        if let Expr::Call(call) = exc
            && !self.messages_count
            && last_name(&call.func).is_some_and(|name| !WITH_VALUES.contains(&name))
        {
            for argument in &mut call.arguments.args {
                let operands = message(argument);
                first_of(argument, operands);
            }
        }
    }

    fn rewrite_expression(&self, expr: &mut Expr) {
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
        let is_of = |names: &[&str], expr: &Expr| names.iter().any(|name| is_name(expr, name));
        match (&*call.func, &*call.arguments.args) {
            (func, [Expr::Name(class), Expr::Name(object)]) if self.is_builtin(func, "super") => {
                let around = self.around.borrow();
                let [.., (true, own), (false, first)] = &around[..] else { return None };
                if *own == class.id && *first == object.id {
                    call.arguments.args = Box::default();
                }
            }
            (Expr::Name(cast), [_, value]) if cast.id.as_str() == "cast" => return Some(value.clone()),
            (Expr::Attribute(cast), [_, value])
                if cast.attr.as_str() == "cast" && is_of(&["typing", "t", "typing_extensions"], &cast.value) =>
            {
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

    /// Statements without those that do nothing; what stands in an `else` that is not needed stands behind it.
    fn block(&self, body: &mut ast::Suite) {
        let mut pending: Vec<Stmt> = body.drain(..).rev().collect();
        while let Some(stmt) = pending.pop() {
            match stmt {
                Stmt::Pass(_) => {}
                Stmt::Expr(stmt) if stmt.value.is_literal_expr() => {}
                Stmt::For(mut stmt) if !stmt.orelse.is_empty() && !breaks(&stmt.body) => {
                    pending.extend(stmt.orelse.drain(..).rev());
                    body.push(stmt.into());
                }
                Stmt::While(mut stmt) if !stmt.orelse.is_empty() && !breaks(&stmt.body) => {
                    pending.extend(stmt.orelse.drain(..).rev());
                    body.push(stmt.into());
                }
                Stmt::If(stmt) => self.condition(stmt, body, &mut pending),
                Stmt::Return(ref last) => {
                    let value = last.value.as_deref().and_then(|value| self.returned(value, body.last()));
                    match value {
                        Some(value) => {
                            body.pop();
                            let (node_index, range) = fresh();
                            body.push(ast::StmtReturn { node_index, range, value: Some(value) }.into());
                        }
                        None => body.push(stmt),
                    }
                }
                stmt => body.push(stmt),
            }
        }
    }

    /// What is returned by the name that the statement before gave it, if the name is for nothing else.
    fn returned(&self, value: &Expr, before: Option<&Stmt>) -> Option<Box<Expr>> {
        let (Expr::Name(name), Some(Stmt::Assign(assign))) = (value, before) else { return None };
        let [Expr::Name(target)] = &assign.targets[..] else { return None };
        let is_once = self.names.read.borrow().get(&name.id) == Some(&1);
        (target.id == name.id && is_once).then(|| assign.value.clone())
    }

    /// A condition with one other way at most, which stands behind it where the first way leaves the block.
    fn condition(&self, mut stmt: ast::StmtIf, body: &mut ast::Suite, pending: &mut Vec<Stmt>) {
        let mut clauses = std::mem::take(&mut stmt.elif_else_clauses);
        let mut other: ast::Suite = Vec::new().into();
        if !clauses.is_empty() {
            let first = clauses.remove(0);
            match first.test {
                Some(test) => {
                    let (node_index, range) = fresh();
                    let test = Box::new(test);
                    let inner = ast::StmtIf { node_index, range, test, body: first.body, elif_else_clauses: clauses };
                    other.push(inner.into());
                    self.block(&mut other);
                }
                None => other = first.body,
            }
        }
        if leaves(&stmt.body) {
            pending.extend(other.drain(..).rev());
        } else if !other.is_empty() {
            let (node_index, range) = fresh();
            stmt.elif_else_clauses = vec![ElifElseClause { range, node_index, test: None, body: other }];
        } else if let [Stmt::If(inner)] = &stmt.body[..]
            && inner.elif_else_clauses.is_empty()
        {
            let (node_index, range) = fresh();
            let conditions = |test: &Expr| match test {
                Expr::BoolOp(both) if both.op == ast::BoolOp::And => both.values.clone(),
                other => vec![other.clone()],
            };
            let values: Vec<Expr> = [conditions(&stmt.test), conditions(&inner.test)].concat();
            let test = ast::ExprBoolOp { node_index, range, op: ast::BoolOp::And, values };
            let inner = inner.clone();
            stmt = ast::StmtIf { test: Box::new(test.into()), ..inner };
        }
        body.push(stmt.into());
    }
}

/// True if no statement behind a block can run: it ends by leaving it.
fn leaves(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Break(_)) => true,
        Some(Stmt::If(stmt)) => {
            let has_else = stmt.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none());
            has_else && leaves(&stmt.body) && stmt.elif_else_clauses.iter().all(|clause| leaves(&clause.body))
        }
        _ => false,
    }
}

/// True if a `break` in the body of a loop ends it.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Break(_) => true,
        Stmt::If(stmt) => breaks(&stmt.body) || stmt.elif_else_clauses.iter().any(|clause| breaks(&clause.body)),
        Stmt::With(stmt) => breaks(&stmt.body),
        Stmt::For(stmt) => breaks(&stmt.orelse),
        Stmt::While(stmt) => breaks(&stmt.orelse),
        Stmt::Try(stmt) => {
            let mut handlers = stmt.handlers.iter();
            [&stmt.body, &stmt.orelse, &stmt.finalbody].into_iter().any(|body| breaks(body))
                || handlers.any(|ExceptHandler::ExceptHandler(handler)| breaks(&handler.body))
        }
        Stmt::Match(stmt) => stmt.cases.iter().any(|case| breaks(&case.body)),
        _ => false,
    })
}

/// What a text is made of besides its literal parts; `None` for what is no text.
fn message(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::StringLiteral(_) => Some(Vec::new()),
        Expr::FString(text) => {
            let elements = text.value.elements();
            let inside = elements.filter_map(|element| Some((*element.as_interpolation()?.expression).clone()));
            Some(inside.collect())
        }
        Expr::BinOp(operation) if operation.op == Operator::Add => {
            Some([message(&operation.left)?, message(&operation.right)?].concat())
        }
        Expr::BinOp(operation) if operation.op == Operator::Mod => {
            let mut operands = message(&operation.left)?;
            match &*operation.right {
                Expr::Tuple(tuple) => operands.extend(tuple.elts.iter().cloned()),
                Expr::Dict(_) => return None,
                other => operands.push(other.clone()),
            }
            Some(operands)
        }
        Expr::Call(call) if call.arguments.keywords.is_empty() => match &*call.func {
            Expr::Attribute(method) if method.attr.as_str() == "format" && method.value.is_string_literal_expr() => {
                Some(call.arguments.args.to_vec())
            }
            _ => None,
        },
        _ => None,
    }
}

fn first_of(expr: &mut Expr, operands: Option<Vec<Expr>>) {
    if let Some(operands) = operands {
        *expr = tuple(operands);
    }
}

fn is_log_or_warning(func: &Expr) -> bool {
    match func {
        Expr::Name(name) => name.id.as_str() == "warn",
        Expr::Attribute(method) => {
            let owner = last_name(&method.value).unwrap_or_default();
            let is_log = matches!(owner, "log" | "logger" | "logging" | "_log" | "_logger" | "LOG" | "LOGGER");
            method.attr.as_str() == "warn" && owner == "warnings" || is_log && LOGGING.contains(&method.attr.as_str())
        }
        _ => false,
    }
}

fn last_name(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn is_name(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Name(other) if other.id.as_str() == name)
}

fn tuple(elts: Vec<Expr>) -> Expr {
    let (node_index, range) = fresh();
    ast::ExprTuple { node_index, range, elts, ctx: ExprContext::Load, parenthesized: true }.into()
}

fn fresh() -> (AtomicNodeIndex, TextRange) {
    (AtomicNodeIndex::NONE, TextRange::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(old: &str, new: &str) -> bool {
        let parsed = |text: &str| SourceModel::parse(text).expect("it parses");
        have_one_form(&parsed(old), &parsed(new), false)
    }

    #[test]
    fn what_is_written_otherwise_and_does_the_same_has_one_form() {
        for (old, new) in [
            (
                "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
                "def f(a):\n    if a:\n        return 1\n    return 2\n",
            ),
            (
                "def f(a):\n    if a:\n        return 1\n    elif b:\n        g()\n    else:\n        h()\n",
                "def f(a):\n    if a:\n        return 1\n    if b:\n        g()\n    else:\n        h()\n",
            ),
            (
                "def f(a):\n    for x in a:\n        if x:\n            return x\n    else:\n        return None\n",
                "def f(a):\n    for x in a:\n        if x:\n            return x\n",
            ),
            ("def f(a):\n    if a:\n        if a.b:\n            g()\n", "def f(a):\n    if a and a.b:\n        g()\n"),
            ("def f(a):\n    result = g(a)\n    return result\n", "def f(a):\n    return g(a)\n"),
            (
                "def f(a):\n    raise ValueError('no %s: %d' % (a, a.b))\n",
                "def f(a):\n    raise ValueError(f'{a} is wrong, {a.b}') from None\n",
            ),
            (
                "class C(object):\n    def f(self):\n        super(C, self).f()\n",
                "class C:\n    def f(self):\n        super().f()\n",
            ),
            (
                "def f():\n    try:\n        g()\n    except IOError as error:\n        raise E\n",
                "def f():\n    try:\n        g()\n    except OSError:\n        raise E()\n",
            ),
            ("def f(a):\n    return not a in set([1, 2])\n", "def f(a):\n    return a not in {1, 2}\n"),
            (
                "def f(a):\n    warnings.warn('old', DeprecationWarning)\n",
                "def f(a):\n    warnings.warn('older', DeprecationWarning, stacklevel=2)\n",
            ),
            (
                "from typing import Dict\ndef f(a):\n    return cast(int, a.encode('utf-8'))\n",
                "def f(a):\n    return a.encode()\n",
            ),
        ] {
            assert!(alike(old, new), "{old}{new}");
            assert!(alike(new, old), "{new}{old}");
        }
    }

    #[test]
    fn what_does_something_else_has_another_form() {
        for (old, new) in [
            (
                "def f(a):\n    for x in a:\n        if x:\n            break\n    else:\n        g()\n",
                "def f(a):\n    for x in a:\n        if x:\n            break\n    g()\n",
            ),
            (
                "def f(a):\n    if a:\n        g()\n    else:\n        h()\n",
                "def f(a):\n    if a:\n        g()\n    h()\n",
            ),
            ("def f(a):\n    raise ValueError(a)\n", "def f(a):\n    raise TypeError(a)\n"),
            ("def f(a):\n    raise ValueError('no %s' % a.b)\n", "def f(a):\n    raise ValueError('no %s' % a.c)\n"),
            ("def f(a):\n    raise SystemExit('a')\n", "def f(a):\n    raise SystemExit('b')\n"),
            (
                "def f(a):\n    x = g(a)\n    h(lambda: x)\n    x = 1\n    return x\n",
                "def f(a):\n    x = g(a)\n    h(lambda: x)\n    return 1\n",
            ),
            ("def f(a, set):\n    return set([a])\n", "def f(a, set):\n    return {a}\n"),
            (
                "class C(B):\n    def f(self):\n        super(B, self).f()\n",
                "class C(B):\n    def f(self):\n        super().f()\n",
            ),
            (
                "def f(a):\n    if a:\n        if a.b:\n            g()\n        else:\n            h()\n",
                "def f(a):\n    if a and a.b:\n        g()\n    else:\n        h()\n",
            ),
        ] {
            assert!(!alike(old, new), "{old}{new}");
        }
        let [old, new] = ["def f():\n    raise E('a')\n", "def f():\n    raise E('b')\n"]
            .map(|text| SourceModel::parse(text).expect("it parses"));
        assert!(!have_one_form(&old, &new, true), "messages count if they should");
    }
}
