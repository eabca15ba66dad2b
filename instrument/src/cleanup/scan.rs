//! Logical lines of text that need not be Python.
//!
//! The parser's own tokens are of no use here: after an error it lexes again in another state. This scanner knows
//! only strings, brackets, names, numbers and operators, and gives up a bracket as soon as what follows cannot stand
//! inside one, so that a missing `)` costs one statement rather than the rest of the file.

use std::borrow::Cow;

/// What a token is, as far as repairs care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    /// A string without an end; it reaches to the end of the line.
    Broken,
    Op,
}

/// A token by byte offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// One logical line that holds at least one token.
#[derive(Clone, Debug)]
pub(super) struct Logical {
    /// Where its first physical line starts.
    pub(super) line_start: usize,
    /// Where its first token starts.
    pub(super) start: usize,
    /// Where its last token ends.
    pub(super) end: usize,
    /// Columns of indentation, tabs to multiples of eight.
    pub(super) width: usize,
    /// A bracket is left open.
    pub(super) unclosed: bool,
    /// Its tokens in [`Scan::tokens`].
    pub(super) tokens: std::ops::Range<usize>,
}

/// All tokens and logical lines of a text.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) lines: Vec<Logical>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut scanner = Scanner {
            scan: Scan { text, tokens: Vec::new(), lines: Vec::new() },
            at: 0,
            line_start: 0,
            open: Vec::new(),
            first: 0,
            unclosed: [false; 2],
        };
        scanner.run();
        scanner.scan
    }

    /// Text of a token.
    pub(super) fn spelling(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// Tokens of a logical line.
    pub(super) fn of(&self, line: &Logical) -> &[Token] {
        &self.tokens[line.tokens.clone()]
    }

    /// The logical line at an offset, or the last one before it.
    pub(super) fn line_at(&self, offset: usize) -> Option<usize> {
        self.lines.partition_point(|line| line.line_start <= offset).checked_sub(1)
    }

    /// First of the logical lines after `index` that is not indented more than it: the end of its block.
    pub(super) fn block_end(&self, index: usize) -> usize {
        let width = self.lines[index].width;
        let rest = &self.lines[index + 1..];
        index + 1 + rest.iter().position(|line| line.width <= width).unwrap_or(rest.len())
    }
}

/// Words that never stand inside brackets.
const STATEMENT_WORDS: [&str; 18] = [
    "assert", "break", "class", "continue", "def", "del", "elif", "except", "finally", "global", "import", "nonlocal",
    "pass", "raise", "return", "try", "while", "with",
];
/// Words that start a header.
const HEADER_WORDS: [&str; 9] = ["async", "class", "def", "elif", "except", "for", "if", "while", "with"];
/// Words that may follow an operand inside brackets.
const INFIX_WORDS: [&str; 10] = ["and", "as", "async", "else", "for", "if", "in", "is", "not", "or"];
/// Words after which an operand follows, together with [`INFIX_WORDS`].
const PREFIX_WORDS: [&str; 4] = ["await", "from", "lambda", "yield"];
const OPERATORS: [&[u8]; 25] = [
    b"...", b">>=", b"<<=", b"**=", b"//=", b">>", b"<<", b"**", b"//", b"<>", b"<=", b">=", b"==", b"!=", b"->",
    b":=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"@=",
];
/// How far past its first closing quote a format string may reach: keeps the scan linear.
const MAX_NESTED_QUOTES: usize = 4096;

struct Scanner<'a> {
    scan: Scan<'a>,
    at: usize,
    line_start: usize,
    /// Brackets that are open.
    open: Vec<u8>,
    /// First token of the logical line.
    first: usize,
    /// No closing `'''` or `"""` is left in the text: what opens one is broken.
    unclosed: [bool; 2],
}

