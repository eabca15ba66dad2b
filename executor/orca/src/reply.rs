//! Reading a model's answer. It is data: what cannot be read is left out, and nothing is evaluated.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::blocks::Blocks;
use crate::executed::{Entry, ErrorAt, SymbolTable, Trace, Visit};

/// Visits that are read at most.
const MOST_VISITS: usize = 20_000;
/// Bytes and lines of a symbol table that are read.
const MOST_TABLE: usize = 20_000;
const MOST_TABLE_LINES: usize = 200;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is right")
}

/// `Block 3:`, `**Block 3**`, `### Block 3 - iteration 2`, at the start of a line.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\W_]*(?i:block)[\s_#*]*(\d{1,6})\b"));
/// `Lines: 4, 5`
static LINES: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\W_]*(?i:lines?(?:\s+executed)?)[\s*]*:[\s*]*(.*)$"));
static TABLE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)symbol[\s_]*table[^:{]*:?"));
static ERROR: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^[\W_]*(?i:(?:runtime\s*)?error(?:\s*detected)?|exception)\b[^:]*:\s*(.*)$"));
/// Classes of exceptions as Python spells them.
static CLASS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning)|[A-Z]\w*Error)\b"));
static IN_BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bblock[\s#*]*(\d{1,6})\b"));
static IN_LINE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bline[\s#*]*(\d{1,9})\b"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"\d{1,9}"));

/// Reads an answer. Blocks and lines that the program does not have are left out.
#[must_use]
pub fn read(text: &str, blocks: &Blocks) -> Trace {
    let mut trace = Trace::default();
    let mut lines = text.lines().peekable();
    let mut has_lines = false;
    let mut stopped = false;
    while let Some(line) = lines.next() {
        if marks(line, "<END>") {
            break;
        }
        stopped |= marks(line, "<STOP>");
        if let Some(error) = error(line, &trace) {
            trace.error = Some(error);
            continue;
        }
        if stopped {
            break;
        }
        if let Some(number) = BLOCK.captures(line).and_then(|found| found[1].parse().ok()) {
            if trace.visits.len() >= MOST_VISITS {
                trace.is_cut = true;
                break;
            }
            if let Some(block) = blocks.blocks.get(usize::wrapping_sub(number, 1)) {
                let lines = block.statements.iter().map(|statement| statement.line).collect();
                trace.visits.push(Visit { block: number, lines, ..Visit::default() });
                has_lines = false;
            }
        }
        let Some(visit) = trace.visits.last_mut() else { continue };
        if let Some(stated) = LINES.captures(line) {
            let own = &blocks.blocks[visit.block - 1].statements;
            let stated = NUMBER.find_iter(stated.get(1).map_or("", |stated| stated.as_str()));
            let stated = stated.filter_map(|number| number.as_str().parse().ok());
            let stated: Vec<u32> = stated.filter(|line| own.iter().any(|statement| statement.line == *line)).collect();
            if !stated.is_empty() && !has_lines {
                (visit.lines, has_lines) = (stated, true);
            }
        }
        if let Some(found) = TABLE.find(line) {
            let mut table = line[found.end()..].to_owned();
            for _ in 0..MOST_TABLE_LINES {
                let depth = braces(&table);
                // Words without a bracket are no table but a remark.
                let is_remark = depth.is_none() && line[found.end()..].contains(char::is_alphanumeric);
                if depth == Some(0) || is_remark || table.len() > MOST_TABLE {
                    break;
                }
                let may_open = |more: &str| more.trim().is_empty() || more.contains(['{', '[', '(', '`']);
                let goes_on = |more: &&str| !begins_something(more) && (depth.is_some() || may_open(more));
                let Some(more) = lines.next_if(goes_on) else { break };
                table.push('\n');
                table.push_str(more);
            }
            visit.symbols = symbols(&table);
        }
    }
    join_visits(&mut trace, blocks);
    end_at_error(&mut trace);
    trace.set_statements();
    trace
}

/// Joins a visit with what it goes on with after blocks that ran inside of it. Blocks are entered at their first statement:
/// a visit that begins later goes on with the last one that has not come that far.
fn join_visits(trace: &mut Trace, blocks: &Blocks) {
    let mut joined: Vec<Visit> = Vec::with_capacity(trace.visits.len());
    // Visits that may go on, by block.
    let mut open: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for visit in trace.visits.drain(..) {
        let statements = &blocks.blocks[visit.block - 1].statements;
        let place = |line: Option<&u32>| statements.iter().position(|statement| Some(&statement.line) == line);
        let (first, last) = (place(visit.lines.first()), place(visit.lines.last()));
        let waiting = open.entry(visit.block).or_default();
        let before = waiting.iter().rposition(|&at| place(joined[at].lines.last()) < first);
        if let Some(found) = before.filter(|_| first > Some(0)) {
            // Those after it were left for good.
            waiting.truncate(found + 1);
            let earlier = &mut joined[waiting[found]];
            earlier.lines.extend(visit.lines);
            if !visit.symbols.is_empty() {
                earlier.symbols = visit.symbols;
            }
        } else {
            waiting.push(joined.len());
            joined.push(visit);
        }
        if last == Some(statements.len() - 1) {
            waiting.pop();
        }
    }
    trace.visits = joined;
}

/// Whether a line has a marker that stands in no string.
fn marks(line: &str, marker: &str) -> bool {
    let Some(place) = line.find(marker) else { return false };
    let mut is_bare = line.trim_matches(|letter: char| letter.is_whitespace() || "*`".contains(letter)) == marker;
    scan(line, |_, at| is_bare |= at == place);
    is_bare
}

/// Whether a line ends a table that was not closed.
fn begins_something(line: &str) -> bool {
    BLOCK.is_match(line) || ERROR.is_match(line) || marks(line, "<END>") || marks(line, "<STOP>")
}

/// The error that a line tells of, if it does.
fn error(line: &str, trace: &Trace) -> Option<ErrorAt> {
    if trace.error.is_some() {
        return None;
    }
    let stated = ERROR.captures(line)?;
    let kind = CLASS.captures(&stated[1])?[1].to_owned();
    let number = |pattern: &Regex| pattern.captures(line)?[1].parse::<u32>().ok();
    let block = number(&IN_BLOCK).map(|block| block as usize);
    let last = trace.visits.last().map(|visit| visit.block);
    Some(ErrorAt { kind, line: number(&IN_LINE), block: block.or(last) })
}

/// The last visit of its block ends with the statement that raises.
fn end_at_error(trace: &mut Trace) {
    let Some(ErrorAt { line: Some(line), block, .. }) = &trace.error else { return };
    let Some(last) = trace.visits.iter_mut().rev().find(|visit| Some(visit.block) == *block) else { return };
    if let Some(at) = last.lines.iter().position(|own| own == line) {
        last.lines.truncate(at + 1);
    }
}

/// How many brackets are open at the end; `None` before the first one.
fn braces(text: &str) -> Option<i32> {
    let mut depth = None;
    scan(text, |byte, _| match byte {
        b'{' | b'[' | b'(' => depth = Some(depth.unwrap_or(0) + 1),
        b'}' | b']' | b')' => depth = Some(depth.unwrap_or(0) - 1),
        _ => {}
    });
    depth
}

/// Walks the bytes of a text that stand in no string.
fn scan(text: &str, mut see: impl FnMut(u8, usize)) {
    let (mut quote, mut escaped) = (None, false);
    for (at, byte) in text.bytes().enumerate() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if byte == b'\\' => escaped = true,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None => see(byte, at),
        }
    }
}

