//! Syntax of Python 2, put in that of Python 3 on the same lines.
//!
//! Only statements that the parser complains about are rewritten, and the rewriting stays only if that leaves fewer
//! complaints: `print` may well be the name of something else. Once one statement of Python 2 is certain, `print`
//! statements that happen to parse (`print`, `print (a), b`) are taken for statements as well.

use super::scan::{Kind, Logical, Scan, Token};
use super::shape::{Shape, Word, top_level};
use super::{Draft, Edit, RepairKind, apply, line_span};
use crate::LineIndex;
use std::collections::BTreeSet;
use std::ops::Range;

/// One rewritten logical line.
struct Rewrite {
    line: usize,
    kind: RepairKind,
    edits: Vec<Edit>,
}

/// How often new errors behind the mended ones are looked at.
const ROUNDS: usize = 4;

pub(super) fn modernize(draft: &mut Draft) {
    let mut is_old = false;
    for _ in 0..ROUNDS {
        let text = draft.text.clone();
        let scan = Scan::new(&text);
        let mut rewrites: Vec<_> =
            broken_lines(draft, &scan).into_iter().filter_map(|line| rewrite(&scan, line, false)).collect();
        if rewrites.is_empty() || !draft.adopt_if_better(apply_all(&text, &rewrites)) {
            break;
        }
        // Lines that are still broken get their own text back: the rewriting may have been wrong there.
        let next = draft.text.clone();
        let still: BTreeSet<usize> = broken_lines(draft, &Scan::new(&next));
        if rewrites.iter().any(|rewrite| still.contains(&rewrite.line)) {
            let before = draft.errors();
            let certain = |rewrite: &Rewrite| !still.contains(&rewrite.line);
            draft.adopt(apply_all(&text, rewrites.iter().filter(|rewrite| certain(rewrite))));
            if draft.errors() > before {
                draft.adopt(next);
            } else {
                rewrites.retain(certain);
            }
        }
        is_old |= !rewrites.is_empty();
        report(draft, &scan, &rewrites);
        if draft.errors() == 0 {
            break;
        }
    }
    if is_old {
        remaining_prints(draft);
    }
}

/// Rewrites the `print` statements that parse as something else.
fn remaining_prints(draft: &mut Draft) {
    let text = draft.text.clone();
    let scan = Scan::new(&text);
    let rewrites: Vec<_> = (0..scan.lines.len()).filter_map(|line| rewrite(&scan, line, true)).collect();
    if rewrites.is_empty() {
        return;
    }
    let before = draft.errors();
    draft.adopt(apply_all(&text, &rewrites));
    if draft.errors() > before {
        draft.adopt(text);
    } else {
        report(draft, &scan, &rewrites);
    }
}

fn broken_lines(draft: &Draft, scan: &Scan) -> BTreeSet<usize> {
    draft.problems().iter().filter_map(|problem| scan.line_at(problem.0)).collect()
}

fn apply_all<'a>(text: &str, rewrites: impl IntoIterator<Item = &'a Rewrite>) -> String {
    apply(text, rewrites.into_iter().flat_map(|rewrite| rewrite.edits.iter().cloned()).collect())
}

fn report(draft: &mut Draft, scan: &Scan, rewrites: &[Rewrite]) {
    let index = LineIndex::new(scan.text);
    for rewrite in rewrites {
        let line = &scan.lines[rewrite.line];
        let message = match rewrite.kind {
            RepairKind::PrintStatement => "`print` statement turned into a call",
            _ => "syntax of Python 2 turned into that of Python 3",
        };
        draft.report(line_span(&index, &(line.start..line.end)), rewrite.kind, message);
    }
}

/// Edits that make a logical line Python 3; only its `print` statements if `prints_only`.
fn rewrite(scan: &Scan, number: usize, prints_only: bool) -> Option<Rewrite> {
    let line = &scan.lines[number];
    let shape = Shape::of(scan, line);
    let mut edits = if prints_only { Vec::new() } else { expression_edits(scan, line) };
    let mut kind = RepairKind::Python2;
    for part in shape.parts(scan, line) {
        let tokens = &scan.of(line)[part];
        match scan.spelling(tokens[0]) {
            "print" if is_print(scan, tokens, prints_only) => {
                kind = RepairKind::PrintStatement;
                print(scan, tokens, &mut edits);
            }
            "exec" if !prints_only && starts_operand(scan, tokens.get(1)) => exec(scan, tokens, &mut edits),
            "raise" if !prints_only => raise(scan, tokens, &mut edits),
            _ => {}
        }
    }
    if let (Word::Except, false, Some(colon)) = (shape.word, prints_only, shape.colon) {
        let header = &scan.of(line)[..colon];
        let mut commas = top_level(scan, header, ",");
        if let (Some(comma), None) = (commas.next(), commas.next()) {
            let blank = scan.text[header[comma].end..].starts_with(char::is_whitespace);
            edits.push(Edit::new(header[comma].start..header[comma].end, if blank { " as" } else { " as " }));
        }
    }
    (!edits.is_empty()).then_some(Rewrite { line: number, kind, edits })
}

