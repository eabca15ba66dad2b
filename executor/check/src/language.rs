//! Which listings are Python that can be run, and which are not.

use std::sync::LazyLock;

use regex::Regex;
use surmise_instrument::SourceModel;

use crate::page::{Block, CodeLine, LeftOut, Listing};
use crate::{session, shown};

const PYTHON: [&str; 12] = [
    "python",
    "python3",
    "py",
    "py3",
    "pycon",
    "pycon3",
    "ipython",
    "ipython3",
    "python-repl",
    "doctest",
    "pyrepl",
    "python-console",
];

/// Where something was left out, or stands for what the reader has: `...` in a place where no expression can be,
/// `<name>`, `…`; an arrow that points at the code: `<--`; or columns of code.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\.\.\.|…|<--|<[A-Za-z][\w .-]*>|\[\s*snip|\{\{|\{%|\$\{|^\s*[-+] ?\w|^\s*[.:⋮]+\s*$|\S {6,}[^\s#]")
        .expect("it compiles")
});
/// Lines of shells and of Cython, and output.
static SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*(?:\$|>|C:\\>)\s+\S+|^\s*(?:cdef|cpdef|cimport|ctypedef) |^\s*(?:pip|git|cd|python3?|sudo|make|apt|conda) [\w-]")
        .expect("it compiles")
});
/// `f(x)` and `y = f(x)` as statements.
static CALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:[A-Za-z_]\w* = )?[A-Za-z_]\w*(?:\.\w+)*\(.*\)$").expect("it compiles"));
/// Commands of `IPython`, which are not Python.
static MAGIC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[%!?]|[\w., ]+=\s*[%!])|\w\?{1,2}\s*$").expect("it compiles"));
/// What a page says to the `ipython` directive of Sphinx about the next statement, in the form of a decorator.
static DIRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*@(?:savefig\s|(?:suppress|doctest|verbatim|okexcept|okwarning)(?:\s|$))").expect("it compiles")
});
/// Cell magics whose cells are Python.
const CELLS: [&str; 5] = ["%%time", "%%timeit", "%%capture", "%%prun", "%%python3"];

/// What a listing comes to: blocks that can be run, and what of it is left out.
#[derive(Default)]
pub(crate) struct Sorted {
    pub(crate) block: Option<Block>,
    /// A statement that is no Python, which the page says it is.
    pub(crate) refused: Vec<Refused>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Code that does not parse.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// The line of the page.
    pub(crate) line: u32,
    /// The text of the line.
    pub(crate) text: String,
    /// What the parser says.
    pub(crate) message: String,
    /// The number of the notebook's cell.
    pub(crate) cell: Option<u32>,
    /// The line is Python but for the error: what is no sentence, and no output.
    pub(crate) is_python: bool,
}

/// True for a listing that the page says to be Python.
pub(crate) fn is_labelled_python(listing: &Listing) -> bool {
    listing.label.as_deref().is_some_and(|label| PYTHON.contains(&label))
}

/// Sorts a listing; `next` is what the page marks as code right after it, which may be the output.
pub(crate) fn sorted(listing: Listing, next: Option<&Listing>) -> Sorted {
    let out = |reason| Sorted { left_out: vec![reason], ..Sorted::default() };
    let label = listing.label.as_deref().unwrap_or_default();
    let is_labelled = is_labelled_python(&listing);
    let is_unnamed = matches!(label, "" | "default" | "code");
    if !is_labelled && !is_unnamed {
        return out(LeftOut::OtherLanguage);
    }
    if listing.skipped {
        return out(LeftOut::Skipped);
    }
    let prose = format!("{}\n{}", listing.before, listing.after);
    if session::is_session(&listing.lines) {
        return of_session(&listing, prose, is_labelled);
    }
    if is_unnamed && listing.cell.is_none() && !looks_like_python(&listing.lines) {
        return out(LeftOut::OtherLanguage);
    }
    let lines = if listing.cell.is_some() || label.starts_with("ipython") || has_magic(&listing.lines) {
        match without_magics(&listing.lines) {
            Some(lines) => lines,
            None => return out(LeftOut::OtherLanguage),
        }
    } else {
        listing.lines
    };
    let lines = without_margin(lines);
    if lines.iter().all(|line| line.text.trim().is_empty()) {
        return Sorted::default();
    }
    let mut block = Block {
        is_labelled,
        is_session: false,
        raising: Vec::new(),
        section: listing.section,
        prose,
        cell: listing.cell,
        docstring: listing.docstring,
        lines,
    };
    if let Some(problem) = problem(&block.text()) {
        return refused(&block, &problem, shows_output(next));
    }
    let whole = block.first_line()..=block.lines.last().map_or(0, |line| line.line);
    if listing.raises || shows_output(next) {
        block.raising.push(whole);
    }
    Sorted { block: Some(block), ..Sorted::default() }
}