/// Splits at a byte that stands in no bracket and no string.
fn split(text: &str, at: u8) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    scan(text, |byte, place| match byte {
        b'{' | b'[' | b'(' => depth += 1,
        b'}' | b']' | b')' => depth -= 1,
        _ if byte == at && depth == 0 => {
            parts.push(&text[from..place]);
            from = place + 1;
        }
        _ => {}
    });
    parts.push(&text[from..]);
    parts
}

/// Reads `{n: (4, 'int'), 'name': 'Ada'}`: with types or without, names in quotes or not.
fn symbols(text: &str) -> SymbolTable {
    let Some((_, inside)) = text.split_once('{') else { return SymbolTable::new() };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let read_entry = |part: &str| {
        let parts = split(part, b':');
        let (name, value) = (parts.first()?, part.get(parts.first()?.len() + 1..)?.trim());
        let name = name.trim().trim_matches(['\'', '"', '`']);
        let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        let typed =
            value.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).map(|inside| split(inside, b','));
        let found = match typed.as_deref() {
            Some([.., kind]) if is_type(kind) => {
                let inside = value.get(1..value.len().checked_sub(kind.len() + 2)?)?.trim();
                entry(inside, kind.trim().trim_matches(['\'', '"']))
            }
            _ => entry(value, ""),
        };
        (is_name && !value.is_empty()).then(|| (name.to_owned(), found))
    };
    split(inside, b',').into_iter().filter_map(read_entry).collect()
}

/// A value of a type.
fn entry(value: &str, kind: &str) -> Entry {
    Entry { value: value.to_owned(), kind: kind.to_owned(), is_cut: false }
}

/// True for the name of a type in quotes, or without.
fn is_type(text: &str) -> bool {
    let name = text.trim();
    let bare = name.trim_matches(['\'', '"']);
    let is_quoted = bare.len() + 2 == name.len();
    let known = ["int", "float", "str", "bool", "list", "dict", "tuple", "set", "NoneType", "object", "bytes"];
    let is_name = !bare.is_empty() && bare.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name && (is_quoted || known.contains(&bare))
}

#[cfg(test)]
mod tests {
    use surmise_instrument::SourceModel;

    use super::*;

    const SOURCE: &str = "n = 2\ntotal = 0\nfor i in range(n):\n    total += i\n    print(total)\ntotal / 0\n";

    fn trace(text: &str) -> Trace {
        read(text, &Blocks::of(&SourceModel::parse(SOURCE).expect("it parses")))
    }

