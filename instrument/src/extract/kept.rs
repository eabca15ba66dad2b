//! Pieces of a module that an excerpt keeps, with all else blanked.

use crate::cleanup::{blocks, newlines};
use crate::semantic::SourceModel;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::{Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use std::ops::Range;

/// What an excerpt keeps, in the order of the text.
pub(super) struct Kept<'a> {
    source: &'a str,
    tokens: &'a [Token],
    pieces: Vec<(Range<usize>, Option<&'static str>)>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(model: &'a SourceModel) -> Self {
        Self { source: model.text(), tokens: model.tokens(), pieces: Vec::new() }
    }

    pub(super) fn keep(&mut self, range: Range<usize>) {
        self.pieces.push((range, None));
    }

    pub(super) fn imports(&mut self, suite: &[Stmt]) {
        for stmt in suite {
            if imports(stmt) {
                self.keep(stmt.range().to_std_range());
            }
        }
    }

    /// Keeps the headers that lead to a function, and the function.
    pub(super) fn path(&mut self, suite: &[Stmt], def: &StmtFunctionDef) {
        let mut suite = suite;
        while let Some(stmt) = suite.iter().find(|stmt| stmt.range().contains_range(def.range())) {
            if stmt.range() == def.range() {
                self.keep(def.range().to_std_range());
                return;
            }
            let holds = |suite: &&[Stmt]| suite.iter().any(|stmt| stmt.range().contains_range(def.range()));
            let Some(inner) = blocks(stmt).into_iter().find(holds) else { return };
            match stmt {
                Stmt::ClassDef(class) => {
                    let start = class.range().start().to_usize();
                    self.keep(start..header_end(self.tokens, class.name.end().to_usize(), inner));
                }
                Stmt::FunctionDef(outer) => {
                    // Decorators of the outer function are of no use: nobody calls it.
                    let from = outer.decorator_list.last().map_or(outer.start(), Ranged::end).to_usize();
                    let at = self.tokens.partition_point(|token| token.start().to_usize() < from);
                    let keyword = |token: &&Token| matches!(token.kind(), TokenKind::Def | TokenKind::Async);
                    let start = self.tokens[at..].iter().find(keyword).map_or(from, |token| token.start().to_usize());
                    self.keep(start..header_end(self.tokens, outer.name.end().to_usize(), inner));
                    let imports = inner.iter().filter(|stmt| is_import(stmt));
                    self.pieces.extend(imports.map(|stmt| (stmt.range().to_std_range(), None)));
                }
                _ => {
                    // The condition may need what is blanked, and may not hold.
                    let start = stmt.range().start().to_usize();
                    self.pieces.push((start..start, Some("if True:")));
                }
            }
            suite = inner;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.pieces.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut text = String::with_capacity(self.source.len() / 4);
        let mut copied = 0;
        for (range, replacement) in &self.pieces {
            if range.start < copied {
                continue;
            }
            let gap = &self.source[copied..range.start];
            let mut line_start = gap.rfind(['\n', '\r']).map(|at| at + 1);
            // Lines that only a backslash joins to this one set its indentation.
            let joined =
                |start: usize| gap[..start].strip_suffix("\\\n").or_else(|| gap[..start].strip_suffix("\\\r\n"));
            while let Some(joined) = line_start.and_then(joined) {
                let above = joined.rfind(['\n', '\r']).map(|at| at + 1);
                if above.is_none() && copied > 0 || !joined[above.unwrap_or(0)..].trim().is_empty() {
                    break;
                }
                line_start = above;
            }
            text.push_str(&newlines(gap));
            if line_start.is_some() || copied == 0 {
                let line = &gap[line_start.unwrap_or(0)..];
                let code = line.trim_start_matches([' ', '\t', '\u{c}']);
                text.push_str(&line[..line.len() - code.len()]);
            } else {
                text.push_str("; ");
            }
            text.push_str(replacement.unwrap_or(&self.source[range.clone()]));
            copied = range.end;
        }
        text.push_str(&newlines(&self.source[copied..]));
        text
    }
}

/// End of the colon between a name and a block.
pub(super) fn header_end(tokens: &[Token], from: usize, block: &[Stmt]) -> usize {
    let limit = block.first().map_or(from, |stmt| stmt.range().start().to_usize());
    let first = tokens.partition_point(|token| token.start().to_usize() < from);
    let header = tokens[first..].iter().take_while(|token| token.end().to_usize() <= limit);
    let mut depth = 0_usize;
    let mut end = limit;
    for token in header {
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => depth += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => depth = depth.saturating_sub(1),
            TokenKind::Colon if depth == 0 => {
                end = token.end().to_usize();
                break;
            }
            _ => {}
        }
    }
    end
}

/// Whether a statement of a module is there to import something.
pub(super) fn imports(stmt: &Stmt) -> bool {
    let compound = || matches!(stmt, Stmt::If(_) | Stmt::Try(_)) && only_imports(stmt) && has_import(stmt);
    is_import(stmt) || compound()
}

fn is_import(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_))
}

fn has_import(stmt: &Stmt) -> bool {
    is_import(stmt) || blocks(stmt).into_iter().flatten().any(has_import)
}

/// Whether a statement does nothing but import, or give names to what could not be imported.
fn only_imports(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::Pass(_) => true,
        Stmt::If(_) | Stmt::Try(_) => blocks(stmt).into_iter().flatten().all(only_imports),
        _ => false,
    }
}
