//! Nesting that neither CPython takes nor the stack of whoever walks the tree.
//!
//! Text is measured before the parser sees it: syntax trees are dropped and visited recursively, and the parser's
//! recovery nests what is never closed. The limits are CPython's own or just beyond what its compiler takes.

use super::scan::{Kind, Logical, Scan, Token};

/// CPython's `MAXLEVEL` and `MAXFSTRINGLEVEL`.
const MAX_BRACKETS: usize = 200;
const MAX_FIELDS: usize = 150;
/// Operators of one line; CPython's compiler gives up at far fewer nested ones, but they need not be nested.
const MAX_OPERATORS: usize = 20_000;
/// Marks of one line from which on the tree may be too deep for an ordinary stack.
const MANY_MARKS: usize = 1000;
/// Address space for walking deep trees; committed only as far as it is used.
const STACK_BYTES: usize = 512 << 20;

/// The offset of the first logical line that nests too deep to parse. A look at the bytes tells for nearly every
/// text that there is none.
pub(crate) fn first_too_deep(text: &str) -> Option<usize> {
    if !may_be_deep(text) {
        return None;
    }
    let scan = Scan::new(text);
    too_deep(&scan).first().map(|&(number, _)| scan.lines[number].start)
}

/// Parses and walks a text on a stack that is large enough for it. `None` if there is no memory for one.
pub(crate) fn with_stack<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    if !may_be_deep(text) {
        return Some(work());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// True if some stretch between two line ends outside of brackets has as much in it as deep nesting needs.
fn may_be_deep(text: &str) -> bool {
    let (mut depth, mut marks) = (0_usize, 0_usize);
    let (mut open_lines, mut open) = (0_usize, false);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                marks += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                marks += 1;
            }
            b'\n' | b'\r' if depth == 0 => marks = 0,
            b'\n' => {
                open = true;
                open_lines += 1;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {}
            _ => marks += 1,
        }
        if depth > MAX_FIELDS || marks > MANY_MARKS {
            return true;
        }
    }
    // A bracket that is never closed keeps the rest open.
    open && depth > 0 && open_lines > MAX_FIELDS
}

/// Logical lines, in order, that nest too deep, with what is wrong.
pub(super) fn too_deep(scan: &Scan) -> Vec<(usize, &'static str)> {
    let broken = |line: &Logical| scan.of(line).iter().any(|token| token.kind == Kind::Broken);
    // The parser nests each line with an open bracket or string in those before.
    let many_unclosed = scan.lines.iter().filter(|line| line.unclosed).count() > MAX_BRACKETS;
    let many_broken = scan.lines.iter().filter(|line| broken(line)).count() > MAX_FIELDS;
    let complaint = |number: usize| {
        let line = &scan.lines[number];
        if many_unclosed && line.unclosed || many_broken && broken(line) {
            return Some((number, "a bracket or string is never closed"));
        }
        nests(scan, scan.of(line)).then_some((number, "nested too deep"))
    };
    (0..scan.lines.len()).filter_map(complaint).collect()
}

fn nests(scan: &Scan, tokens: &[Token]) -> bool {
    let (mut depth, mut operators, mut lambdas) = (0_usize, 0, 0);
    tokens.iter().any(|&token| {
        let spelled = scan.spelling(token);
        match token.kind {
            Kind::Op => match spelled {
                "(" | "[" | "{" => depth += 1,
                // Calls and subscripts nest to the left.
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    operators += 1;
                }
                "," | ";" => operators = 0,
                _ => operators += 1,
            },
            Kind::Name if spelled == "lambda" => lambdas += 1,
            Kind::Name if ["not", "await", "if", "and", "or", "in", "is"].contains(&spelled) => operators += 1,
            Kind::Text | Kind::Broken if fields(spelled) > MAX_FIELDS => return true,
            _ => {}
        }
        depth > MAX_BRACKETS || operators > MAX_OPERATORS || lambdas > MAX_OPERATORS
    })
}

/// Depth of replacement fields in the spelling of a string; none unless it is a format string.
fn fields(spelled: &str) -> usize {
    let prefix = spelled.split(['"', '\'']).next().unwrap_or("");
    if !prefix.contains(['f', 'F', 't', 'T']) {
        return 0;
    }
    let mut depth = 0_usize;
    spelled.bytes().fold(0, |deepest, byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest.max(depth)
    })
}
