//! Missing and wrong statements: assignments, imports, returns, guards.

use ruff_python_ast::{Expr, ExprName, Stmt, StmtIf};
use ruff_text_size::{Ranged, TextRange};

use super::Operator;
use super::walk::Walk;

impl<'t> Walk<'t> {
    /// Wrong statements in place of one.
    pub(super) fn statement(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::Assign(assign) => {
                self.replace(Operator::MissingInitialisation, stmt, "pass");
                match assign.targets.as_slice() {
                    [Expr::Tuple(targets)] => self.unpacking(&targets.elts),
                    [Expr::Name(name)] => self.initialisation(name, &assign.value),
                    _ => {}
                }
            }
            Stmt::AugAssign(assign) => {
                self.replace(Operator::MissingStatement, stmt, "pass");
                let text = format!("{} = {}", self.slice(&*assign.target), self.slice(&*assign.value));
                self.replace(Operator::WrongInitialisation, stmt, text);
            }
            Stmt::For(statement) => {
                if let Expr::Tuple(targets) = &*statement.target {
                    self.unpacking(&targets.elts);
                }
            }
            Stmt::Expr(expression) => {
                self.replace(Operator::MissingStatement, stmt, "pass");
                if let Expr::Call(call) = &*expression.value {
                    self.result_of_none(call);
                }
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.replace(Operator::MissingImport, stmt, "pass"),
            Stmt::Global(_) | Stmt::Nonlocal(_) => self.replace(Operator::MissingGlobal, stmt, "pass"),
            Stmt::Return(statement) => {
                let text = statement.value.as_ref().map_or("pass", |value| self.slice(&**value));
                self.replace(Operator::MissingReturn, stmt, text);
            }
            Stmt::Break(_) | Stmt::Continue(_) => self.replace(Operator::MissingStatement, stmt, "pass"),
            Stmt::If(statement) => self.guard(statement),
            Stmt::While(statement) => {
                if let Expr::Compare(_) | Expr::BoolOp(_) = &*statement.test {
                    self.replace(Operator::MissingGuard, &*statement.test, "True");
                }
            }
            _ => {}
        }
    }

    /// A target too many, and one too few.
    fn unpacking(&mut self, targets: &'t [Expr]) {
        let [before @ .., previous, last] = targets else { return };
        if targets.iter().any(Expr::is_starred_expr) {
            return;
        }
        self.replace(Operator::UnpackingCount, last, format!("{}, _", self.slice(last)));
        let gone = TextRange::new(previous.end(), last.end());
        // Of two targets one alone would take the whole value.
        self.replace(Operator::UnpackingCount, &gone, if before.is_empty() { "," } else { "" });
        self.replace(Operator::UnpackingCount, &gone, "");
    }

    fn initialisation(&mut self, name: &'t ExprName, value: &'t Expr) {
        let others: &[&str] = match value {
            Expr::List(list) if list.elts.is_empty() => &["{}", "0", "''", "None", "set()"],
            Expr::Dict(dict) if dict.items.is_empty() => &["[]", "None", "set()"],
            Expr::NumberLiteral(_) => &["[]", "None", "''"],
            Expr::StringLiteral(_) => &["0", "[]", "None"],
            Expr::ListComp(_) | Expr::List(_) => &["[]", "None"],
            Expr::BinOp(binary) if binary.left.is_list_expr() || binary.right.is_list_expr() => &["[]", "{}", "0"],
            Expr::Call(_) => &["None"],
            _ => &[],
        };
        for other in others {
            self.replace(Operator::WrongInitialisation, value, *other);
        }
        // Another variable takes the value: this one may come to be used without one.
        let name_end = TextRange::empty(name.end());
        self.replace(Operator::MissingInitialisation, &name_end, "_");
    }

    fn guard(&mut self, statement: &'t StmtIf) {
        let test = &*statement.test;
        let in_recursion = self.functions.last().is_some_and(|name| self.called.contains(name));
        let returns = statement.body.last().is_some_and(Stmt::is_return_stmt);
        let (operator, text) = if in_recursion && returns {
            (Operator::MissingBaseCase, "False")
        } else {
            (Operator::MissingGuard, "True")
        };
        self.replace(operator, test, text);
        if statement.elif_else_clauses.is_empty() {
            self.replace(Operator::MissingGuard, test, "False");
        }
    }
}
