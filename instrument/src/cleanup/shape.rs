//! What kind of statement a logical line is, and whether it would parse by itself.

use super::scan::{Kind, Logical, Scan, Token};
use ruff_python_parser::parse_module;

/// How a logical line starts, as far as its place among others depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    If,
    Elif,
    Else,
    For,
    While,
    Try,
    Except,
    Finally,
    With,
    Def,
    Class,
    Match,
    Case,
    Decorator,
    Simple,
}

impl Word {
    /// Whether a block belongs to the line.
    pub(super) fn is_header(self) -> bool {
        !matches!(self, Self::Simple | Self::Decorator)
    }

    /// Whether the line continues a compound statement.
    pub(super) fn is_clause(self) -> bool {
        matches!(self, Self::Elif | Self::Else | Self::Except | Self::Finally)
    }

    /// Whether a line of this kind may follow the block of another.
    pub(super) fn follows(self, opener: Self) -> bool {
        match self {
            Self::Elif => matches!(opener, Self::If | Self::Elif),
            Self::Else => matches!(opener, Self::If | Self::Elif | Self::For | Self::While | Self::Except),
            Self::Except => matches!(opener, Self::Try | Self::Except),
            Self::Finally => matches!(opener, Self::Try | Self::Except | Self::Else),
            _ => false,
        }
    }
}

/// A logical line taken apart.
pub(super) struct Shape {
    pub(super) word: Word,
    /// The token that ends the header, by its index within the line; always none for simple statements.
    pub(super) colon: Option<usize>,
    /// The line ends at its colon: a block follows.
    pub(super) opens_block: bool,
}

impl Shape {
    pub(super) fn of(scan: &Scan, line: &Logical) -> Self {
        let tokens = scan.of(line);
        let spelled = |at: usize| tokens.get(at).map_or("", |&token| scan.spelling(token));
        let last_is_colon = spelled(tokens.len() - 1) == ":";
        let soft =
            |word| if last_is_colon && !matches!(spelled(1), ":" | "=" | "." | ",") { word } else { Word::Simple };
        let word = match spelled(usize::from(spelled(0) == "async")) {
            "if" => Word::If,
            "elif" => Word::Elif,
            "else" => Word::Else,
            "for" => Word::For,
            "while" => Word::While,
            "try" => Word::Try,
            "except" => Word::Except,
            "finally" => Word::Finally,
            "with" => Word::With,
            "def" => Word::Def,
            "class" => Word::Class,
            "match" => soft(Word::Match),
            "case" => {
                let colon = header_colon(scan, tokens).is_some_and(|colon| colon > 1);
                if colon && !matches!(spelled(1), "=" | "." | ",") { Word::Case } else { Word::Simple }
            }
            "@" => Word::Decorator,
            _ => Word::Simple,
        };
        let colon = if word.is_header() { header_colon(scan, tokens) } else { None };
        Self { word, colon, opens_block: colon.is_some_and(|colon| colon + 1 == tokens.len()) }
    }

    /// The simple statements of a line, as ranges of its tokens: all of it, or what follows the header's colon.
    pub(super) fn parts(&self, scan: &Scan, line: &Logical) -> Vec<std::ops::Range<usize>> {
        let tokens = scan.of(line);
        let mut parts = Vec::new();
        if self.word == Word::Decorator || self.word != Word::Simple && self.colon.is_none() {
            return parts;
        }
        let mut from = self.colon.map_or(0, |colon| colon + 1);
        for at in top_level(scan, tokens, ";") {
            if at > from {
                parts.push(from..at);
            }
            from = from.max(at + 1);
        }
        if from < tokens.len() {
            parts.push(from..tokens.len());
        }
        parts
    }
}

/// Tokens spelled `what` outside of brackets, by index.
pub(super) fn top_level<'a>(scan: &'a Scan, tokens: &'a [Token], what: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0_usize;
    tokens.iter().enumerate().filter_map(move |(at, &token)| {
        let spelled = scan.spelling(token);
        if token.kind == Kind::Op {
            match spelled {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        (depth == 0 && spelled == what).then_some(at)
    })
}

fn header_colon(scan: &Scan, tokens: &[Token]) -> Option<usize> {
    let mut lambdas = top_level(scan, tokens, "lambda").peekable();
    let mut open = 0;
    for colon in top_level(scan, tokens, ":") {
        while lambdas.next_if(|&lambda| lambda < colon).is_some() {
            open += 1;
        }
        if open == 0 {
            return Some(colon);
        }
        open -= 1;
    }
    // A bracket is missing.
    let last = tokens.len().checked_sub(1)?;
    (scan.spelling(tokens[last]) == ":").then_some(last)
}

/// What the parser says of a logical line that stands where it should; none if it is fine.
pub(super) fn complaint(text: &str, word: Word, opens_block: bool) -> Option<String> {
    let before = match word {
        Word::Elif | Word::Else => "if 1: pass\n",
        Word::Except | Word::Finally => "try: pass\n",
        Word::Case => "match 1:\n ",
        _ => "",
    };
    let after = match (word, opens_block) {
        (Word::Try, true) => " pass\nfinally: pass",
        (Word::Try, false) => "\nfinally: pass",
        (Word::Match, _) => "\n case _: pass",
        (Word::Decorator, _) => "\ndef _(): pass",
        (_, true) => " pass",
        (_, false) => "",
    };
    let error = parse_module(&[before, text, after].concat()).err()?;
    Some(error.error.to_string())
}
