//! What copying adds to code: Markdown fences, prompts and output, and the indentation of another place.

use super::scan::{Kind, Logical, Physical, Scan, physical_lines};
use super::shape::Shape;
use super::{Draft, Edit, RepairKind, apply, parse};
use std::borrow::Cow;

/// The strings of a text that go over several lines: what looks like markup inside is none.
struct LongStrings(Vec<(usize, usize)>);

impl LongStrings {
    fn of(scan: &Scan) -> Self {
        let long = |&(start, end): &(usize, usize)| scan.text[start..end].contains(['\n', '\r']);
        let strings = scan.tokens.iter().filter(|token| token.kind == Kind::Text);
        Self(strings.map(|token| (token.start, token.end)).filter(long).collect())
    }

    fn cover(&self, offset: usize) -> bool {
        let next = self.0.partition_point(|string| string.0 < offset);
        next > 0 && self.0[next - 1].1 > offset
    }
}

/// Builds a text line by line; what is not kept leaves its line end only.
fn rebuild<'a>(lines: &[Physical<'a>], content: impl Fn(usize) -> Cow<'a, str>) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        text.push_str(&content(at));
        text.push_str(line.ending);
    }
    text
}

/// Keeps what stands between Markdown fences, if there are any outside of strings.
pub(super) fn fences(draft: &mut Draft) {
    let lines: Vec<_> = physical_lines(&draft.text).collect();
    let strings = LongStrings::of(&Scan::new(&draft.text));
    let label = |line: &Physical| {
        let trimmed = line.content.trim_start();
        let label = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~"))?;
        (!label.contains("```") && !strings.cover(line.start)).then(|| label.trim().to_lowercase())
    };
    let labels: Vec<_> = lines.iter().map(label).collect();
    let fences: Vec<usize> = (0..lines.len()).filter(|&at| labels[at].is_some()).collect();
    let (Some(&first), Some(&last)) = (fences.first(), fences.last()) else { return };

    // Copying may leave the closing fence alone behind.
    let closing_only = fences.len() % 2 == 1
        && labels[first].as_deref() == Some("")
        && lines[last + 1..].iter().all(|line| line.content.trim().is_empty());
    let is_python = |label: &str| label.trim_matches('`').is_empty() || label.contains("py");
    let mut block = closing_only.then_some("");
    let blocks: Vec<Option<&str>> = labels
        .iter()
        .map(|label| match label {
            Some(label) => {
                block = if block.is_some() { None } else { Some(label.as_str()) };
                None
            }
            None => block,
        })
        .collect();
    // A block in another language is text, unless there is nothing else.
    let any_python = blocks.iter().flatten().any(|label| is_python(label));
    let keep = |at: usize| blocks[at].is_some_and(|label| !any_python || is_python(label));
    let text = rebuild(&lines, |at| if keep(at) { lines[at].content.into() } else { "".into() });
    draft.report_changes(&text, RepairKind::Fence, "text outside of the code fences left out");
    draft.adopt(text);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Prompt,
    Continuation,
    Output,
}

/// What part of a session a line is, and where its code starts.
fn classify(line: &str) -> Option<(Class, usize)> {
    let trimmed = line.trim_start();
    let indentation = line.len() - trimmed.len();
    let code = |class, rest: &str| {
        let space = usize::from(rest.starts_with(' '));
        Some((class, indentation + trimmed.len() - rest.len() + space))
    };
    if let Some(rest) = trimmed.strip_prefix(">>>") {
        return if rest.starts_with('>') { None } else { code(Class::Prompt, rest) };
    }
    let numbered = |word: &str| {
        let rest = trimmed.strip_prefix(word)?.trim_start_matches(' ').strip_prefix('[')?;
        rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ' ').strip_prefix("]:")
    };
    if let Some(rest) = numbered("In") {
        return code(Class::Prompt, rest);
    }
    if numbered("Out").is_some() {
        return Some((Class::Output, line.len()));
    }
    let rest = trimmed.strip_prefix("...")?;
    match rest.trim_start_matches('.').strip_prefix(':') {
        Some(rest) => code(Class::Continuation, rest),
        None if rest.is_empty() || rest.starts_with([' ', '\t']) => code(Class::Continuation, rest),
        None => None,
    }
}