/// True if a listing is output that shows an error.
fn shows_output(next: Option<&Listing>) -> bool {
    next.is_some_and(|next| {
        let is_code = next.label.as_deref().is_some_and(|label| PYTHON.contains(&label));
        let lines: Vec<&str> = next.lines.iter().map(|line| line.text.as_str()).collect();
        !is_code && shown::is_error(&lines)
    })
}

fn of_session(listing: &Listing, prose: String, is_labelled: bool) -> Sorted {
    let (mut session, skipped) = session::read(&listing.lines);
    let mut sorted = Sorted { left_out: vec![LeftOut::Skipped; skipped as usize], ..Sorted::default() };
    for example in session.examples.clone() {
        let lines = &session.lines[example.clone()];
        let text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
        let has_magic = has_magic(lines);
        let Some(problem) = problem(&text).or_else(|| has_magic.then(|| (1, "a command of IPython".to_owned()))) else {
            continue;
        };
        let is_shown = session.raising.iter().any(|raising| raising.contains(&lines[0].line));
        let at = &lines[(problem.0 as usize - 1).min(lines.len() - 1)];
        if has_magic || is_shown || !is_labelled || is_incomplete(&text, &problem.1) {
            sorted.left_out.push(LeftOut::Fragment);
        } else {
            sorted.refused.push(Refused {
                line: at.line,
                text: at.text.clone(),
                message: problem.1,
                cell: listing.cell,
                is_python: is_python(&at.text),
            });
        }
        for line in &mut session.lines[example] {
            *line = line.blank();
        }
    }
    if session.lines.iter().any(|line| !line.text.trim().is_empty()) {
        let whole = |lines: &[CodeLine]| Some(lines.first()?.line..=lines.last()?.line);
        if listing.raises {
            session.raising.extend(whole(&session.lines));
        }
        sorted.block = Some(Block {
            lines: session.lines,
            is_labelled: true,
            is_session: true,
            raising: session.raising,
            section: listing.section,
            prose,
            cell: listing.cell,
            docstring: listing.docstring,
        });
    }
    sorted
}

/// Line and message of what is no Python in a text.
fn problem(text: &str) -> Option<(u32, String)> {
    match SourceModel::parse(text) {
        Ok(_) => None,
        Err(surmise_instrument::Error::Syntax { line, message }) => Some((line, message)),
        Err(error @ surmise_instrument::Error::TooLarge(_)) => Some((1, error.to_string())),
    }
}

/// A block that does not parse: a fragment, or an error of the page.
fn refused(block: &Block, (line, message): &(u32, String), is_shown: bool) -> Sorted {
    let text = block.text();
    if !block.is_labelled
        || is_shown
        || is_incomplete(&text, message)
        || shown::is_announced(&block.prose)
        || is_announced_in(&text)
    {
        return Sorted { left_out: vec![LeftOut::Fragment], ..Sorted::default() };
    }
    let at = &block.lines[(*line as usize - 1).min(block.lines.len() - 1)];
    let is_python = is_python(&at.text);
    let found = Refused { line: at.line, text: at.text.clone(), message: message.clone(), cell: block.cell, is_python };
    Sorted { refused: vec![found], ..Sorted::default() }
}

/// True if the comments of a text say that something in it does not work.
fn is_announced_in(text: &str) -> bool {
    text.lines().filter_map(|line| line.split_once('#')).any(|(_, comment)| shown::is_announced(comment))
}

