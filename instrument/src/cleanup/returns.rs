//! `return` where no function is: CPython's compiler rejects it, the parser does not.

use super::{Draft, Edit, RepairKind, apply, line_span};
use crate::LineIndex;
use ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtReturn};
use ruff_text_size::Ranged;

/// Turns the `return` statements outside of functions into calls of `exit`, as `LExecutor` does with bare bodies.
pub(super) fn to_exit(draft: &mut Draft) {
    let mut edits = Vec::new();
    let mut spans = Vec::new();
    let index = LineIndex::new(&draft.text);
    let mut suites: Vec<&[Stmt]> = vec![draft.parsed.suite()];
    while let Some(suite) = suites.pop() {
        for stmt in suite {
            match stmt {
                Stmt::Return(stmt) => {
                    edits.extend(exit_edits(&draft.text, stmt));
                    spans.push(line_span(&index, &stmt.range().to_std_range()));
                }
                Stmt::FunctionDef(_) => {}
                other => suites.extend(blocks(other)),
            }
        }
    }
    if !edits.is_empty() {
        draft.text = apply(&draft.text, edits);
        for span in spans {
            draft.report(span, RepairKind::TopLevelReturn, "`return` outside of a function turned into `exit(...)`");
        }
    }
}

/// Edits that turn a `return` statement into a call of `exit`.
pub(crate) fn exit_edits(text: &str, stmt: &StmtReturn) -> [Edit; 2] {
    let range = stmt.range().to_std_range();
    exit_call(text, range, "return".len(), stmt.value.as_deref())
}

/// Edits that put `exit(...)` around what follows a keyword of `keyword` bytes.
pub(crate) fn exit_call(text: &str, range: std::ops::Range<usize>, keyword: usize, value: Option<&Expr>) -> [Edit; 2] {
    let after = range.start + keyword;
    let blank = usize::from(text[after..range.end].starts_with([' ', '\t']));
    let bare_tuple = matches!(value, Some(Expr::Tuple(tuple)) if !tuple.parenthesized);
    let (open, close) = if bare_tuple { ("exit((", "))") } else { ("exit(", ")") };
    [Edit::new(range.start..after + blank, open), Edit::new(range.end..range.end, close)]
}

/// The blocks of a compound statement.
pub(crate) fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::FunctionDef(stmt) => vec![&stmt.body],
        Stmt::ClassDef(stmt) => vec![&stmt.body],
        Stmt::With(stmt) => vec![&stmt.body],
        Stmt::For(stmt) => vec![&stmt.body, &stmt.orelse],
        Stmt::While(stmt) => vec![&stmt.body, &stmt.orelse],
        Stmt::If(stmt) => {
            let clauses = stmt.elif_else_clauses.iter().map(|clause| &*clause.body);
            std::iter::once(&*stmt.body).chain(clauses).collect()
        }
        Stmt::Try(stmt) => {
            let handlers = stmt.handlers.iter().map(|ExceptHandler::ExceptHandler(handler)| &*handler.body);
            [&*stmt.body, &*stmt.orelse, &*stmt.finalbody].into_iter().chain(handlers).collect()
        }
        Stmt::Match(stmt) => stmt.cases.iter().map(|case| &*case.body).collect(),
        _ => Vec::new(),
    }
}