/// Follows a session: which lines without a prompt go on with the statement above, as in IDLE.
#[derive(Default)]
struct Session {
    /// The last line was code.
    in_code: bool,
    /// Brackets that the statement has left open.
    brackets: i32,
    /// A block is being typed.
    in_block: bool,
}

impl Session {
    fn code(&mut self, code: &str) {
        let scan = Scan::new(code);
        let spelled = |token: &super::scan::Token| scan.spelling(*token);
        let brackets: i32 = scan
            .tokens
            .iter()
            .map(|token| match spelled(token) {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            })
            .sum();
        self.brackets = (self.brackets + brackets).max(0);
        self.in_block |= scan.tokens.last().is_some_and(|token| spelled(token) == ":");
        self.in_code = true;
    }

    fn goes_on(&self, line: &str) -> bool {
        let clause = ["else", "elif", "except", "finally"].iter().any(|word| line.starts_with(word));
        let in_block = self.in_block && !line.trim().is_empty() && (line.starts_with([' ', '\t']) || clause);
        self.in_code && (self.brackets > 0 || in_block)
    }
}

/// True for a text that begins with a numbered prompt of `IPython`: `In [1]:`.
pub(super) fn is_numbered_session(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| {
        line.trim_start().starts_with("In [") && classify(line).is_some_and(|(class, _)| class == Class::Prompt)
    })
}

/// Strips the prompts of Python and `IPython` and blanks the output, if there is a prompt outside of strings.
pub(super) fn prompts(draft: &mut Draft) {
    let lines: Vec<_> = physical_lines(&draft.text).collect();
    let strings = LongStrings::of(&Scan::new(&draft.text));
    let is_prompt = |line: &Physical| {
        classify(line.content).is_some_and(|(class, _)| class == Class::Prompt) && !strings.cover(line.start)
    };
    let Some(first) = lines.iter().position(is_prompt) else { return };
    // Often a definition is shown before the session that uses it.
    let keep_head = parse(&draft.text[..lines[first].start]).errors().is_empty();

    let mut session = Session::default();
    let mut code_from: Vec<Option<usize>> = vec![keep_head.then_some(0); first];
    for line in &lines[first..] {
        let from = match classify(line.content) {
            Some((Class::Prompt, from)) => {
                session = Session::default();
                Some(from)
            }
            Some((Class::Continuation, from)) if session.in_code => Some(from),
            None if session.goes_on(line.content) => Some(0),
            _ => None,
        };
        match from {
            Some(from) => session.code(&line.content[from..]),
            None => session.in_code = false,
        }
        // Where blocks have prompts of their own, indented lines without one are output.
        session.in_block &= !matches!(classify(line.content), Some((Class::Continuation, _)));
        code_from.push(from);
    }
    let text = rebuild(&lines, |at| code_from[at].map_or("", |from| &lines[at].content[from..]).into());
    draft.report_changes(&text, RepairKind::Prompt, "prompts and output removed");
    draft.adopt(text);
}