/// Whether a token starts an operand and cannot go on with an expression or call.
fn starts_operand(scan: &Scan, token: Option<&Token>) -> bool {
    token.is_some_and(|&token| match token.kind {
        Kind::Name => !["and", "as", "for", "if", "in", "is", "or"].contains(&scan.spelling(token)),
        Kind::Number | Kind::Text | Kind::Broken => true,
        Kind::Op => matches!(scan.spelling(token), "`" | "{" | "~" | "..."),
    })
}

/// Whether the tokens are a `print` statement. `print (a)` and the like are left to be calls, but behind certain
/// statements (`old_code`) what follows the bracket shows that there is more to print.
fn is_print(scan: &Scan, tokens: &[Token], old_code: bool) -> bool {
    let Some(&next) = tokens.get(1) else { return old_code };
    let whole_bracket = || {
        let close = top_level(scan, &tokens[1..], ")").next();
        close.is_none_or(|close| close + 2 == tokens.len())
    };
    match scan.spelling(next) {
        ">>" | "[" | "-" | "+" => true,
        "(" => !whole_bracket(),
        _ => starts_operand(scan, Some(&next)) && !old_code,
    }
}

/// Replaces the blank behind a keyword by an opening bracket, so that columns stay.
fn open_call(scan: &Scan, keyword: Token) -> Edit {
    let blank = usize::from(scan.text[keyword.end..].starts_with([' ', '\t']));
    Edit::new(keyword.end..keyword.end + blank, "(")
}

/// A comma together with the blanks behind it.
fn comma_range(scan: &Scan, comma: Token) -> Range<usize> {
    let rest = &scan.text[comma.end..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    comma.start..comma.end + blanks
}

fn print(scan: &Scan, tokens: &[Token], edits: &mut Vec<Edit>) {
    let end = tokens[tokens.len() - 1].end;
    let mut close = String::from(")");
    let commas: Vec<usize> = top_level(scan, tokens, ",").collect();
    let last_comma = commas.last().copied().filter(|&comma| comma > 1 && comma + 1 == tokens.len());
    let to_file = tokens.len() > 2 && scan.spelling(tokens[1]) == ">>";
    if to_file {
        let first_comma = commas.first().copied();
        let target = tokens[2].start..first_comma.map_or(end, |comma| tokens[comma].start);
        let target_text = render(scan, &target, edits);
        let removed = tokens[0].end..first_comma.map_or(end, |comma| comma_range(scan, tokens[comma]).end);
        edits.retain(|edit| edit.range.start < removed.start || edit.range.start >= removed.end);
        edits.push(Edit::new(removed, "("));
        let separator = if first_comma.is_some_and(|comma| comma + 1 < tokens.len()) { ", " } else { "" };
        close = format!("{separator}file={target_text})");
    } else {
        edits.push(open_call(scan, tokens[0]));
    }
    match last_comma.filter(|&comma| !to_file || commas.first() != Some(&comma)) {
        Some(comma) => edits.push(Edit::new(tokens[comma].start..end, format!(", end=' '{close}"))),
        None => edits.push(Edit::new(end..end, close)),
    }
}

fn exec(scan: &Scan, tokens: &[Token], edits: &mut Vec<Edit>) {
    let end = tokens[tokens.len() - 1].end;
    edits.push(open_call(scan, tokens[0]));
    if let Some(scope) = top_level(scan, tokens, "in").find(|&at| at > 1) {
        edits.push(Edit::new(tokens[scope - 1].end..tokens[scope].end, ","));
    }
    edits.push(Edit::new(end..end, ")"));
}

fn raise(scan: &Scan, tokens: &[Token], edits: &mut Vec<Edit>) {
    let commas: Vec<usize> = top_level(scan, tokens, ",").collect();
    let (Some(&first), end) = (commas.first(), tokens[tokens.len() - 1].end) else { return };
    let argument_end = commas.get(1).copied().unwrap_or(tokens.len());
    if first < 2 || commas.len() > 2 || first + 1 >= argument_end || argument_end + 1 == tokens.len() {
        return;
    }
    let argument = &tokens[first + 1..argument_end];
    let is_tuple =
        scan.spelling(argument[0]) == "(" && top_level(scan, argument, ")").next() == Some(argument.len() - 1);
    let is_none = argument.len() == 1 && scan.spelling(argument[0]) == "None";
    let mut close = String::new();
    edits.push(Edit::new(comma_range(scan, tokens[first]), if is_tuple { "" } else { "(" }));
    if is_none {
        edits.push(Edit::new(argument[0].start..argument[0].end, ""));
    }
    if !is_tuple {
        close.push(')');
    }
    if let Some(&second) = commas.get(1) {
        edits.push(Edit::new(comma_range(scan, tokens[second]), format!("{close}.with_traceback(")));
        close = String::from(")");
    }
    edits.push(Edit::new(end..end, close));
}

/// Backticks, `<>` and literals.
fn expression_edits(scan: &Scan, line: &Logical) -> Vec<Edit> {
    let tokens = scan.of(line);
    let mut edits = Vec::new();
    let ticks: Vec<&Token> = tokens.iter().filter(|&&token| scan.spelling(token) == "`").collect();
    for pair in ticks.chunks_exact(2) {
        edits.push(Edit::new(pair[0].start..pair[0].end, "repr("));
        edits.push(Edit::new(pair[1].start..pair[1].end, ")"));
    }
    for (at, &token) in tokens.iter().enumerate() {
        let spelled = scan.spelling(token);
        let range = token.start..token.end;
        match token.kind {
            Kind::Op if spelled == "<>" => edits.push(Edit::new(range, "!=")),
            Kind::Text if spelled.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("ur")) => {
                edits.push(Edit::new(token.start..token.start + 1, ""));
            }
            Kind::Text => {
                edits.extend(wrong_escapes(spelled).map(|at| Edit::new(token.start + at..token.start + at, "\\")));
            }
            Kind::Name if spelled == "lambda" => edits.extend(tuple_parameter(scan, &tokens[at..])),
            Kind::Number => edits.extend(number(spelled).map(|text| Edit::new(range, text))),
            _ => {}
        }
    }
    edits
}

