//! Whether two versions of a function are the same code, and what their texts tell a comparison of their behaviour.

mod normal;

use std::cell::RefCell;
use std::collections::BTreeSet;

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_ast::helpers::is_docstring_stmt;
use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, ExceptHandler, Expr, ExprContext, Keyword, Number, Operator, Parameter, Stmt};
use rustc_hash::FxHashMap;

pub use self::normal::have_one_form;
use crate::extract::imported;
use crate::semantic::{SourceModel, handler_names, suppressed_names};
use crate::solved::Solved;

/// In what way two functions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// But for docstrings, comments, formatting and annotations.
    Code,
    /// And but for the names of local variables.
    Renamed,
}

/// Compares two sources, statement by statement; `None` where they differ.
#[must_use]
pub fn sameness(old: &SourceModel, new: &SourceModel) -> Option<Sameness> {
    let [old_names, new_names] = [old, new].map(|model| imported(model).names);
    old.with_tree(|old| new.with_tree(|new| compare(plain(old.suite(), &old_names), plain(new.suite(), &new_names))))??
}

fn compare(mut old: ast::Suite, mut new: ast::Suite) -> Option<Sameness> {
    if equal(&old, &new) {
        return Some(Sameness::Code);
    }
    if !(rename_locals(&mut old) && rename_locals(&mut new)) {
        return None;
    }
    equal(&old, &new).then_some(Sameness::Renamed)
}

fn equal(old: &[Stmt], new: &[Stmt]) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| ComparableStmt::from(old) == ComparableStmt::from(new))
}

/// Statements without what does nothing at run time, and without imports of other names than those that are used.
fn plain(body: &ast::Suite, used: &BTreeSet<String>) -> ast::Suite {
    let mut body = body.clone();
    for stmt in &mut body {
        Plain { used }.visit_stmt(stmt);
    }
    body
}

struct Plain<'a> {
    used: &'a BTreeSet<String>,
}

impl Transformer for Plain<'_> {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::ImportFrom(import) => {
                let is_used = |alias: &ast::Alias| {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    name == "*" || self.used.contains(name)
                };
                // The module is imported even if nothing of it is used.
                if import.names.iter().any(is_used) {
                    import.names.retain(is_used);
                }
                import.names.sort_by(|one, other| one.name.id.cmp(&other.name.id));
            }
            Stmt::FunctionDef(def) => {
                def.returns = None;
                drop_docstring(&mut def.body);
            }
            Stmt::ClassDef(def) => drop_docstring(&mut def.body),
            _ => {}
        }
        if let Stmt::AnnAssign(annotated) = stmt {
            // A bare annotation of a name makes it local; a function that needs this reads an unbound variable.
            *stmt = match annotated.value.take() {
                Some(value) => Stmt::Assign(ast::StmtAssign {
                    node_index: annotated.node_index.clone(),
                    range: annotated.range,
                    targets: vec![(*annotated.target).clone()],
                    value,
                }),
                None => Stmt::Pass(ast::StmtPass { node_index: annotated.node_index.clone(), range: annotated.range }),
            };
        }
        transformer::walk_stmt(self, stmt);
        if let Stmt::FunctionDef(ast::StmtFunctionDef { body, .. }) = stmt
            && body.len() > 1
        {
            body.retain(|stmt| !matches!(stmt, Stmt::Pass(_)));
        }
    }

    fn visit_parameter(&self, parameter: &mut Parameter) {
        parameter.annotation = None;
    }
}

fn drop_docstring(body: &mut ast::Suite) {
    if body.first().is_some_and(is_docstring_stmt) {
        body.remove(0);
    }
}

/// Gives local variables names by the order in which they appear. False where names may be seen from elsewhere.
fn rename_locals(body: &mut [Stmt]) -> bool {
    body.iter_mut().all(|stmt| {
        let Stmt::FunctionDef(def) = stmt else { return true };
        let seen = Seen::default();
        for stmt in &mut def.body {
            seen.visit_stmt(stmt);
        }
        let mut names = seen.bound.into_inner();
        names.retain(|name| !seen.kept.borrow().contains(name));
        for parameter in &def.parameters {
            // Callers may give it by name.
            names.remove(&parameter.name().id);
        }
        if seen.opaque.into_inner() {
            return false;
        }
        let renamed = Renamed { names, given: RefCell::default() };
        for stmt in &mut def.body {
            renamed.visit_stmt(stmt);
        }
        true
    })
}

#[derive(Default)]
struct Seen {
    bound: RefCell<BTreeSet<Name>>,
    kept: RefCell<BTreeSet<Name>>,
    opaque: RefCell<bool>,
}

