//! A normal form of code: one way to write what can be written in several ways that do the same, so that a refactoring is
//! recognised without a run.

mod blocks;
mod expressions;
mod messages;
mod names;
mod spellings;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeSet;

use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::transformer::{self, Transformer};
use ruff_python_ast::{self as ast, AtomicNodeIndex, ExceptHandler, Expr, ExprContext, Stmt};
use ruff_text_size::TextRange;

use self::messages::{first_of, is_log_or_warning, message};
use self::names::Names;
use self::spellings::{is_plain, without_keys};
use super::{equal, plain, rename_locals};
use crate::extract::imported;
use crate::semantic::SourceModel;

/// True if two sources differ only in how they write the same: `else` behind a `return`, `super(C, self)`, names of
/// `OSError`, what a message says (unless messages count), and the like.
#[must_use]
pub fn have_one_form(old: &SourceModel, new: &SourceModel, messages_count: bool) -> bool {
    let form = |model: &SourceModel| {
        let used = imported(model).names;
        model.with_tree(|tree| normal(plain(tree.suite(), &used), &used, messages_count))
    };
    let (Some(Some(mut old)), Some(Some(mut new))) = (form(old), form(new)) else { return false };
    equal(&old, &new) || rename_locals(&mut old) && rename_locals(&mut new) && equal(&old, &new)
}

/// The normal form of statements; `None` where `typing.cast` is more than called, and its import has to stay.
fn normal(mut body: ast::Suite, used: &BTreeSet<String>, messages_count: bool) -> Option<ast::Suite> {
    let casts = casts(&mut body);
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
    let form = Form { messages_count, names, casts, around: RefCell::default() };
    for stmt in &mut body {
        form.visit_stmt(stmt);
    }
    form.block(&mut body);
    let left = Names::default();
    for stmt in &mut body {
        left.visit_stmt(stmt);
    }
    (!form.casts.iter().any(|cast| left.is_read(cast))).then_some(body)
}

/// Names of `typing.cast`, without their imports, and of the module `typing`.
fn casts(body: &mut ast::Suite) -> BTreeSet<Name> {
    let mut casts = BTreeSet::new();
    let is_typing = |module: &str| matches!(module, "typing" | "typing_extensions");
    body.retain_mut(|stmt| match stmt {
        Stmt::ImportFrom(import) if import.module.as_ref().is_some_and(|module| is_typing(module.as_str())) => {
            let before = import.names.len();
            import.names.retain(|alias| {
                let is_cast = alias.name.as_str() == "cast";
                if is_cast {
                    casts.insert(alias.asname.as_ref().unwrap_or(&alias.name).id.clone());
                }
                !is_cast
            });
            before == import.names.len() || !import.names.is_empty()
        }
        Stmt::Import(import) => {
            import.names.retain(|alias| {
                let is_module = is_typing(alias.name.as_str());
                if is_module {
                    casts.insert(alias.asname.as_ref().unwrap_or(&alias.name).id.clone());
                }
                !is_module
            });
            !import.names.is_empty()
        }
        _ => true,
    });
    casts
}

struct Form {
    messages_count: bool,
    names: Names,
    /// Names of `typing.cast` and of the module that has it.
    casts: BTreeSet<Name>,
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
        self.other_spelling(expr);
    }

    fn visit_except_handler(&self, handler: &mut ExceptHandler) {
        transformer::walk_except_handler(self, handler);
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.take_if(|name| !self.names.is_read(&name.id));
        if let Some(Expr::Tuple(classes)) = inner.type_.as_deref()
            && let [only] = &classes.elts[..]
        {
            inner.type_ = Some(Box::new(only.clone()));
        }
        self.block(&mut inner.body);
    }

    fn visit_comprehension(&self, comprehension: &mut ast::Comprehension) {
        transformer::walk_comprehension(self, comprehension);
        without_keys(&mut comprehension.iter);
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
                without_keys(&mut stmt.iter);
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
