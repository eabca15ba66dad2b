//! Ways to write the same block: what does nothing, an `else` that is not needed, conditions in each other.

use ruff_python_ast::name::Name;
use ruff_python_ast::{self as ast, ElifElseClause, ExceptHandler, Expr, Stmt};

use super::{Form, fresh, is_plain};

impl Form {
    /// Statements without those that do nothing; what stands in an `else` that is not needed stands behind it.
    pub(super) fn block(&self, body: &mut ast::Suite) {
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
                Stmt::With(stmt) => body.push(merged(stmt).into()),
                Stmt::If(stmt) => self.condition(stmt, body, &mut pending),
                Stmt::Return(ast::StmtReturn { value: Some(value), .. }) if value.is_if_expr() => {
                    let Expr::If(choice) = *value else { unreachable!("the pattern says so") };
                    let [one, other] = [choice.body, choice.orelse].map(|value| {
                        let (node_index, range) = fresh();
                        let value = Some(value).filter(|value| !value.is_none_literal_expr());
                        Stmt::from(ast::StmtReturn { node_index, range, value })
                    });
                    pending.push(other);
                    pending.push(either(*choice.test, one, None));
                }
                Stmt::Assign(ref assign) if assign.value.is_if_expr() && is_of_one_name(assign) => {
                    let Expr::If(choice) = &*assign.value else { unreachable!("the pattern says so") };
                    let [one, other] = [&choice.body, &choice.orelse]
                        .map(|value| Stmt::from(ast::StmtAssign { value: value.clone(), ..assign.clone() }));
                    pending.push(either((*choice.test).clone(), one, Some(other)));
                }
                Stmt::Expr(ref only) if let Some(assign) = self.set_attribute(&only.value) => body.push(assign),
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

    /// `setattr(x, "name", y)` as the assignment that it is; of a name, which is evaluated before the value as well as after it.
    fn set_attribute(&self, expr: &Expr) -> Option<Stmt> {
        let call = expr.as_call_expr()?;
        let [object, Expr::StringLiteral(name), value] = &*call.arguments.args else { return None };
        let name = name.value.to_str();
        let is_plain = object.is_name_expr() && is_plain(name) && call.arguments.keywords.is_empty();
        if !self.is_builtin(&call.func, "setattr") || !is_plain {
            return None;
        }
        let (node_index, range) = fresh();
        let attr = ast::Identifier::new(Name::new(name), range);
        let (object, ctx) = (Box::new(object.clone()), ast::ExprContext::Store);
        let target = ast::ExprAttribute { node_index, range, value: object, attr, ctx }.into();
        let node_index = fresh().0;
        Some(ast::StmtAssign { node_index, range, targets: vec![target], value: Box::new(value.clone()) }.into())
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

/// `with a: with b: ...` is `with a, b: ...`.
fn merged(mut stmt: ast::StmtWith) -> ast::StmtWith {
    while let [Stmt::With(inner)] = &mut stmt.body[..]
        && inner.is_async == stmt.is_async
    {
        stmt.items.append(&mut inner.items);
        stmt.body = std::mem::take(&mut inner.body);
    }
    stmt
}

fn either(test: Expr, body: Stmt, other: Option<Stmt>) -> Stmt {
    let suite = |stmt: Stmt| -> ast::Suite { vec![stmt].into() };
    let other = other.map(|other| {
        let (node_index, range) = fresh();
        ElifElseClause { range, node_index, test: None, body: suite(other) }
    });
    let (node_index, range) = fresh();
    let elif_else_clauses = other.into_iter().collect();
    ast::StmtIf { node_index, range, test: Box::new(test), body: suite(body), elif_else_clauses }.into()
}

fn is_of_one_name(assign: &ast::StmtAssign) -> bool {
    matches!(&assign.targets[..], [Expr::Name(_)])
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