impl Transformer for Seen {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Global(ast::StmtGlobal { names, .. }) | Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                self.kept.borrow_mut().extend(names.iter().map(|name| name.id.clone()));
            }
            Stmt::ClassDef(_) | Stmt::Match(_) => *self.opaque.borrow_mut() = true,
            Stmt::FunctionDef(def) => {
                self.bound.borrow_mut().insert(def.name.id.clone());
            }
            _ => {}
        }
        transformer::walk_stmt(self, stmt);
    }

    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Name(name) = expr {
            if name.ctx != ExprContext::Load {
                self.bound.borrow_mut().insert(name.id.clone());
            } else if matches!(name.id.as_str(), "locals" | "vars" | "eval" | "exec" | "dir" | "globals") {
                *self.opaque.borrow_mut() = true;
            }
        }
        transformer::walk_expr(self, expr);
    }

    fn visit_except_handler(&self, handler: &mut ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = &*handler;
        self.bound.borrow_mut().extend(inner.name.iter().map(|name| name.id.clone()));
        transformer::walk_except_handler(self, handler);
    }

    fn visit_parameter(&self, parameter: &mut Parameter) {
        self.bound.borrow_mut().insert(parameter.name.id.clone());
    }

    fn visit_keyword(&self, keyword: &mut Keyword) {
        // It may name a parameter of an inner function.
        self.kept.borrow_mut().extend(keyword.arg.iter().map(|name| name.id.clone()));
        transformer::walk_keyword(self, keyword);
    }
}

struct Renamed {
    names: BTreeSet<Name>,
    given: RefCell<FxHashMap<Name, Name>>,
}

impl Renamed {
    fn rename(&self, name: &mut Name) {
        if self.names.contains(name) {
            let mut given = self.given.borrow_mut();
            let next = given.len();
            *name = given.entry(name.clone()).or_insert_with(|| Name::new(format!("{next}"))).clone();
        }
    }
}

impl Transformer for Renamed {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        if let Stmt::FunctionDef(def) = stmt {
            self.rename(&mut def.name.id);
        }
        transformer::walk_stmt(self, stmt);
    }

    fn visit_expr(&self, expr: &mut Expr) {
        if let Expr::Name(name) = expr {
            self.rename(&mut name.id);
        }
        transformer::walk_expr(self, expr);
    }

    fn visit_except_handler(&self, handler: &mut ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &mut inner.name {
            self.rename(&mut name.id);
        }
        transformer::walk_except_handler(self, handler);
    }

    fn visit_parameter(&self, parameter: &mut Parameter) {
        self.rename(&mut parameter.name.id);
    }
}

/// What the code of a function names: values that its conditions may compare with or ask for, exceptions that it waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Texts, without docstrings.
    pub texts: Vec<String>,
    /// Whole numbers.
    pub numbers: Vec<i64>,
    /// Dotted names in `except` clauses.
    pub raises: Vec<String>,
    /// How many `finally` clauses there are.
    pub cleanups: usize,
    /// For each outermost function, its parameters in order.
    pub parameters: Vec<Vec<String>>,
    /// For each outermost function, those of its parameters that have a default.
    pub optional: Vec<Vec<String>>,
}

/// Longer texts are messages, not values.
const LONGEST_TEXT: usize = 60;

/// Collects what a source names.
#[must_use]
pub fn named(model: &SourceModel) -> Named {
    let collect = |body: &ast::Suite| {
        let mut collected = Collected(Named::default());
        let body = plain(body, &BTreeSet::new());
        collected.visit_body(&body);
        let solved = Solved::of(&body);
        collected.0.numbers.extend(solved.numbers.into_iter().filter(|number| number.abs() < 1 << 31));
        collected.0.texts.extend(solved.texts);
        collected.0
    };
    let mut named = model.with_tree(|tree| collect(tree.suite())).unwrap_or_default();
    for list in [&mut named.texts, &mut named.raises] {
        let mut seen = BTreeSet::new();
        list.retain(|item| seen.insert(item.clone()));
    }
    named.numbers.sort_unstable();
    named.numbers.dedup();
    named
}

struct Collected(Named);