impl Scanner<'_> {
    fn run(&mut self) {
        let text = self.scan.text;
        let bytes = text.as_bytes();
        if text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | 0x0c => self.at += 1,
                b'\n' | b'\r' => {
                    self.at = after_newline(bytes, self.at);
                    if self.open.is_empty() || self.bracket_is_lost() {
                        self.finish_line();
                    }
                    if self.first == self.scan.tokens.len() {
                        self.line_start = self.at;
                    }
                }
                b'\\' if matches!(bytes.get(self.at + 1), Some(b'\n' | b'\r')) => {
                    self.at = after_newline(bytes, self.at + 1);
                }
                b'#' => self.at = line_end(bytes, self.at),
                _ => self.token(byte),
            }
        }
        self.finish_line();
    }

    fn finish_line(&mut self) {
        let unclosed = !self.open.is_empty();
        self.open.clear();
        let Some(last) = self.scan.tokens[self.first..].last() else { return };
        let start = self.scan.tokens[self.first].start;
        let line = Logical {
            line_start: self.line_start,
            start,
            end: last.end,
            width: width(indentation(&self.scan.text[self.line_start..start])),
            unclosed,
            tokens: self.first..self.scan.tokens.len(),
        };
        self.first = line.tokens.end;
        self.scan.lines.push(line);
    }

    /// Whether the text ahead cannot continue the bracket that is open: a statement's word, a name right after an
    /// operand, or anything after a header's colon.
    fn bracket_is_lost(&self) -> bool {
        let ahead = self.scan.text[self.at..].trim_start_matches([' ', '\t']);
        let word = &ahead[..name_len(ahead)];
        let [first, .., last] = self.scan.tokens[self.first..] else { return false };
        let is_header = HEADER_WORDS.contains(&self.scan.spelling(first));
        if is_header && self.scan.spelling(last) == ":" && self.open.last() == Some(&b'(') {
            return true;
        }
        if word.is_empty() || matches!(ahead.as_bytes().get(word.len()), Some(b'"' | b'\'')) && word.len() <= 3 {
            return false;
        }
        if STATEMENT_WORDS.contains(&word) {
            return true;
        }
        let spelled = self.scan.spelling(last);
        let operand = match last.kind {
            Kind::Name => !INFIX_WORDS.contains(&spelled) && !PREFIX_WORDS.contains(&spelled),
            Kind::Number | Kind::Text | Kind::Broken => true,
            Kind::Op => matches!(spelled, ")" | "]" | "}"),
        };
        operand && !INFIX_WORDS.contains(&word)
    }

    fn token(&mut self, byte: u8) {
        let bytes = self.scan.text.as_bytes();
        let start = self.at;
        let word = name_len(&self.scan.text[start..]);
        let quote = start + if word <= 3 { word } else { 0 };
        let kind = if matches!(bytes.get(quote), Some(b'"' | b'\''))
            && bytes[start..quote].iter().all(|prefix| b"rRbBuUfFtT".contains(prefix))
        {
            let is_format = bytes[start..quote].iter().any(|prefix| b"fFtT".contains(prefix));
            let end = self.string(quote, is_format);
            self.at = end.unwrap_or_else(|| line_end(bytes, start));
            if end.is_some() { Kind::Text } else { Kind::Broken }
        } else if byte.is_ascii_digit() || byte == b'.' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit) {
            self.at = number_end(bytes, start);
            Kind::Number
        } else if word > 0 {
            self.at = start + word;
            Kind::Name
        } else {
            let known = OPERATORS.iter().find(|operator| bytes[start..].starts_with(operator));
            let other = || self.scan.text[start..].chars().next().map_or(1, char::len_utf8);
            self.at = start + known.map_or_else(other, |operator| operator.len());
            match byte {
                b'(' | b'[' | b'{' => self.open.push(byte),
                b')' | b']' | b'}' => drop(self.open.pop()),
                _ => {}
            }
            Kind::Op
        };
        self.scan.tokens.push(Token { kind, start, end: self.at });
    }

    /// End of the string whose quotes start at `quote`; none where it has none.
    fn string(&mut self, quote: usize, is_format: bool) -> Option<usize> {
        let bytes = self.scan.text.as_bytes();
        let mark = bytes[quote];
        let triple = bytes[quote..].starts_with(&[mark; 3]);
        let slot = usize::from(mark == b'"');
        if triple && self.unclosed[slot] {
            return None;
        }
        let plain_end = plain_string_end(bytes, quote, mark, triple);
        self.unclosed[slot] |= triple && plain_end.is_none();
        if !is_format {
            return plain_end;
        }
        // Since Python 3.12 the same quotes may stand inside a field. Failing that, the older reading holds.
        let limit = bytes.len().min(plain_end? + MAX_NESTED_QUOTES);
        format_end(&bytes[..limit], quote, mark, triple).or(plain_end)
    }
}

