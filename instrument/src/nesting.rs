//! How deep a syntax tree may be, from its tokens.
//!
//! The parser grows its stack as it needs; those who walk or drop the tree get one that is large enough.

use std::mem::ManuallyDrop;

use ruff_python_ast::ModModule;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextSize};

use crate::cleanup::depth;
use crate::{Error, HookNames, LineIndex};

/// The parser's own stack can bear whatever nests in a text of this size; larger ones are looked at first.
const MAX_UNSEEN_BYTES: usize = 128 << 10;
/// Brackets that CPython takes outside of format strings, and again inside of one.
const MAX_BRACKETS: usize = 2 * depth::MAX_BRACKETS + 2;
/// Operators and blocks in one another that an ordinary stack bears.
const FEW_OPERATORS: usize = 1000;
const FEW_BLOCKS: usize = 100;
/// Length of the names that the hooks have.
const CLASH_LEN: TextSize = TextSize::new(3);

/// Parses a module and works on its tree, on a stack that is large enough for it.
pub(crate) fn parse<T: Send>(source: &str, work: impl FnOnce(&ModModule, &Nesting) -> T + Send) -> Result<T, Error> {
    let fault =
        |offset: usize, message: String| Error::Syntax { line: LineIndex::new(source).line(offset as u32), message };
    if source.len() > MAX_UNSEEN_BYTES
        && let Some(offset) = depth::first_too_deep(source)
    {
        return Err(fault(offset, TOO_DEEP.to_owned()));
    }
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module))
        .try_into_module()
        .expect("parsing in module mode gives a module");
    let nesting = Nesting::of(source, parsed.tokens());
    let visit = |parsed: Parsed<ModModule>| {
        if let Some(start) = nesting.too_deep_at {
            return Err(fault(start as usize, TOO_DEEP.to_owned()));
        }
        if let Some(error) = parsed.errors().first() {
            return Err(fault(error.location.start().to_usize(), error.error.to_string()));
        }
        Ok(work(parsed.syntax(), &nesting))
    };
    if nesting.operators <= FEW_OPERATORS && nesting.blocks <= FEW_BLOCKS {
        return visit(parsed);
    }
    // Without memory for such a stack the tree cannot even be dropped.
    let parsed = ManuallyDrop::new(parsed);
    depth::on_large_stack(|| visit(ManuallyDrop::into_inner(parsed)))
        .unwrap_or_else(|| Err(fault(0, TOO_DEEP.to_owned())))
}

const TOO_DEEP: &str = "nested too deeply";

/// The deepest nesting that the tokens allow, and what else they tell before the tree is walked.
pub(crate) struct Nesting {
    /// Longest chain of operators in one another, through brackets too.
    operators: usize,
    /// Indented blocks in one another.
    blocks: usize,
    /// Start of the first token that stands deeper than CPython goes.
    too_deep_at: Option<u32>,
    /// Starts of the tokens by which an expression opens a scope or binds a name: `lambda`, `:=`, `for` in brackets.
    pub(crate) binders: Vec<u32>,
    /// Some name may be one that only the long spelling of the hooks leaves free.
    pub(crate) may_clash: bool,
}

impl Nesting {
    fn of(source: &str, tokens: &[Token]) -> Self {
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
                TokenKind::Newline if levels.is_empty() => (current, most, total) = (0, 0, 0),
                TokenKind::Comma | TokenKind::Semi => {
                    most = most.max(current);
                    total -= current;
                    current = 0;
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
                }
                TokenKind::Dedent => indents = indents.saturating_sub(1),
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
