//! The bare statements of a function.

use super::kept::header_end;
use crate::cleanup::{Edit, apply, exit_call, exit_edits, prepare};
use crate::semantic::SourceModel;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_python_parser::parse_module;
use ruff_text_size::Ranged;
use std::ops::Range;

/// Collects what leaves a function, without going into the functions inside.
struct Exits<'a> {
    source: &'a str,
    edits: Vec<Edit>,
}

impl<'a> Visitor<'a> for Exits<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Return(inner) => {
                self.edits.extend(exit_edits(self.source, inner));
                walk_stmt(self, stmt);
            }
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        let range = expr.range().to_std_range();
        match expr {
            Expr::Lambda(_) => return,
            Expr::Yield(inner) => {
                self.edits.extend(exit_call(self.source, range, "yield".len(), inner.value.as_deref()));
            }
            Expr::YieldFrom(inner) => {
                // `yield` and `from` may be any distance apart.
                let after = range.start + "yield".len();
                let keyword = self.source[after..range.end].find("from").map_or(5, |at| at + "yieldfrom".len());
                self.edits.extend(exit_call(self.source, range, keyword, Some(&*inner.value)));
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

/// The body of a function, dedented, with calls of `exit` for what leaves it.
pub(super) fn script(model: &SourceModel, def: &StmtFunctionDef) -> String {
    let source = model.text();
    let (Some(first), Some(last)) = (def.body.first(), def.body.last()) else { return String::new() };
    let mut exits = Exits { source, edits: Vec::new() };
    exits.visit_body(&def.body);
    let first_start = first.range().start().to_usize();
    let header_end = header_end(model.tokens(), def.name.end().to_usize(), &def.body);
    let line_end = |at: usize| source[at..].find(['\n', '\r']).map_or(source.len(), |length| at + length);
    let one_line = line_end(header_end) >= first_start;
    // Comments between the header and the first statement belong to the body.
    let start = if one_line { first_start } else { line_end(header_end) };
    let last_end = last.range().end().to_usize();
    let comment = &source[last_end..line_end(last_end)];
    let end = last_end + if comment.trim_end().ends_with('\\') { 0 } else { comment.len() };

    let line_start = source[..first_start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let indent = if one_line { 0 } else { indent_end(&source.as_bytes()[line_start..first_start], usize::MAX).1 };
    exits.edits.extend(dedents(model, start..end, indent));
    exits.edits.push(Edit::new(0..start, ""));
    exits.edits.push(Edit::new(end..source.len(), ""));
    let mut text = apply(source, exits.edits);
    let blank = text.len() - text.trim_start_matches(['\n', '\r']).len();
    text.drain(..blank);
    text.push('\n');
    // Indentation behind form feeds or joined lines does not move along.
    if parse_module(&text).is_err() { prepare(&text).text } else { text }
}

/// Edits that remove the indentation of lines that do not start inside a string.
fn dedents(model: &SourceModel, range: Range<usize>, indent: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut tokens = model.tokens().iter().skip_while(|token| token.end().to_usize() <= range.start).peekable();
    let bytes = model.text().as_bytes();
    let starts =
        memchr::memchr2_iter(b'\n', b'\r', &bytes[range.start..range.end]).map(|found| range.start + found + 1);
    for start in starts {
        if bytes.get(start) == Some(&b'\n') && bytes[start - 1] == b'\r' {
            continue;
        }
        while tokens.next_if(|token| token.end().to_usize() <= start).is_some() {}
        let in_string = tokens.peek().is_some_and(|token| {
            token.start().to_usize() < start
                && matches!(token.kind(), TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle)
        });
        let (from, blanks) = indent_end(&bytes[start..], indent);
        if !in_string {
            edits.push(Edit::new(start..start + from + blanks, ""));
        }
    }
    edits
}

/// Where indentation starts, which a form feed starts anew, and how many bytes of it follow, `limit` at most.
fn indent_end(line: &[u8], limit: usize) -> (usize, usize) {
    let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0c)).count();
    let from = line[..blank].iter().rposition(|&byte| byte == 0x0c).map_or(0, |at| at + 1);
    (from, limit.min(blank - from))
}