impl Visitor<'_> for Collected {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::FunctionDef(def) = stmt {
            let parameters: Vec<_> = def.parameters.iter_non_variadic_params().collect();
            let all = parameters.iter().map(|parameter| parameter.name().to_string()).collect();
            let optional = parameters.iter().filter(|parameter| parameter.default.is_some());
            let optional = optional.map(|parameter| parameter.name().to_string()).collect();
            self.0.parameters.push(all);
            self.0.optional.push(optional);
        }
        if let Stmt::With(with) = stmt {
            let suppressed = with.items.iter().flat_map(|item| suppressed_names(&item.context_expr));
            self.0.raises.extend(suppressed.flatten());
        }
        self.0.cleanups += usize::from(stmt.as_try_stmt().is_some_and(|tried| !tried.finalbody.is_empty()));
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::StringLiteral(text) if text.value.len() <= LONGEST_TEXT => {
                self.0.texts.push(text.value.to_str().to_owned());
            }
            Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => {
                self.0.numbers.extend(number.as_i64().filter(|number| number.abs() < 1 << 31));
            }
            // What values are put into is hardly a value itself.
            Expr::BinOp(ast::ExprBinOp { left, op: Operator::Mod, right, .. }) if left.is_string_literal_expr() => {
                return self.visit_expr(right);
            }
            Expr::Call(ast::ExprCall { func, arguments, .. }) if is_form(func) => {
                return self.visit_arguments(arguments);
            }
            // Without arguments these ask for space.
            Expr::Call(ast::ExprCall { func, arguments, .. }) if arguments.is_empty() => {
                if let Expr::Attribute(method) = &**func
                    && ["strip", "lstrip", "rstrip", "split", "isspace"].contains(&method.attr.as_str())
                {
                    self.0.texts.push(" ".to_owned());
                }
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }

    fn visit_except_handler(&mut self, handler: &ExceptHandler) {
        self.0.raises.extend(handler_names(handler).into_iter().flatten());
        visitor::walk_except_handler(self, handler);
    }
}

/// True for the method `format` of a text that is written out.
fn is_form(callee: &Expr) -> bool {
    matches!(callee, Expr::Attribute(method) if method.attr.as_str() == "format" && method.value.is_string_literal_expr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(old: &str, new: &str) -> Option<Sameness> {
        let parsed = |text: &str| SourceModel::parse(text).expect("it parses");
        sameness(&parsed(old), &parsed(new))
    }

    #[test]
    fn what_does_nothing_at_run_time_is_left_out() {
        let old = "def f(a, b=1):\n    'doc'\n    x = a+b # sum\n    return x\n";
        let same = "def f(a: int, b: int = 1) -> int:\n    x: int = (a + b)\n    return x\n";
        assert_eq!(compared(old, same), Some(Sameness::Code));
        assert_eq!(compared(old, &old.replace("b=1", "b=2")), None, "a default counts");
        assert_eq!(compared(old, &format!("@once\n{old}")), None, "a decorator counts");
    }

    #[test]
    fn imported_names_that_are_not_used_do_not_count() {
        let function = "def f(a):\n    return g(a)\n";
        let with = |imports: &str| format!("{imports}\n{function}");
        let old = with("from m import (\n    g,\n    h,\n)");
        assert_eq!(compared(&old, &with("from m import g, i, j as k")), Some(Sameness::Code));
        assert_eq!(compared(&old, &with("from m import i as g, h")), None, "another thing under the name");
        assert_eq!(compared(&old, &with("from n import g, h")), None, "another module");
    }

    #[test]
    fn local_variables_may_be_renamed_and_parameters_may_not() {
        let old = "def f(a):\n    rows = [x for x in a]\n    return rows\n";
        assert_eq!(compared(old, &old.replace("rows", "lines")), Some(Sameness::Renamed));
        assert_eq!(compared(old, "def f(b):\n    rows = [x for x in b]\n    return rows\n"), None);
        assert_eq!(
            compared(
                "def f():\n    x = 1\n    y = 2\n    return x\n",
                "def f():\n    x = 1\n    y = 2\n    return y\n"
            ),
            None
        );
        let global = "def f():\n    global x\n    x = 1\n";
        assert_eq!(compared(global, &global.replace('x', "y")), None);
    }

    #[test]
    fn texts_numbers_and_exceptions_are_named() {
        let model = SourceModel::parse(
            "def f(a, b=2):\n    'doc'\n    try:\n        return a == 'x'\n    except (KeyError, m.E):\n        pass\n",
        );
        let named = named(&model.expect("it parses"));
        assert_eq!((named.texts, named.numbers), (vec!["x".to_owned()], vec![2]));
        assert_eq!(named.raises, ["KeyError", "m.E"]);
        assert_eq!(
            (named.parameters, named.optional),
            (vec![vec!["a".to_owned(), "b".to_owned()]], vec![vec!["b".to_owned()]])
        );
    }
}