fn format_end(bytes: &[u8], quote: usize, mark: u8, triple: bool) -> Option<usize> {
    let quotes = if triple { 3 } else { 1 };
    let mut at = quote + quotes;
    let mut depth = 0_u32;
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'\n' | b'\r' if !triple => return None,
            b'\\' if depth == 0 => at += 2,
            b'{' | b'}' if depth == 0 && bytes.get(at + 1) == Some(&byte) => at += 2,
            b'{' | b'(' | b'[' if depth > 0 || byte == b'{' => {
                depth += 1;
                at += 1;
            }
            b'}' | b')' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b'"' | b'\'' if depth > 0 => {
                let nested_triple = bytes[at..].starts_with(&[byte; 3]);
                at = plain_string_end(bytes, at, byte, nested_triple)?;
            }
            _ if depth == 0 && byte == mark && (!triple || bytes[at..].starts_with(&[mark; 3])) => {
                return Some(at + quotes);
            }
            _ => at += 1,
        }
    }
}

fn plain_string_end(bytes: &[u8], quote: usize, mark: u8, triple: bool) -> Option<usize> {
    let mut at = quote + if triple { 3 } else { 1 };
    loop {
        match *bytes.get(at)? {
            b'\\' => at += if bytes[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            b'\n' | b'\r' if !triple => return None,
            byte if byte == mark && (!triple || bytes[at..].starts_with(&[mark; 3])) => {
                return Some(at + if triple { 3 } else { 1 });
            }
            _ => at += 1,
        }
    }
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let hexadecimal = bytes[start..].starts_with(b"0x") || bytes[start..].starts_with(b"0X");
    while let Some(&byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-') && !hexadecimal && at > start && matches!(bytes[at - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || sign) {
            break;
        }
        at += 1;
    }
    at
}

/// Bytes of the name that the text starts with.
fn name_len(text: &str) -> usize {
    let inside = |(at, char): (usize, char)| char == '_' || char.is_alphabetic() || at > 0 && char.is_alphanumeric();
    text.char_indices().find(|&item| !inside(item)).map_or(text.len(), |(at, _)| at)
}

/// The whitespace that indents a line: that before a backslash which joins the line to the next one.
pub(super) fn indentation(before: &str) -> &str {
    let line = before.trim_start_matches('\u{feff}');
    line.split('\\').next().unwrap_or("")
}

/// Columns that leading whitespace takes.
fn width(indentation: &str) -> usize {
    indentation.bytes().fold(0, |width, byte| match byte {
        b' ' => width + 1,
        b'\t' => (width / 8 + 1) * 8,
        0x0c => 0,
        _ => width,
    })
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

fn after_newline(bytes: &[u8], at: usize) -> usize {
    at + if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 }
}

/// A physical line: its text without the line's end, and where the next one starts.
#[derive(Clone, Copy)]
pub(super) struct Physical<'a> {
    pub(super) start: usize,
    pub(super) content: &'a str,
    pub(super) ending: &'a str,
}

/// All physical lines, numbered like [`crate::LineIndex`]'s.
pub(super) fn physical_lines(text: &str) -> impl Iterator<Item = Physical<'_>> {
    let bytes = text.as_bytes();
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end = line_end(bytes, start);
        let after = if end < bytes.len() { after_newline(bytes, end) } else { end };
        next = (end < bytes.len()).then_some(after);
        Some(Physical { start, content: &text[start..end], ending: &text[end..after] })
    })
}

/// Replaces line ends that are a lone `\r`: with nothing left between it and a `\n`, two lines would become one.
pub(crate) fn without_lone_returns(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let lone: Vec<usize> = memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n')).collect();
    if lone.is_empty() {
        return text.into();
    }
    let edits = lone.into_iter().map(|at| super::Edit::new(at..at + 1, "\n")).collect();
    super::apply(text, edits).into()
}

/// Drops everything but line ends.
pub(crate) fn newlines(text: &str) -> String {
    text.chars().filter(|char| matches!(char, '\n' | '\r')).collect()
}