    #[test]
    fn the_asked_form_is_read() {
        let trace = trace(
            "Initial symbol table: {}\n\nBlock 1:\nLines: 1, 2\nCondition: none\nSymbol table: {n: (2, 'int'), total: (0, 'int')}\n\
             \nBlock 2:\nLines: 3\nCondition: has another element: True\n\nBlock 3:\nLines: 4, 5\n\nBlock 2:\nBlock 4:\n\
             Error: ZeroDivisionError in Block 4, line 6\n<STOP>\nBlock 1:\n",
        );
        assert_eq!(trace.blocks(), [1, 2, 3, 2, 4]);
        assert_eq!(trace.statements, [1, 2, 3, 4, 5, 3, 6]);
        let error = ErrorAt { kind: "ZeroDivisionError".into(), line: Some(6), block: Some(4) };
        assert_eq!(trace.error, Some(error));
        assert_eq!(trace.visits[0].symbols["n"], entry("2", "int"));
    }

    #[test]
    fn tables_that_are_not_closed_end_with_the_block() {
        for table in ["unchanged", "{n: (2, 'int'", "{n: (don't know, 'int')}", "\nunchanged"] {
            let trace = trace(&format!(
                "Block 1:\nSymbol table: {table}\n\nBlock 2:\nLines: 3\nError: TypeError in Block 2, line 3\n<END>\nBlock 3:\n"
            ));
            assert_eq!(trace.blocks(), [1, 2], "{table}");
            assert_eq!(
                trace.error.map(|error| (error.kind, error.block)),
                Some(("TypeError".into(), Some(2))),
                "{table}"
            );
        }
        let marker = trace("Block 1:\nSymbol table: {n: ('<END>', 'str')}\nBlock 2:\n**<END>**\nBlock 3:\n");
        assert_eq!(marker.blocks(), [1, 2], "a string is no marker");
    }

    #[test]
    fn other_forms_are_read_as_far_as_they_go() {
        let text = "Sure! Let me traverse the graph.\n### **Block 1**\n- Execute n = 2\n- Go to Block 2\n**Updated Symbol Table:**\n\
                    ```\n{\n  'n': (2, 'int'),\n  \"name\": ('a, (b', 'str'),\n  pair: (1, 2), rows: [{'a': 1}, 3],\n}\n```\n\
                    Block 7:\nBlock 3 (iteration 1):\nRuntimeError detected: TypeError while executing line 4, nothing else\n";
        let trace = trace(text);
        assert_eq!(trace.blocks(), [1, 3], "there is no block 7");
        assert_eq!(trace.statements, [1, 2, 4], "without `Lines` all statements up to the error ran");
        let symbols = &trace.visits[0].symbols;
        assert_eq!(symbols["name"], entry("'a, (b'", "str"));
        assert_eq!(symbols["pair"], entry("(1, 2)", ""));
        assert_eq!(symbols["rows"].value, "[{'a': 1}, 3]");
        assert_eq!(
            trace.error.map(|error| (error.kind, error.line, error.block)),
            Some(("TypeError".into(), Some(4), Some(3)))
        );
    }

    #[test]
    fn a_visit_may_go_on_after_what_ran_inside_of_it() {
        let source =
            "def half(x):\n    x /= 2\n    return x\nrows = list(map(half, [1, 2]))\ntotal = sum(rows)\nprint(total)\n";
        let blocks = Blocks::of(&SourceModel::parse(source).expect("it parses"));
        let inner = "Block 2:\nLines: 2\nBlock 2:\nLines: 3\nBlock 2:\nSymbol table: {x: (1.0, 'float')}\n";
        let last = "Symbol table: {total: (1.5, 'float')}\n";
        let split = read(&format!("Block 1:\nLines: 1, 4\n{inner}Block 1:\nLines: 5, 6\n{last}<END>"), &blocks);
        assert_eq!(split.blocks(), [1, 2, 2]);
        assert_eq!(split.statements, [1, 4, 5, 6, 2, 3, 2, 3]);
        assert_eq!(split.visits[0].symbols["total"].value, "1.5", "those at its end");
        let whole = read(&format!("Block 1:\n{last}{inner}<END>"), &blocks);
        assert_eq!((whole.blocks(), &whole.statements), (split.blocks(), &split.statements));

        let raised = format!("Block 1:\n{inner}Error: TypeError in Block 1, line 4\n<STOP>");
        assert_eq!(read(&raised, &blocks).statements, [1, 4, 2, 3, 2, 3], "it ends with the statement that raises");
    }

    #[test]
    fn nonsense_is_an_empty_trace() {
        for text in [
            "",
            "I cannot do that.",
            "Block",
            "Block 0:\nBlock 99999999999:",
            "{{{{",
            "Symbol table: {",
            "\u{0}\u{202e}",
        ] {
            assert_eq!(trace(text), Trace::default(), "{text:?}");
        }
        assert_eq!(trace("Block 1:\nError: none\n<END>\nBlock 2:").blocks(), [1]);
        assert_eq!(trace("Block 1:\nError: none\n<END>").error, None);
        let endless = trace(&"Block 2:\n".repeat(MOST_VISITS + 5));
        assert_eq!((endless.visits.len(), endless.is_cut), (MOST_VISITS, true));
    }
}
