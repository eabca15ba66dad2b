//! Takes out statements that do not parse.

use super::scan::{Kind, Logical, Scan};
use super::shape::{Shape, Word, complaint};
use super::{Draft, Edit, Repair, RepairKind, apply, depth, line_span, newlines, parse};
use super::{blocks, structure, without_lone_returns};
use crate::LineIndex;
use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;
use std::collections::BTreeSet;
use std::ops::Range;

/// Parses kept for [`give_up`].
const RESERVE: u32 = 4;

/// Blanks what must not reach the parser, if there is any.
pub(super) fn without_deep_lines(source: &str, repairs: &mut Vec<Repair>) -> Option<String> {
    let scan = Scan::new(source);
    let deep = depth::too_deep(&scan);
    if deep.is_empty() {
        return None;
    }
    let index = LineIndex::new(source);
    for &(number, message) in &deep {
        let (line, last_line) = line_span(&index, &(scan.lines[number].start..scan.lines[number].end));
        repairs.push(Repair { line, last_line, kind: RepairKind::Blanked, message: message.to_owned() });
    }
    let deep: Vec<usize> = deep.into_iter().map(|(number, _)| number).collect();
    Some(apply(source, removals(&scan, &deep)))
}

/// Blanks and mends until the text parses.
pub(super) fn until_it_parses(draft: &mut Draft) {
    while draft.errors() > 0 && draft.parses_left > RESERVE {
        let mended = mend_broken(draft);
        if draft.errors() == 0 {
            return;
        }
        let better = line_up(draft);
        if !mended && !better {
            blank_first(draft);
        }
    }
    if draft.errors() > 0 {
        give_up(draft);
    }
}

/// Mends or blanks the statements with errors that would not parse alone either: the rest may be their fault.
fn mend_broken(draft: &mut Draft) -> bool {
    let text = draft.text.clone();
    let scan = Scan::new(&text);
    // What is left open on one line is reported on a later one.
    let reported = draft.problems().into_iter().filter_map(|problem| scan.line_at(problem.0));
    let mut broken: BTreeSet<usize> = reported.flat_map(|line| [line.saturating_sub(1), line]).collect();
    broken.extend((0..scan.lines.len()).filter(|&line| scan.lines[line].unclosed));
    let mut edits = Vec::new();
    let mut removed = Vec::new();
    let mut done = 0;
    let index = LineIndex::new(&text);
    for number in broken {
        let line = &scan.lines[number];
        let shape = Shape::of(&scan, line);
        let complaint = || complaint(&text[line.start..line.end], shape.word, shape.opens_block);
        let Some(message) = (number >= done).then(complaint).flatten() else { continue };
        let mended = mend(&scan, number, &shape);
        let alone = mended.is_some() || !shape.word.is_header();
        let block = number..if alone { number + 1 } else { scan.block_end(number) };
        done = block.end;
        draft.report(line_span(&index, &(line.start..scan.lines[block.end - 1].end)), RepairKind::Blanked, message);
        match mended {
            Some(mended) => edits.extend(mended),
            None => removed.extend(block),
        }
    }
    edits.extend(removals(&scan, &removed));
    let any = !edits.is_empty();
    if any {
        draft.adopt(apply(&text, edits));
    }
    any
}

/// Edits that blank logical lines, given in order. A block that loses all of its lines gets `pass`.
fn removals(scan: &Scan, removed: &[usize]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, &number) in removed.iter().enumerate() {
        let line = &scan.lines[number];
        let range = with_continuations(scan, line);
        let lines = newlines(&scan.text[range.clone()]);
        let starts_run = at == 0 || removed[at - 1] + 1 != number;
        let run_end = || number + removed[at..].iter().zip(number..).take_while(|&(&one, other)| one == other).count();
        let emptied = starts_run
            && number > 0
            && scan.lines[number - 1].width < line.width
            && Shape::of(scan, &scan.lines[number - 1]).opens_block
            && run_end() >= scan.block_end(number - 1);
        edits.push(Edit::new(range, if emptied { format!("pass{lines}") } else { lines }));
    }
    edits
}

/// Range of a logical line's tokens and of the backslashes that join empty lines to it.
fn with_continuations(scan: &Scan, line: &Logical) -> Range<usize> {
    let continued = scan.text[line.line_start..line.start].contains('\\');
    let mut end = line.end;
    loop {
        let rest = scan.text[end..].trim_start_matches([' ', '\t']);
        let at = scan.text.len() - rest.len();
        if !rest.starts_with("\\\n") && !rest.starts_with("\\\r") && rest != "\\" {
            break;
        }
        end = at + rest.len().min(if rest.starts_with("\\\r\n") { 3 } else { 2 });
    }
    if continued { line.line_start..end } else { line.start..end }
}

