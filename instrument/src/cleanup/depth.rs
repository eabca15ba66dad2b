//! Nesting that neither CPython takes nor the stack of whoever walks the tree.
//!
//! Text is measured before the parser sees it: syntax trees are dropped and visited recursively, and the parser's
//! recovery nests what is never closed. The limits are CPython's own or just beyond what its compiler takes.

use super::scan::{Kind, Logical, Scan};

/// CPython's `MAXLEVEL` and `MAXFSTRINGLEVEL`.
pub(crate) const MAX_BRACKETS: usize = 200;
const MAX_FIELDS: usize = 150;
/// Operators that may nest in one another; CPython's compiler gives up at far fewer, but they need not be nested.
pub(crate) const MAX_OPERATORS: usize = 20_000;
/// Operators from which on the tree may be too deep for an ordinary stack.
const MANY_OPERATORS: usize = 1000;
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

/// Works on a text on a stack that is large enough for parsing it line by line. `None` if there is no memory for one.
pub(crate) fn with_stack<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    if may_be_deep(text) { on_large_stack(work) } else { Some(work()) }
}

/// Works on a stack for the deepest trees. `None` if there is no memory for one.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// What a byte adds to the depth of brackets, and to the marks that may nest without any.
const BYTES: [(i8, u8); 256] = {
    let mut table = [(0, 1); 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'(' | b'[' | b'{' => (1, 1),
            b')' | b']' | b'}' => (-1, 1),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => (0, 0),
            _ => (0, 1),
        };
        byte += 1;
    }
    table
};

/// True if some stretch between two line ends outside of brackets has as much in it as deep nesting needs.
fn may_be_deep(text: &str) -> bool {
    let (mut depth, mut marks, mut open_lines) = (0_usize, 0_usize, 0_usize);
    let mut from = 0;
    while from < text.len() {
        let to = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[from..]).map_or(text.len(), |found| from + found);
        let mut deepest = depth;
        for &byte in &text.as_bytes()[from..to] {
            let (step, mark) = BYTES[byte as usize];
            depth = depth.saturating_add_signed(isize::from(step));
            deepest = deepest.max(depth);
            marks += usize::from(mark);
        }
        if deepest > MAX_FIELDS || marks > MANY_OPERATORS {
            return true;
        }
        if depth == 0 {
            marks = 0;
        } else {
            open_lines += 1;
        }
        from = to + 1;
    }
    // A bracket that is never closed keeps the rest open.
    depth > 0 && open_lines > MAX_FIELDS
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
        Nesting::of(scan, line).is_too_deep().then_some((number, "nested too deep"))
    };
    (0..scan.lines.len()).filter_map(complaint).collect()
}

/// How deep the syntax tree of a logical line can be at most.
#[derive(Default)]
struct Nesting {
    brackets: usize,
    /// Longest chain of operators in one another, through brackets too.
    operators: usize,
    fields: usize,
}

impl Nesting {
    fn of(scan: &Scan, line: &Logical) -> Self {
        let mut deepest = Self::default();
        // For each open bracket, the operators since its last comma, and the most between two commas.
        let mut levels = vec![(0_usize, 0_usize)];
        let mut total = 0;
        for &token in scan.of(line) {
            let spelled = scan.spelling(token);
            let depth = levels.len() - 1;
            let (current, most) = levels.last_mut().expect("the outermost level stays");
            let mut operators = 0;
            match token.kind {
                Kind::Op => match spelled {
                    "(" | "[" | "{" => levels.push((0, 0)),
                    ")" | "]" | "}" if depth > 0 => {
                        operators = (*current).max(*most) + 1;
                        total -= *current;
                        levels.pop();
                    }
                    "," | ";" => {
                        *most = (*most).max(*current);
                        total -= std::mem::take(current);
                    }
                    _ => operators = 1,
                },
                Kind::Name if OPERATOR_WORDS.contains(&spelled) => operators = 1,
                Kind::Text | Kind::Broken => {
                    let (fields, inside) = fields(spelled);
                    deepest.fields = deepest.fields.max(fields);
                    operators = inside;
                }
                _ => {}
            }
            // What a closing bracket holds nests to the left of what follows it.
            levels.last_mut().expect("the outermost level stays").0 += operators;
            total += operators;
            deepest.brackets = deepest.brackets.max(levels.len() - 1);
            deepest.operators = deepest.operators.max(total);
        }
        deepest
    }

    fn is_too_deep(&self) -> bool {
        self.brackets > MAX_BRACKETS || self.operators > MAX_OPERATORS || self.fields > MAX_BRACKETS
    }
}

/// Words that nest what follows or precedes them.
const OPERATOR_WORDS: [&str; 10] = ["not", "await", "if", "and", "or", "in", "is", "lambda", "else", "yield"];

/// Depth of the brackets in the replacement fields of a string, by its spelling, and the marks among them; none
/// unless it is a format string.
fn fields(spelled: &str) -> (usize, usize) {
    let prefix = spelled.split(['"', '\'']).next().unwrap_or("");
    if !prefix.contains(['f', 'F', 't', 'T']) {
        return (0, 0);
    }
    let (mut depth, mut deepest, mut marks) = (0_usize, 0, 0);
    for byte in spelled.bytes() {
        let (step, mark) = BYTES[byte as usize];
        if depth > 0 || byte == b'{' {
            depth = depth.saturating_add_signed(isize::from(step));
            marks += usize::from(mark);
        }
        deepest = deepest.max(depth);
    }
    (deepest, marks)
}
