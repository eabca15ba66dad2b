//! Makes pasted code parse without moving a line.
//!
//! What people paste is seldom a module: it comes with prompts, Markdown fences or the indentation of where it stood,
//! was written for Python 2, or leaves out the middle with dots. [`prepare`] undoes these in that order, from what
//! explains most errors at once to what costs code, and blanks the statements that still do not parse. Lines stay
//! where they are, so that tracebacks and coverage speak of the text the user sees.

mod blank;
pub(crate) mod depth;
mod listing;
mod paste;
mod python2;
mod returns;
mod scan;
mod shape;
mod structure;
#[cfg(test)]
mod tests;

use crate::LineIndex;
use ruff_python_ast::ModModule;
use ruff_python_parser::{Mode, ParseOptions, Parsed, UnsupportedSyntaxErrorKind, parse_unchecked};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use blank::blank_statement;
pub(crate) use returns::{blocks, exit_call, exit_edits};
pub(crate) use scan::{newlines, without_lone_returns};

/// A text that parses, and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The text, with as many lines as the source.
    pub text: String,
    /// What was changed, by line.
    pub repairs: Vec<Repair>,
}

/// One change that [`prepare`] made.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// First changed line, from 1.
    pub line: u32,
    /// Last changed line.
    pub last_line: u32,
    /// What sort of change it is.
    pub kind: RepairKind,
    /// What was done, or what the parser said.
    pub message: String,
}

/// Sorts of changes.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum RepairKind {
    /// Prompts and output of an interactive session are gone.
    Prompt,
    /// Only what stands between Markdown fences is left.
    Fence,
    /// Characters that a web page or a word processor changed are those of Python again.
    Spelling,
    /// The line numbers of a listing are gone.
    LineNumber,
    /// Indentation was removed or made consistent.
    Indentation,
    /// A `print` statement became a call.
    PrintStatement,
    /// Other syntax of Python 2 was put in that of Python 3.
    Python2,
    /// A statement that does not parse is gone, or a header that does not parse was replaced by one that does.
    Blanked,
    /// A `return` outside of functions became a call of `exit`.
    TopLevelReturn,
}

/// How often the text as a whole is parsed at most before everything from the error on is blanked.
const MAX_PARSES: u32 = 50;

/// Makes a source parse, keeping the number of its lines.
///
/// A source that parses comes back as it is, but for `return` outside of functions.
#[must_use]
pub fn prepare(source: &str) -> Prepared {
    let unchanged = || Prepared { text: source.to_owned(), repairs: Vec::new() };
    depth::with_stack(source, || prepare_here(source)).unwrap_or_else(unchanged)
}

fn prepare_here(source: &str) -> Prepared {
    let mut draft = Draft::new(source);
    let steps: [fn(&mut Draft); 7] = [
        paste::fences,
        listing::spelling,
        listing::numbers,
        paste::prompts,
        paste::indentation,
        python2::modernize,
        blank::until_it_parses,
    ];
    if draft.errors() > 0 {
        // Of the draft, not of the source: what nests too deep stays away.
        let text = match without_lone_returns(&draft.text) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        };
        if let Some(text) = text {
            draft.adopt(text);
        }
    }
    if paste::is_numbered_session(&draft.text) {
        // `In [1]: x = 2` is an annotated assignment for the parser.
        paste::prompts(&mut draft);
    }
    for step in steps {
        if draft.errors() > 0 {
            step(&mut draft);
        }
    }
    returns::to_exit(&mut draft);
    draft.repairs.sort_by_key(|repair| (repair.line, repair.last_line));
    Prepared { text: draft.text, repairs: draft.repairs }
}

/// The text on its way, with what the parser thinks of it.
struct Draft {
    text: String,
    parsed: Parsed<ModModule>,
    parses_left: u32,
    repairs: Vec<Repair>,
}

impl Draft {
    fn new(source: &str) -> Self {
        let mut repairs = Vec::new();
        let text = blank::without_deep_lines(source, &mut repairs).unwrap_or_else(|| source.to_owned());
        let parsed = parse(&text);
        Self { text, parsed, parses_left: MAX_PARSES, repairs }
    }

