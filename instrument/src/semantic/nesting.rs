//! How deep a syntax tree may be, from its tokens.
//!
//! The parser grows its stack as it needs; those who walk or drop the tree get one that is large enough.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_text_size::{Ranged, TextSize};

use crate::HookNames;
use crate::cleanup::depth;

/// Brackets that CPython takes outside of format strings, and again inside of one.
const MAX_BRACKETS: usize = 2 * depth::MAX_BRACKETS + 2;
/// Operators and blocks in one another that fit on an ordinary stack.
const FEW_OPERATORS: usize = 1000;
const FEW_BLOCKS: usize = 100;
/// Length of the names that the hooks have.
const CLASH_LEN: TextSize = TextSize::new(3);

/// The deepest nesting that the tokens allow, and what else they tell before the tree is walked.
pub(super) struct Nesting {
    /// Longest chain of operators in one another, through brackets too.
    operators: usize,
    /// Indented blocks in one another.
    blocks: usize,
    /// Start of the first token that stands deeper than CPython goes.
    pub(super) too_deep_at: Option<u32>,
    /// Starts of the tokens by which an expression opens a scope or binds a name: `lambda`, `:=`, `for` in brackets.
    pub(super) binders: Vec<u32>,
    /// Some name may be one that only the long spelling of the hooks leaves free.
    pub(super) may_clash: bool,
}

impl Nesting {
    /// True if a tree from these tokens may be too deep for an ordinary stack.
    pub(super) fn is_deep(&self) -> bool {
        self.operators > FEW_OPERATORS || self.blocks > FEW_BLOCKS
    }

    pub(super) fn of(source: &str, tokens: &[Token]) -> Self {
        let mut binders = Vec::new();
        // The parser normalizes names that are not ASCII.
        let mut may_clash = !source.is_ascii();
        // For each open bracket, the operators since its last comma, and the most between two commas.
        let mut levels: Vec<(usize, usize)> = Vec::with_capacity(16);
        let (mut current, mut most) = (0_usize, 0_usize);
        let (mut total, mut operators) = (0_usize, 0_usize);
        let (mut indents, mut blocks) = (0_usize, 0_usize);
        let mut too_deep_at = None;
        for token in tokens {
            let mut more = 0;
            match token.kind() {
                TokenKind::Name => {
                    may_clash |= token.range().len() == CLASH_LEN && HookNames::clashes(&source[token.range()]);
                    continue;
                }
                TokenKind::String | TokenKind::Int | TokenKind::NonLogicalNewline => continue,
                TokenKind::Newline if levels.is_empty() => {
                    (current, most, total) = (0, 0, 0);
                    continue;
                }
                TokenKind::Comma | TokenKind::Semi => {
                    most = most.max(current);
                    total -= current;
                    current = 0;
                    continue;
                }
                TokenKind::Lpar
                | TokenKind::Lsqb
                | TokenKind::Lbrace
                | TokenKind::FStringStart
                | TokenKind::TStringStart => {
                    levels.push((current, most));
                    (current, most) = (0, 0);
                }
                TokenKind::Rpar
                | TokenKind::Rsqb
                | TokenKind::Rbrace
                | TokenKind::FStringEnd
                | TokenKind::TStringEnd
                    if !levels.is_empty() =>
                {
                    // What a bracket holds nests to the left of what follows it.
                    more = current.max(most) + 1;
                    total -= current;
                    (current, most) = levels.pop().expect("it is not empty");
                }
                TokenKind::Indent => {
                    indents += 1;
                    blocks = blocks.max(indents);
                    continue;
                }
                TokenKind::Dedent => {
                    indents = indents.saturating_sub(1);
                    continue;
                }
                kind => {
                    let binds = matches!(kind, TokenKind::Lambda | TokenKind::ColonEqual)
                        || kind == TokenKind::For && !levels.is_empty();
                    if binds {
                        binders.push(token.start().to_u32());
                    }
                    more = usize::from(kind.is_operator() || kind.is_keyword());
                }
            }
            current += more;
            total += more;
            operators = operators.max(total);
            if (levels.len() > MAX_BRACKETS || total > depth::MAX_OPERATORS) && too_deep_at.is_none() {
                too_deep_at = Some(token.start().to_u32());
            }
        }
        Self { operators, blocks, too_deep_at, binders, may_clash }
    }
}