/// Edits that make a broken logical line parse and keep something of it.
fn mend(scan: &Scan, number: usize, shape: &Shape) -> Option<Vec<Edit>> {
    let line = &scan.lines[number];
    let tokens = scan.of(line);
    let has_block = scan.lines.get(number + 1).is_some_and(|next| next.width > line.width);
    let mut edits = Vec::new();
    let mut lost = String::new();
    match (shape.word, shape.colon) {
        (Word::Decorator, _) => return None,
        (Word::Simple, _) => {}
        (word, None) => {
            let with_colon = format!("{}:", &scan.text[line.start..line.end]);
            let fits = has_block && complaint(&with_colon, word, true).is_none();
            return fits.then(|| vec![Edit::new(line.end..line.end, ":")]);
        }
        (word, Some(colon)) => {
            if shape.opens_block && !has_block {
                return None;
            }
            let head = line.start..tokens[colon].end;
            if complaint(&scan.text[head.clone()], word, true).is_some() {
                lost.push_str(&newlines(&scan.text[head.clone()]));
                edits.push(Edit::new(head, other_header(scan, number, word)?));
            }
        }
    }
    let parts = shape.parts(scan, line);
    let mut whole_parts = 0;
    for part in &parts {
        let range = tokens[part.start].start..tokens[part.end - 1].end;
        if complaint(&scan.text[range.clone()], Word::Simple, false).is_some() {
            lost.push_str(&newlines(&scan.text[range.clone()]));
            edits.push(Edit::new(range, "pass"));
        } else {
            whole_parts += 1;
        }
    }
    if edits.is_empty() || shape.word == Word::Simple && whole_parts == 0 {
        return None;
    }
    edits.push(Edit::new(line.end..line.end, lost));
    Some(edits)
}

/// A header that keeps the block below running: functions and classes keep their names, other blocks run once.
fn other_header(scan: &Scan, number: usize, word: Word) -> Option<String> {
    let line = &scan.lines[number];
    let tokens = scan.of(line);
    let header = match word {
        Word::Def | Word::Class => {
            let keyword = usize::from(scan.spelling(tokens[0]) == "async");
            let name = *tokens.get(keyword + 1).filter(|token| token.kind == Kind::Name)?;
            let start = &scan.text[line.start..tokens[keyword].end];
            let parameters = if word == Word::Def { "(*_, **__)" } else { "" };
            format!("{start} {}{parameters}:", scan.spelling(name))
        }
        Word::For | Word::While if leaves_loop(scan, number) => "for _ in [None]:".to_owned(),
        Word::If | Word::For | Word::While | Word::With => "if True:".to_owned(),
        Word::Elif => "elif True:".to_owned(),
        Word::Else => "else:".to_owned(),
        Word::Try => "try:".to_owned(),
        Word::Finally => "finally:".to_owned(),
        Word::Except => "except Exception:".to_owned(),
        Word::Match | Word::Case | Word::Decorator | Word::Simple => return None,
    };
    (!header.contains(['\n', '\r']) && complaint(&header, word, true).is_none()).then_some(header)
}

/// Whether `break` or `continue` stands in the block of a header, which then must stay a loop.
fn leaves_loop(scan: &Scan, number: usize) -> bool {
    let first = scan.lines[number].tokens.start;
    let last = scan.lines[scan.block_end(number) - 1].tokens.end;
    scan.tokens[first..last].iter().any(|&token| matches!(scan.spelling(token), "break" | "continue"))
}

/// Mends the structure of the text if that leaves fewer errors.
fn line_up(draft: &mut Draft) -> bool {
    let text = draft.text.clone();
    let scan = Scan::new(&text);
    let (edits, mended) = structure::line_up(&scan);
    if edits.is_empty() || !draft.adopt_if_better(apply(&text, edits)) {
        return false;
    }
    let index = LineIndex::new(&text);
    for mended in mended {
        let Logical { start, end, .. } = scan.lines[mended.line];
        draft.report(line_span(&index, &(start..end)), mended.kind, mended.message);
    }
    true
}

