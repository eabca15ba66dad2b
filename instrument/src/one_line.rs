//! Statements as texts of one line each, for readers who see no source: language models.

use std::ops::Range;

use ruff_python_ast::token::{Token, TokenKind};
use ruff_text_size::Ranged;

use crate::SourceModel;
use crate::control_flow::{CodeId, Node};

/// A statement or header on one line that means the same: without comments, with one space where white space separates
/// tokens, and with escapes for what does not show in its strings, line breaks above all.
#[must_use]
pub fn one_line(model: &SourceModel, range: Range<u32>) -> String {
    let mut out = String::new();
    let mut end = None;
    // Whether each open formatted string is a raw one.
    let mut raw = Vec::new();
    for token in tokens(model, &range) {
        let text = &model.text()[token.start().to_usize()..token.end().to_usize()];
        if end.replace(token.end()).is_some_and(|end| end < token.start()) {
            out.push(' ');
        }
        match token.kind() {
            TokenKind::String => push_string(&mut out, text),
            TokenKind::FStringStart | TokenKind::TStringStart => {
                raw.push(text.contains(['r', 'R']));
                out.extend(text.chars().filter(|letter| !matches!(letter, 'r' | 'R')));
            }
            TokenKind::FStringMiddle | TokenKind::TStringMiddle => {
                push_content(&mut out, text, raw.last() == Some(&true));
            }
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                raw.pop();
                out.push_str(text);
            }
            _ => out.push_str(text),
        }
    }
    out
}

/// True for a statement that CPython runs without any instruction, so that no trace has it: `global` and `nonlocal`; in
/// functions the docstring and annotations without a value.
#[must_use]
pub fn leaves_no_trace(model: &SourceModel, node: &Node) -> bool {
    let mut tokens = tokens(model, &node.range);
    let code = &model.control_flow().codes[node.code];
    let entry = &model.control_flow().nodes[code.entry];
    let is_function = node.code != CodeId::from_u32(0)
        && self::tokens(model, &entry.range).any(|token| matches!(token.kind(), TokenKind::Def | TokenKind::Lambda));
    match tokens.next().map(Token::kind) {
        Some(TokenKind::Global | TokenKind::Nonlocal) => true,
        Some(TokenKind::String) if is_function => {
            let first = model.control_flow().nodes.iter().find(|other| other.code == node.code && other.is_statement());
            first.is_some_and(|first| first.range == node.range)
                && tokens.all(|token| token.kind() == TokenKind::String)
        }
        Some(TokenKind::Name) if is_function => {
            tokens.next().is_some_and(|token| token.kind() == TokenKind::Colon)
                && !tokens.any(|token| token.kind() == TokenKind::Equal)
        }
        _ => false,
    }
}

/// True for a statement with a comprehension, which CPython may trace once for each element.
#[must_use]
pub fn has_comprehension(model: &SourceModel, range: &Range<u32>) -> bool {
    // `for x in xs`, `async for x in xs`: the word of the statement itself is among the first two.
    tokens(model, range).enumerate().any(|(place, token)| {
        let is_after_async = || tokens(model, range).next().is_some_and(|first| first.kind() == TokenKind::Async);
        token.kind() == TokenKind::For && (place > 1 || place == 1 && !is_after_async())
    })
}

/// The tokens of a range, but for comments and line breaks.
fn tokens<'m>(model: &'m SourceModel, range: &Range<u32>) -> impl Iterator<Item = &'m Token> {
    let (start, end) = (range.start, range.end);
    let is_shown = |token: &&Token| {
        let kind = token.kind();
        !kind.is_trivia() && !matches!(kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent)
    };
    let tokens = model.tokens();
    let first = tokens.partition_point(|token| token.start().to_u32() < start);
    tokens[first..].iter().take_while(move |token| token.start().to_u32() < end).filter(is_shown)
}