/// True for a text that is a part of something, or not meant to be run as it is.
fn is_incomplete(text: &str, message: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_header = last.trim_end().ends_with(':') || last.trim_start().starts_with('@');
    text.lines().any(|line| PLACEHOLDER.is_match(line))
        || SHELL.is_match(text)
        || first.starts_with([' ', '\t', '.'])
        || is_header
        || is_signature(text)
        || is_sentence(text)
        || is_part(text)
        || shown::is_error(&text.lines().collect::<Vec<_>>())
        || message.to_lowercase().contains("indent")
}

/// True for entries of a dictionary or arguments of a call without what they stand in: `'verbosity': 2,`.
fn is_part(text: &str) -> bool {
    [("{", "}"), ("f(", ")")].iter().any(|(open, close)| problem(&format!("{open}\n{text}\n{close}\n")).is_none())
}

/// How lines of Python begin: with a keyword, an assignment, a call, a subscript, a text, or inside of something.
static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\s|[@)\]}'\x22#]|(?:import|from|def|class|async|await|with|for|while|if|elif|else|try|except|finally|return|raise|yield|assert|del|print|exec)\b|[\w.\[\]'\x22, ]+=(?:[^=]|$)|[A-Za-z_][\w.]*\s*[(\[])")
        .expect("it compiles")
});

/// True for a line that is Python but for an error in it.
fn is_python(line: &str) -> bool {
    BEGIN.is_match(line)
}

/// A sentence: words of letters, an initial capital, a full stop.
static SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[A-Z][\w'-]*(?:,? [\w'-]+){3,}[.!?]$").expect("it compiles"));

/// True for a text in a natural language: what the code above has printed.
fn is_sentence(text: &str) -> bool {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).all(|line| SENTENCE.is_match(line))
}

/// True for declarations as references have them: `f(a[, b])`, `f(a: int) -> str`, `def f(x)` without a body.
fn is_signature(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.clone().any(|line| line.contains("[,") || line.contains("-> ") && !line.trim_end().ends_with(':'))
        || lines.clone().count() == 1
            && lines.clone().all(|line| line.trim_start().starts_with("def ") || line.starts_with("class "))
}

/// True for an unnamed listing that is Python without doubt.
fn looks_like_python(lines: &[CodeLine]) -> bool {
    let text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
    let is_mark = |line: &CodeLine| {
        let text = line.text.trim();
        let imports = text.starts_with("import ") || text.starts_with("from ") && text.contains(" import ");
        let defines = (text.starts_with("def ") || text.starts_with("class ") || text.starts_with("async def "))
            && text.ends_with(':');
        imports || defines
    };
    lines.iter().any(|line| is_mark(line) || CALL.is_match(&line.text)) && SourceModel::parse(text).is_ok()
}

fn has_magic(lines: &[CodeLine]) -> bool {
    lines.iter().any(|line| line.text.starts_with(['%', '!']) || DIRECTION.is_match(&line.text))
}

/// The lines without commands of `IPython`; `None` for a cell that is not Python.
fn without_magics(lines: &[CodeLine]) -> Option<Vec<CodeLine>> {
    let first = lines.iter().find(|line| !line.text.trim().is_empty());
    if let Some(first) = first.filter(|line| line.text.starts_with("%%")) {
        let is_python = CELLS.contains(&first.text.split_whitespace().next().unwrap_or_default());
        if !is_python {
            return None;
        }
    }
    let is_command = |line: &CodeLine| MAGIC.is_match(&line.text) || DIRECTION.is_match(&line.text);
    Some(lines.iter().map(|line| if is_command(line) { line.blank() } else { line.clone() }).collect())
}

/// The lines without the indentation that all of them share.
fn without_margin(lines: Vec<CodeLine>) -> Vec<CodeLine> {
    let indent = |line: &CodeLine| line.text.len() - line.text.trim_start_matches(' ').len();
    let least = lines.iter().filter(|line| !line.text.trim().is_empty()).map(indent).min().unwrap_or(0);
    if least == 0 { lines } else { lines.iter().map(|line| line.from_byte(least.min(indent(line)))).collect() }
}