/// Blanks the statement with the first error, with the block it heads.
fn blank_first(draft: &mut Draft) {
    let text = draft.text.clone();
    let scan = Scan::new(&text);
    let problem = draft.problems().into_iter().next();
    let Some((offset, message)) = problem else { return };
    // An error before all statements, or in a text without any, can only be one of characters that are no tokens.
    let Some(number) = scan.line_at(offset).or((!scan.lines.is_empty()).then_some(0)) else {
        draft.report(line_span(&LineIndex::new(&text), &(0..text.len())), RepairKind::Blanked, message);
        return draft.adopt(newlines(&text));
    };
    let is_header = Shape::of(&scan, &scan.lines[number]).word.is_header();
    let block: Vec<usize> = (number..if is_header { scan.block_end(number) } else { number + 1 }).collect();
    let range = scan.lines[number].start..scan.lines[block[block.len() - 1]].end;
    draft.report(line_span(&LineIndex::new(&text), &range), RepairKind::Blanked, message);
    draft.adopt(apply(&text, removals(&scan, &block)));
}

/// Blanks everything from the first error on, from further up if that is not enough, and in the end everything.
fn give_up(draft: &mut Draft) {
    let text = draft.text.clone();
    let Some((offset, message)) = draft.problems().into_iter().next() else { return };
    let scan = Scan::new(&text);
    let number = scan.line_at(offset).unwrap_or(0);
    let top = scan.lines.iter().take(number + 1).rposition(|line| line.width == 0).unwrap_or(0);
    let start = |number: usize| scan.lines.get(number).map_or(0, |line| line.line_start);
    for from in [start(number), start(top), 0] {
        draft.adopt([&text[..from], &newlines(&text[from..])].concat());
        if draft.errors() > 0 && from > 0 {
            line_up(draft);
        }
        if draft.errors() == 0 {
            draft.report(line_span(&LineIndex::new(&text), &(from..text.len())), RepairKind::Blanked, message);
            return;
        }
    }
}

/// Blanks the innermost statement on a line (from 1), for texts that parse but that CPython's compiler rejects. None
/// where no statement is left that could be at fault.
#[must_use]
pub fn blank_statement(source: &str, line: u32, message: &str) -> Option<(String, Repair)> {
    let source = &*without_lone_returns(source);
    let parsed = parse(source);
    if !parsed.errors().is_empty() {
        return None;
    }
    let index = LineIndex::new(source);
    let mut suites: Vec<&[Stmt]> = vec![parsed.suite()];
    let mut found: Option<(&Stmt, bool)> = None;
    while let Some(suite) = suites.pop() {
        let on_line = |stmt: &&Stmt| {
            let (first, last) = line_span(&index, &stmt.range().to_std_range());
            (first..=last).contains(&line) && !matches!(stmt, Stmt::Pass(_))
        };
        if let Some(stmt) = suite.iter().find(on_line) {
            found = Some((stmt, suite.len() == 1 && found.is_some()));
            suites = blocks(stmt);
        }
    }
    let (stmt, is_only) = found?;
    let mut range = stmt.range().to_std_range();
    let before = source[..range.start].rsplit(['\n', '\r']).next().unwrap_or("");
    let joined = source[..range.start - before.len()].trim_end_matches(['\n', '\r']).ends_with('\\');
    let shares_start = joined || !before.trim_start_matches('\u{feff}').trim().is_empty();
    let mut after = code_until_newline(&source[range.end..]);
    if let Some(rest) = after.strip_prefix(';')
        && code_until_newline(rest).is_empty()
    {
        // A last semicolon goes with the statement.
        range.end = source.len() - source[range.end..].trim_start_matches([' ', '\t', '\u{c}']).len() + 1;
        after = "";
    }
    let lines = newlines(&source[range.clone()]);
    let text = match (after.is_empty(), is_only || shares_start) {
        (true, false) => lines,
        (true, true) => format!("pass{lines}"),
        // What follows on the last line must not start a line.
        (false, _) => format!("pass{}", "\\\n".repeat(lines.matches('\n').count())),
    };
    let (first, last) = line_span(&index, &range);
    let repair = Repair { line: first, last_line: last, kind: RepairKind::Blanked, message: message.to_owned() };
    Some((apply(source, vec![Edit::new(range, text)]), repair))
}

/// The code that follows on the same line, without comments.
fn code_until_newline(text: &str) -> &str {
    let line = text.split(['\n', '\r', '#']).next().unwrap_or("");
    line.trim_matches([' ', '\t', '\u{c}'])
}