/// Writes a string or bytes literal, as it is if all of it shows.
fn push_string(out: &mut String, text: &str) {
    let (prefix, quoted) = text.split_at(text.find(['\'', '"']).unwrap_or(0));
    let quote = if quoted.starts_with("'''") || quoted.starts_with("\"\"\"") { 3 } else { 1 };
    let content = quoted.get(quote..quoted.len().saturating_sub(quote));
    let Some(content) = content.filter(|content| content.contains(is_hidden)) else {
        return out.push_str(text);
    };
    out.extend(prefix.chars().filter(|letter| !matches!(letter, 'r' | 'R')));
    out.push_str(&quoted[..quote]);
    push_content(out, content, prefix.contains(['r', 'R']));
    out.push_str(&quoted[quoted.len() - quote..]);
}

/// Writes what stands between quotes, as a literal has it that is not raw.
fn push_content(out: &mut String, content: &str, is_raw: bool) {
    let mut letters = content.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_raw => {
                out.push_str("\\\\");
                // In a raw literal a quote after a backslash does not end it.
                if let Some(quote) = letters.next_if(|next| matches!(next, '\'' | '"')) {
                    out.push('\\');
                    out.push(quote);
                }
            }
            '\\' => match letters.next() {
                Some('\r') => drop(letters.next_if_eq(&'\n')),
                Some('\n') | None => {}
                Some(next) => out.extend(['\\', next]),
            },
            '\n' => out.push_str("\\n"),
            '\r' => {
                letters.next_if_eq(&'\n');
                out.push_str("\\n");
            }
            letter if is_hidden(letter) => {
                let written = match u32::from(letter) {
                    code @ ..=0xff => format!("\\x{code:02x}"),
                    code => format!("\\u{code:04x}"),
                };
                out.push_str(&written);
            }
            letter => out.push(letter),
        }
    }
}

/// True for line breaks, other control characters, and those that change the direction of a text or have no width.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        let model = SourceModel::parse(source).expect("it parses");
        one_line(&model, 0..source.trim_end().len() as u32)
    }

    #[test]
    fn strings_keep_their_values() {
        for (source, expected) in [
            ("x = 'a  b'   +  y\n", "x = 'a  b' + y"),
            ("f(a,  # the first\n  b)  # done\n", "f(a, b)"),
            ("x = 1 + \\\n    2\n", "x = 1 + 2"),
            ("x = '''a\n  # no comment\n'''\n", "x = '''a\\n  # no comment\\n'''"),
            ("x = 'a\\\nb\\n'\n", "x = 'ab\\n'"),
            ("x = '''a\r\nb'''\n", "x = '''a\\nb'''"),
            ("x = r'\\d+'\n", "x = r'\\d+'"),
            ("x = r'''\\d\n\\'x'''\n", "x = '''\\\\d\\n\\\\\\'x'''"),
            ("x = Rb'''\\d\n'''\n", "x = b'''\\\\d\\n'''"),
            ("x = f'''{a  +\n 1}\n{b!r:>{w}}'''\n", "x = f'''{a + 1}\\n{b!r:>{w}}'''"),
            ("x = rf'\\d{a}'\n", "x = f'\\\\d{a}'"),
            ("x = 'a\tb\u{202e}'\n", "x = 'a\\x09b\\u202e'"),
            ("if x:  # why\n    pass\n", "if x: pass"),
        ] {
            assert_eq!(shown(source), expected, "{source:?}");
        }
    }

    #[test]
    fn statements_without_instructions_are_known() {
        let source = "'doc'\nx: int\ndef f():\n    'doc'\n    global x\n    y: int\n    'no doc'\n    x = 1\n\
                      class A:\n    'doc'\n    z: int\n";
        let model = SourceModel::parse(source).expect("it parses");
        let graph = model.control_flow();
        let silent = graph.nodes.iter().filter(|node| node.is_statement() && leaves_no_trace(&model, node));
        let lines: Vec<u32> = silent.map(|node| model.lines().line(node.range.start)).collect();
        assert_eq!(lines, [4, 5, 6]);
    }
}