/// Removes the indentation that all lines share, and what else keeps lines from lining up.
pub(super) fn indentation(draft: &mut Draft) {
    no_break_spaces(draft);
    let scan = Scan::new(&draft.text);
    let indent = |line: &Logical| {
        let line = &draft.text[line.line_start..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    };
    let indents: Vec<&str> =
        scan.lines.iter().map(|line| &draft.text[line.line_start..line.line_start + indent(line)]).collect();
    let Some((&first, rest)) = indents.split_first() else { return };
    let common = rest.iter().fold(first, |common, indent| shared(common, indent)).to_owned();
    let common_rest = rest.iter().copied().reduce(shared).unwrap_or("").to_owned();
    let first_range = scan.lines[0].line_start..scan.lines[0].line_start + first.len();
    let second = scan.lines.get(1).map_or(draft.text.len(), |line| line.line_start);
    let both = |needle| indents.iter().any(|indent| indent.contains(needle));
    let mixed = both(' ') && both('\t');

    // The first line may have lost its indentation, unless it is what the others are indented for.
    let first_tokens = scan.of(&scan.lines[0]);
    let opens_block = Shape::of(&scan, &scan.lines[0]).word.is_header()
        || first_tokens.last().is_some_and(|&token| scan.spelling(token) == ":");
    let without_first = apply(&draft.text, vec![Edit::new(first_range.clone(), "")]);
    let moved = first_range.len();
    let candidates = [
        strip(&draft.text, 0, &common),
        strip(&without_first, second - moved, if opens_block { "" } else { &common_rest }),
        without_first,
    ];
    let tabs = if mixed { [8, 4].map(|size| expand_tabs(&draft.text, size)).to_vec() } else { Vec::new() };
    let best = candidates.into_iter().map(|text| (parse(&text).errors().len(), text)).min_by_key(|item| item.0);
    draft.parses_left = draft.parses_left.saturating_sub(3);
    if let Some((_, text)) = best {
        improve(draft, text, "common indentation removed");
    }
    for text in tabs {
        if draft.errors() > 0 {
            improve(draft, text, "tabs replaced by spaces");
        }
    }
}

fn improve(draft: &mut Draft, text: String, message: &str) {
    let before = draft.text.clone();
    if draft.adopt_if_better(text) {
        let after = std::mem::replace(&mut draft.text, before);
        draft.report_changes(&after, RepairKind::Indentation, message);
        draft.text = after;
    }
}

/// Web pages indent with spaces that Python does not know.
fn no_break_spaces(draft: &mut Draft) {
    let blank = |char: char| char.is_whitespace() && !char.is_ascii() || char == '\u{200b}';
    if !draft.text.contains(blank) {
        return;
    }
    let scan = Scan::new(&draft.text);
    let mut edits = Vec::new();
    for (at, char) in draft.text.char_indices().filter(|&(_, char)| blank(char)) {
        let next = scan.tokens.partition_point(|token| token.start <= at);
        let in_text = next > 0 && scan.tokens[next - 1].kind == Kind::Text && scan.tokens[next - 1].end > at;
        if !in_text {
            edits.push(Edit::new(at..at + char.len_utf8(), if char == '\u{200b}' { "" } else { " " }));
        }
    }
    let text = apply(&draft.text, edits);
    improve(draft, text, "no-break spaces replaced");
}

/// The start that two indentations, of blanks and tabs, have in common.
fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    &one[..one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()]
}

/// Removes a prefix from the lines that have it, from an offset on. Lines with less keep none.
fn strip(text: &str, from: usize, prefix: &str) -> String {
    if prefix.is_empty() {
        return text.to_owned();
    }
    let lines: Vec<_> = physical_lines(text).collect();
    rebuild(&lines, |at| {
        let content = lines[at].content;
        let trimmed = content.trim_start_matches([' ', '\t']);
        if lines[at].start < from { content.into() } else { content.strip_prefix(prefix).unwrap_or(trimmed).into() }
    })
}

fn expand_tabs(text: &str, size: usize) -> String {
    let lines: Vec<_> = physical_lines(text).collect();
    let strings = LongStrings::of(&Scan::new(text));
    rebuild(&lines, |at| {
        let content = lines[at].content;
        let code = content.trim_start_matches([' ', '\t']);
        let indent = &content[..content.len() - code.len()];
        if !indent.contains('\t') || strings.cover(lines[at].start) {
            return content.into();
        }
        let columns = indent.bytes().fold(0, |columns, byte| match byte {
            b'\t' => (columns / size + 1) * size,
            _ => columns + 1,
        });
        (" ".repeat(columns) + code).into()
    })
}
