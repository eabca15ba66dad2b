//! Which errors of a run are errors of the page.

use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use surmise_blame::{Finding, Verdict as Blame, names_type_of_stand_in};
use surmise_engine::protocol::Raised;

use crate::checked::{Found, Verdict};
use crate::page::{Block, CodeLine};
use crate::program::Program;
use crate::robust::is_robust;
use crate::shown;
use crate::sources::Sources;

/// Errors that come of the surroundings and not of the code: files, services, programs, rights, limits.
const OF_SURROUNDINGS: [&str; 34] = [
    "OSError",
    "IOError",
    "EnvironmentError",
    "FileNotFoundError",
    "FileExistsError",
    "IsADirectoryError",
    "NotADirectoryError",
    "PermissionError",
    "ProcessLookupError",
    "ChildProcessError",
    "BlockingIOError",
    "BrokenPipeError",
    "InterruptedError",
    "TimeoutError",
    "ConnectionError",
    "ConnectionAbortedError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "socket.gaierror",
    "socket.timeout",
    "gaierror",
    "URLError",
    "HTTPError",
    "SSLError",
    "CalledProcessError",
    "TimeoutExpired",
    "EOFError",
    "KeyboardInterrupt",
    "SystemExit",
    "MemoryError",
    "UnsupportedOperation",
    "ModuleNotFoundError",
    "Killed",
    "Error",
];
/// The types that Python itself raises for what code does with values.
const OF_CODE: [&str; 21] = [
    "SyntaxError",
    "NameError",
    "UnboundLocalError",
    "TypeError",
    "AttributeError",
    "ImportError",
    "ValueError",
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "AssertionError",
    "OverflowError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "RecursionError",
    "StopIteration",
    "FrozenInstanceError",
    "LookupError",
    "ArithmeticError",
    "IndentationError",
    "JSONDecodeError",
];

/// What becomes of an error.
pub(crate) enum Judged {
    /// The page shows or announces it.
    Expected,
    /// It says nothing of the page.
    Dismissed,
    /// It is one of the page.
    Found(Found),
}

/// Judges an error that a program's runs have raised.
pub(crate) fn judge(program: &Program<'_>, finding: &Finding, sources: &Sources, folders: &[PathBuf]) -> Judged {
    let error = &finding.raised;
    if error.line == 0 || program.is_preamble(error.line) || finding.verdict == Blame::Guess {
        return Judged::Dismissed;
    }
    let block = program.block(error.line);
    let line = program.line(error.line);
    if block.shows_error_at(line.line) || shown::is_announced(&block.prose) || is_announced_beside(program, error.line)
    {
        return Judged::Expected;
    }
    let kind = error.kind.rsplit('.').next().unwrap_or_default();
    if OF_SURROUNDINGS.contains(&kind) || is_of_environment(kind, &error.message) {
        return Judged::Dismissed;
    }
    let is_of_code = OF_CODE.contains(&kind)
        && !is_left_out(error, line)
        && !has_dots(error.line, program)
        && !is_unloaded(error, folders)
        && !is_module_of_another_section(error, program)
        && !is_of_class_shown_in_part(error, program)
        && !is_of_variable(line, program)
        && !is_of_named_thing(error, line)
        && !is_of_other_code(error, sources, program);
    // What a page only defines is called by its readers, with values that it says nothing of.
    let is_own = is_of_code && finding.function.is_none();
    let certain = finding.verdict == Blame::Certain
        && is_own
        && !sources.is_made_up
        && block.is_surely_python()
        && is_robust(error, sources, program, folders);
    let verdict = if certain { Verdict::Certain } else { Verdict::Conditional };
    let column = error.column.map(|column| line.columns.of(column));
    // The end is behind the last character, whatever the page has there.
    let end = error.end_column.map(|end| if end == 0 { 0 } else { line.columns.of(end - 1) + 1 });
    Judged::Found(Found {
        verdict,
        kind: error.kind.clone(),
        message: error.message.clone(),
        line: line.line,
        column,
        end_column: end,
        cell: block.cell,
        text: line.text.clone(),
        hint: hint(finding),
        function: finding.function.clone(),
    })
}

/// True for an error by which a package asks for what is not there: another package, a variable of the environment.
fn is_of_environment(kind: &str, message: &str) -> bool {
    kind == "ImportError" && !message.starts_with("cannot import name") || message.contains("environment variable")
}

/// True for an error of a module that a block of another section has imported: this one may mean something else by the
/// name, which the prose says: `glom` is the function, `celery` an application.
fn is_module_of_another_section(error: &Raised, program: &Program<'_>) -> bool {
    let is_of_module = error.message.starts_with("'module' object is not callable")
        || error.message.starts_with("module '") && error.message.contains(" has no attribute ");
    let own = program.block(error.line);
    let has_import = |block: &Block| block.lines.iter().any(|line| line.text.contains("import "));
    is_of_module && !has_import(own) && !program.blocks().any(|block| block.section == own.section && has_import(block))
}

/// The class of which an error says that it lacks something: `'Shape' object has no ...`, `Shape.__init__() takes ...`.
static LACKING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:type object )?(?:'(\w+)'|(\w+)(?:\.\w+)?\(\))").expect("it compiles"));

/// True for what a class of the page lacks where the page shows it again, or shows nothing of it: pages show the part of a
/// class that they speak of, and another section may mean a class that has more.
fn is_of_class_shown_in_part(error: &Raised, program: &Program<'_>) -> bool {
    let named = LACKING.captures(&error.message).and_then(|found| found.get(1).or(found.get(2)));
    let Some(class) = named.filter(|_| matches!(error.kind.as_str(), "AttributeError" | "TypeError")) else {
        return false;
    };
    let sections = program.sections_defining(class.as_str());
    sections.len() > 1
        || sections.iter().any(|section| *section != program.block(error.line).section)
        || program.has_empty_class(class.as_str())
}