/// Places of backslashes that start a wrong escape. Plain strings of Python 2 know no `\u` and `\N`; besides, paths of
/// Windows (`C:\Users`) are written like this all the time.
fn wrong_escapes(spelled: &str) -> impl Iterator<Item = usize> + '_ {
    let quote = spelled.find(['"', '\'']).unwrap_or(0);
    let is_plain = !spelled[..quote].contains(['r', 'R', 'b', 'B']);
    let mut after = 0;
    spelled.match_indices('\\').filter_map(move |(at, _)| {
        if !is_plain || at < after {
            return None;
        }
        after = at + 2;
        let mut rest = spelled[at + 1..].chars();
        let wanted = match rest.next()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => return (rest.next() != Some('{')).then_some(at),
            _ => return None,
        };
        let digits = rest.take(wanted).take_while(char::is_ascii_hexdigit).count();
        (digits < wanted).then_some(at)
    })
}

/// `lambda (a, b): c`, whose parameter is taken apart by the call of a second one.
fn tuple_parameter(scan: &Scan, tokens: &[Token]) -> Vec<Edit> {
    let close = if tokens.get(1).is_some_and(|&token| scan.spelling(token) == "(") {
        top_level(scan, &tokens[1..], ")").next().map(|at| at + 1)
    } else {
        None
    };
    let Some(close) = close.filter(|&close| tokens.get(close + 1).is_some_and(|&next| scan.spelling(next) == ":"))
    else {
        return Vec::new();
    };
    let mut depth = 0_usize;
    let body = tokens[close + 2..].iter().take_while(|&&token| {
        match scan.spelling(token) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return false,
            ")" | "]" | "}" => depth -= 1,
            "," | ";" | ":" => return depth > 0,
            _ => {}
        }
        true
    });
    let Some(last) = body.last() else { return Vec::new() };
    vec![
        Edit::new(tokens[1].start..tokens[1].end, "_: (lambda "),
        Edit::new(tokens[close].start..tokens[close].end, ""),
        Edit::new(last.end..last.end, ")(*_)"),
    ]
}

/// The spelling of a literal of Python 2 that Python 3 rejects.
fn number(spelled: &str) -> Option<String> {
    let digits = spelled.trim_end_matches(['l', 'L']);
    let significant = digits.trim_start_matches('0');
    let decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal && significant.len() < digits.len() && !significant.is_empty() {
        let octal = significant.bytes().all(|byte| byte < b'8');
        // `09` was wrong in Python 2 as well, but dates are written like this.
        return Some(if octal { format!("0o{significant}") } else { significant.to_owned() });
    }
    (digits.len() + 1 == spelled.len() && !digits.is_empty()).then(|| digits.to_owned())
}

/// Text of a range with the edits inside of it.
fn render(scan: &Scan, range: &Range<usize>, edits: &[Edit]) -> String {
    let inside = edits.iter().filter(|edit| edit.range.start >= range.start && edit.range.end <= range.end);
    let moved =
        inside.map(|edit| Edit::new(edit.range.start - range.start..edit.range.end - range.start, edit.text.clone()));
    apply(&scan.text[range.clone()], moved.collect())
}