    /// Offsets and messages of all errors.
    fn problems(&self) -> Vec<(usize, String)> {
        let errors = self.parsed.errors().iter();
        let mut problems: Vec<_> =
            errors.map(|error| (error.location.start().to_usize(), error.error.to_string())).collect();
        problems.extend(
            old_excepts(&self.text, &self.parsed)
                .map(|at| (at, "multiple exception types must be parenthesized".to_owned())),
        );
        problems.sort_by_key(|problem| problem.0);
        problems
    }

    fn errors(&self) -> usize {
        self.parsed.errors().len() + old_excepts(&self.text, &self.parsed).count()
    }

    /// Takes another text, whatever it is worth.
    fn adopt(&mut self, text: String) {
        self.parses_left = self.parses_left.saturating_sub(1);
        self.parsed = parse(&text);
        self.text = text;
    }

    /// Takes another text if it has fewer errors.
    fn adopt_if_better(&mut self, text: String) -> bool {
        if text == self.text || self.parses_left == 0 {
            return false;
        }
        let before = self.errors();
        let old_text = std::mem::take(&mut self.text);
        let old_parsed = std::mem::replace(&mut self.parsed, parse(""));
        self.adopt(text);
        let better = self.errors() < before;
        if !better {
            self.text = old_text;
            self.parsed = old_parsed;
        }
        better
    }

    fn report(&mut self, lines: (u32, u32), kind: RepairKind, message: impl Into<String>) {
        self.repairs.push(Repair { line: lines.0, last_line: lines.1, kind, message: message.into() });
    }

    /// Reports the lines that differ between the text and its next state, one repair for each run of them.
    fn report_changes(&mut self, next: &str, kind: RepairKind, message: &str) {
        let mut run: Option<(u32, u32)> = None;
        let mut runs = Vec::new();
        for (number, (old, new)) in (1..).zip(scan::physical_lines(&self.text).zip(scan::physical_lines(next))) {
            if old.content != new.content {
                run = Some((run.map_or(number, |run| run.0), number));
            } else if !old.content.trim().is_empty() {
                runs.extend(run.take());
            }
        }
        runs.extend(run);
        for run in runs {
            self.report(run, kind, message);
        }
    }
}

fn parse(text: &str) -> Parsed<ModModule> {
    parse_unchecked(text, ParseOptions::from(Mode::Module))
        .try_into_module()
        .expect("parsing in module mode gives a module")
}

/// Places of `except E, e:`, which the parser takes for the two types that Python 3.14 allows. The second one is a
/// target rather than a type where it starts like a variable.
fn old_excepts<'a>(text: &'a str, parsed: &'a Parsed<ModModule>) -> impl Iterator<Item = usize> + 'a {
    parsed.unsupported_syntax_errors().iter().filter_map(|error| {
        let range = error.range.to_std_range();
        let (types, target) = text.get(range.clone())?.rsplit_once(',')?;
        let target = target.trim();
        let is_target = target.starts_with(|char: char| char.is_lowercase() || char == '_')
            && target.chars().all(|char| char.is_alphanumeric() || char == '_')
            && (types.starts_with('(') || !types.contains(','));
        (error.kind == UnsupportedSyntaxErrorKind::UnparenthesizedExceptionTypes && is_target).then_some(range.start)
    })
}

/// A replacement of a range of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    range: std::ops::Range<usize>,
    text: String,
}

impl Edit {
    pub(crate) fn new(range: std::ops::Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// Applies edits, the first of those that overlap.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut result = String::with_capacity(text.len() + edits.len() * 2);
    let mut add = |piece: &str, after_edit: bool| {
        // A carriage return and a line feed that come to stand together would be one line end.
        if after_edit && piece.starts_with('\n') && result.ends_with('\r') {
            result.push(' ');
        }
        result.push_str(piece);
    };
    let mut copied = 0;
    for edit in edits {
        if edit.range.start >= copied {
            add(&text[copied..edit.range.start], copied > 0);
            add(&edit.text, true);
            copied = edit.range.end;
        }
    }
    add(&text[copied..], copied > 0);
    result
}

/// First and last line of a range that ends behind its last character.
fn line_span(index: &LineIndex, range: &std::ops::Range<usize>) -> (u32, u32) {
    let last = range.end.max(range.start + 1) - 1;
    (index.line(range.start as u32), index.line(last as u32))
}