/// True for an error of values of another section, which the prose may have replaced since, of what a statement was to
/// change that has raised itself, and of code of which the page leaves out a part.
fn is_of_other_code(error: &Raised, sources: &Sources, program: &Program<'_>) -> bool {
    let own = program.block(error.line);
    let line = program.line(error.line).line;
    let foreign = program.foreign_names(error.line);
    let is_own = |line: u32| !program.is_preamble(line) && program.block(line).section == own.section;
    let mut names = sources.reads.iter().filter(|(line, _)| is_own(*line)).map(|(_, name)| name);
    let is_shortened = own.lines.iter().take_while(|own| own.line < line).any(|own| own.text.trim_end() == "...");
    is_shortened || names.any(|name| foreign.contains(name) || program.has_dropped(name))
}

/// A text that is the name of a file.
static FILE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["'][\w./-]*\w\.[a-z]{2,5}["']"#).expect("it compiles"));

/// True for an error of a call that was given the name of something which only the reader has: a file, or an entry of a
/// registry.
fn is_of_named_thing(error: &Raised, line: &CodeLine) -> bool {
    let is_call = line.text.contains('(');
    let is_entry = || {
        error.kind == "KeyError"
            && error.message.starts_with(['\'', '"'])
            && line.text.contains(&format!("({}", error.message))
    };
    let is_file =
        || matches!(error.kind.as_str(), "ValueError" | "KeyError" | "TypeError") && FILE.is_match(&line.text);
    is_call && (is_entry() || is_file())
}

/// `name = os.getenv(...)`, which is None here.
static OF_VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(\w+)\s*=.*\b(?:getenv|environ\.get)\(").expect("it compiles"));

/// True for an error of a line that reads a variable of the environment, or a name that has its value.
fn is_of_variable(line: &CodeLine, program: &Program<'_>) -> bool {
    let lines = || program.blocks().flat_map(|block| &block.lines);
    let names = lines().filter_map(|line| OF_VARIABLE.captures(&line.text)?.get(1).map(|name| name.as_str()));
    let mut words = line.text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let names: Vec<&str> = names.collect();
    words.any(|word| names.contains(&word) || word == "getenv" || word == "environ")
}

/// True for an error of what stands for something else: of an injected object, of `...` as a value, and of `None` as a part
/// of a module, which is how packages spell a part whose own dependencies are not installed.
fn is_left_out(error: &Raised, line: &CodeLine) -> bool {
    let is_part = |base: &str| {
        let names = base.split('.');
        names.clone().count() > 1
            && names.clone().all(|name| name.chars().all(|c| c.is_lowercase() || c == '_' || c.is_numeric()))
    };
    let read = error.message.rsplit('\'').nth(1).unwrap_or_default();
    let base = line.text.split(&format!(".{read}")).next().unwrap_or_default();
    let base = base.rsplit(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next().unwrap_or_default();
    // An error that names the type of a stand-in says what a stand-in is not.
    let is_of_stand_in = names_type_of_stand_in(&error.message);
    is_of_stand_in
        || error.message.contains("ellipsis")
        || line.text.contains("...")
        // A check of the package's own, against a class of another one that is not installed.
        || error.message.starts_with("isinstance() arg 2 must be") && !line.text.contains("isinstance")
        // What a package does not have on this system.
        || error.message == "'NoneType' object is not callable"
        || error.message.starts_with("'NoneType' object has no attribute") && is_part(base)
}

/// True for a statement in which the page has left something out.
fn has_dots(line: u32, program: &Program<'_>) -> bool {
    let (first, last) = program.statement(line).unwrap_or((line, line));
    (first..=last).any(|line| program.line(line).text.contains("..."))
}

/// True for a part of a package that is there and was not imported: packages leave out what lacks its own dependencies, and
/// other code may have imported it.
fn is_unloaded(error: &Raised, folders: &[PathBuf]) -> bool {
    let parts: Vec<&str> = error.message.split('\'').collect();
    let ["module ", package, " has no attribute ", name, ..] = parts.as_slice() else { return false };
    let path = format!("{}/{name}", package.replace('.', "/"));
    folders.iter().any(|folder| folder.join(&path).is_dir() || folder.join(format!("{path}.py")).is_file())
}

/// What an error depends on, or what was probably meant.
fn hint(finding: &Finding) -> Option<String> {
    if let Some(hint) = &finding.hint {
        return Some(hint.clone());
    }
    let values: Vec<String> =
        finding.depends_on.iter().take(3).map(|value| format!("`{}` is {}", value.name, value.value)).collect();
    (!values.is_empty()).then(|| format!("when {}", values.join(" and ")))
}

/// True if a comment on a statement, or on the lines right above or below it, says that it does not work.
fn is_announced_beside(program: &Program<'_>, line: u32) -> bool {
    let (first, last) = program.statement(line).unwrap_or((line, line));
    let block = program.block(line);
    let place = |line: u32| block.lines.iter().position(|own| own.line == program.line(line).line);
    let (Some(from), Some(to)) = (place(first), place(last)) else { return false };
    let comment = |at: usize| block.lines.get(at).map(|line| line.text.trim()).filter(|text| text.starts_with('#'));
    let above = (0..from).rev().map_while(comment);
    let below = (to + 1..).map_while(comment);
    let within = block.lines[from..=to].iter().filter_map(|line| line.text.split_once('#').map(|(_, comment)| comment));
    above.chain(below).chain(within).any(shown::is_announced)
}
