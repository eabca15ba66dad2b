//! What the parent and the processes that run Python say to each other: framed JSON messages, with a size limit that is
//! checked before reading.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};

use pyo3::pyclass;
use serde::{Deserialize, Serialize};
use surmise_instrument::paths::{Origins, Question, Requirement};
use surmise_instrument::{FromImport, HookNames, PositionMap, Site, TryBlock, Written};
use surmise_value_model::Class;

pub use crate::trial::{Assigned, Choice, Literal, Trial, Value};

/// Largest message either side accepts.
pub const MAX_FRAME_BYTES: u32 = 256 << 20;

/// A program, as the process that compiles and imports for all its runs needs it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// Tells programs apart in the parent, which keeps the processes of the last ones.
    #[serde(skip)]
    pub id: u64,
    /// The file's absolute name, as tracebacks and `__file__` show it.
    pub filename: String,
    /// The file's name as given, and the program's arguments.
    pub argv: Vec<String>,
    /// The (cleaned) source.
    pub source: String,
    /// The rewritten text.
    pub text: String,
    /// Spelling of the hooks in the rewritten text.
    pub hooks: HookNames,
    /// Sites of the text, then of its companion modules; those of parameters follow when runs ask for them.
    pub sites: Vec<Site>,
    /// The `try` statements of the source.
    pub tries: Vec<TryBlock>,
    /// The `from` imports of the source.
    pub imports: Vec<FromImport>,
    /// The way from the rewritten text to the source.
    pub positions: PositionMap,
    /// First and last lines of the statements that were typed one after the other at a prompt, which goes on after an
    /// error; empty for what is no session.
    pub session: Vec<(u32, u32)>,
    /// Number of lines.
    pub lines: u32,
    /// What each site takes; empty for plain semantics.
    pub assignment: Vec<Option<Value>>,
    /// What guards ask of attributes and results in an imported module, by their sites.
    #[serde(default)]
    pub guards: BTreeMap<u32, Vec<Guard>>,
    /// What names take that are imported from modules that are not there, or lack them, by dotted name.
    pub imported: BTreeMap<String, Value>,
    /// What the source writes to objects, and which of its classes are exceptions.
    pub written: Written,
    /// Where its values come from; empty for plain semantics.
    pub origins: Origins,
    /// Answers that are expected of stand-ins.
    pub expected: Vec<ExpectedAnswer>,
    /// Texts that the code compares with what a call of `input()` returns, by the number of its site.
    pub input_texts: BTreeMap<u32, Vec<String>>,
    /// Arguments and variables of the environment as the code takes them apart, by the lines that read them.
    pub outer_texts: BTreeMap<u32, String>,
    /// Lines of the tables that the code reads with `csv`, by the lines of its calls.
    pub tables: BTreeMap<u32, Vec<String>>,
    /// Undefined names that are imported for real.
    pub implicit_imports: BTreeMap<String, ImplicitImport>,
    /// Modules that the source imports when it is run; see [`Load`].
    #[serde(skip)]
    pub preloads: Vec<Preload>,
    /// Directories that go to the front of `sys.path`, the script's own first.
    pub path: Vec<String>,
    /// Directories that go to its end: those of the environment's packages.
    pub packages: Vec<String>,
    /// The module that the program is; empty for a script, whose name is `__main__`.
    pub module: String,
    /// Where the function of an excerpt stands, if it may run there.
    pub in_place: Option<InPlace>,
    /// Folders of the project's own modules: what they import and is not there is missing as for the program itself.
    pub folders: Vec<String>,
    /// Answer failing input and output by injected values.
    pub inject_io: bool,
    /// What the end of standard input is.
    pub input_end: InputEnd,
    /// When virtual time begins; without it when the program is loaded.
    pub start: Option<Clocks>,
    /// Leave everything as `python FILE` has it: live streams, no report.
    pub plain: bool,
    /// Modules of the standard library that runs import anywhere, for the zygote.
    #[serde(skip)]
    pub standard: Vec<String>,
    /// The package that the program lies in; empty for none.
    pub package: String,
    /// Modules of the same repository that the program may import besides those on `path`. Their sites and imports
    /// follow on the program's own in the tables.
    pub modules: Vec<Module>,
}

/// What the end of standard input is to a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputEnd {
    /// No failure: the input is complete.
    Complete,
    /// A failure of `input()`, which is answered.
    #[default]
    OfCalls,
    /// The same, and the code also reads `sys.stdin`, which is a file that is not there if it is empty.
    OfFile,
}

/// Where the function of an excerpt stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InPlace {
    /// Dotted name of its module.
    pub module: String,
    /// First and last line of the function.
    pub lines: (u32, u32),
    /// First and last line that count: those of its body.
    pub body: (u32, u32),
    /// Lets names and modules be missing that fail the import of its module.
    pub mends: bool,
}

/// An answer that is expected of stand-ins: with which the code goes on, or goes a likely way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedAnswer {
    /// The line that asks.
    pub line: u32,
    /// What it asks: `truth`, `comparison`, `membership`.
    pub operation: Cow<'static, str>,
    /// The answer.
    pub answer: bool,
    /// Given each time, and not only at first.
    pub always: bool,
}

/// What a condition asks of a value without which the code raises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// What it asks: `truth`, `none` or `identity`.
    pub question: Cow<'static, str>,
    /// The answer with which the code goes on.
    pub answer: bool,
    /// The dotted name of what the value is compared with.
    pub other: Option<String>,
}

impl Guard {
    /// The part of a requirement that a real value can be checked for.
    pub(crate) fn of(requirement: &Requirement) -> Option<Self> {
        let question = match requirement.question {
            Question::Truth => "truth",
            Question::Nothing => "none",
            Question::Identity => "identity",
            _ => return None,
        };
        let other = requirement.other.as_ref().map(ToString::to_string);
        Some(Self { question: question.into(), answer: requirement.answer, other })
    }
}

/// What the clocks of a machine show at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// The time of the day, since 1970.
    pub day: i64,
    /// The monotonic clock.
    pub monotonic: i64,
}

/// Hands a program over.
#[derive(Debug, Serialize, Deserialize)]
pub struct Load<'p> {
    /// The program.
    pub program: Cow<'p, Program>,
    /// What is imported once for all runs.
    pub preloads: Vec<Preload>,
    /// Why the function does not run in place, if that was tried before.
    pub unplaced: Option<String>,
    /// The program is run once, by the process that loads it.
    pub once: bool,
}

/// What one run of a program does, beside what all its runs do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// What a search changes.
    pub trial: Trial,
    /// Calls that the runtime itself makes after the module ran.
    pub call: Option<HarnessCall>,
    /// Values and answers that do not depend on the place in the code, so that two versions get the same.
    pub drawing: Option<Drawing>,
}

/// What a template process says to the parent, in this order; then an end for each run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The program is compiled; no code of anybody's has run yet.
    Loaded {
        /// The lines that CPython's line table has for the source, in ascending order.
        lines: Vec<u32>,
    },
    /// The imports are made, and runs may begin.
    Ready,
    /// The function cannot run in its module; the process is of no use after.
    Unplaced {
        /// Why.
        problem: String,
    },
    /// That this module was preloaded would show in a run, so that each run has to import it.
    Unfit {
        /// Its dotted name.
        module: String,
    },
    /// A run is over.
    Ended {
        /// Exit code, or the signal's number plus 256.
        status: i32,
        /// Nothing of the run is left that the next one could find.
        clean: bool,
    },
    /// The process could not do its part.
    Failed {
        /// What went wrong.
        message: String,
    },
}

/// A preloaded module: `import module`, or `from module import names`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preload {
    /// Dotted.
    pub module: String,
    /// What is imported from the module, which may be modules too.
    pub names: Vec<String>,
}

/// The real thing that takes the place of an undefined name: `json.dumps(x)` without `import json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplicitImport {
    /// The module, then those of its submodules that the snippet uses.
    pub modules: Vec<String>,
    /// What of the module it is, if it is not the module itself.
    pub attribute: Option<String>,
}

/// What two versions of a function share.
#[pyclass(frozen)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::unsafe_derive_deserialize, reason = "the `unsafe` is PyO3's, and relies on nothing in the fields")]
#[allow(clippy::struct_excessive_bools, reason = "what both versions agree in, each for itself")]
pub struct Drawing {
    /// Draws values and answers; 0 takes the usual ones.
    #[pyo3(get)]
    pub seed: u64,
    /// Classes and values, by kind and name of the use (`attribute:total`).
    pub classes: BTreeMap<String, (Class, Option<Literal>)>,
    /// Texts that either version names.
    #[pyo3(get)]
    pub texts: Vec<String>,
    /// Numbers that either version names.
    pub numbers: Vec<i64>,
    /// Exceptions that either version waits for, as dotted names.
    #[pyo3(get)]
    pub raises: Vec<String>,
    /// The folder of the version's revision, which is none of its behaviour; empty where there is none.
    #[pyo3(get)]
    pub root: String,
    /// New names, with the old ones.
    pub aliases: Aliases,
    /// Parameters that only the other version has.
    #[pyo3(get)]
    pub extra: Vec<String>,
    /// Names that a version calls and that are no parameters: `variable:name`.
    pub called: BTreeSet<String>,
    /// Kinds and names of uses whose values are dictionaries: the versions ask them in different ways what they hold.
    pub mappings: BTreeSet<String>,
    /// The same of lists.
    pub sequences: BTreeSet<String>,
    /// Parameters of which both versions have the same annotation.
    #[pyo3(get)]
    pub annotated: Vec<String>,
    /// Parameters of inner functions that have one annotation, or none, in both versions.
    #[pyo3(get)]
    pub inner: Vec<String>,
    /// Both versions have the same docstring.
    #[pyo3(get)]
    pub documented: bool,
    /// Both versions of the class of a method have the same constructor.
    #[pyo3(get)]
    pub constructed: bool,
    /// The text of exceptions counts.
    #[pyo3(get)]
    pub strict_messages: bool,
    /// Calls that log count.
    pub strict_logging: bool,
}

/// Names that the new version has for what has others in the old one, with those.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aliases {
    /// Of parameters.
    pub parameters: BTreeMap<String, String>,
    /// Of classes, functions and methods.
    pub definitions: BTreeMap<String, String>,
}

impl Aliases {
    /// The old name of a parameter or of a definition.
    #[must_use]
    pub fn old<'a>(&'a self, name: &'a str) -> &'a str {
        self.parameters.get(name).map_or_else(|| self.member(name), String::as_str)
    }

    /// The old name of an attribute: one that is called as a parameter is has nothing to do with it.
    #[must_use]
    pub fn member<'a>(&'a self, name: &'a str) -> &'a str {
        self.definitions.get(name).map_or(name, String::as_str)
    }

    /// The kind and name of a use (`attribute:total`) as the old version has it.
    #[must_use]
    pub fn key(&self, key: &str) -> String {
        match key.split_once(':') {
            Some(("attribute", name)) => format!("attribute:{}", self.member(name)),
            Some((kind, name)) => format!("{kind}:{}", self.old(name)),
            None => key.to_owned(),
        }
    }
}

/// A module that runs beside the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Dotted.
    pub name: String,
    /// The file's name, as tracebacks show it.
    pub file: String,
    /// Whether it is the `__init__` of a package.
    pub is_package: bool,
    /// The rewritten text.
    pub text: String,
    /// Its `try` statements.
    pub tries: Vec<TryBlock>,
    /// How many sites it has.
    pub sites: u32,
}

/// What a run did that is compared with one of another version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// What happened, in order: kind and description.
    pub entries: Vec<(String, String)>,
    /// What was injected and answered: path and value.
    pub given: Vec<(String, String)>,
    /// The call of the function as a Python expression, with the modules that it needs, where its arguments can be
    /// written as such and there was one call.
    pub call: Option<(Vec<String>, String)>,
    /// What it returned, as an expression.
    pub result: Option<String>,
}

/// Calls that the runtime makes after the module ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarnessCall {
    /// Functions, with the lines of their bodies: the first and the last.
    pub functions: Vec<(String, (u32, u32))>,
    /// Those functions are called, each by itself and for a while, that nothing else has called; what they write and
    /// raise is not the program's output and end. Else there is one function, whose end is the program's.
    pub isolated: bool,
    /// The sites of the parameters: qualified name of the function, name, site, and whether the parameter gets a value
    /// though it has a default.
    pub parameters: Vec<(String, String, u32, bool)>,
    /// The function was cut out of its surroundings: a stand-in takes the place of `self`, and the module must have run.
    pub is_excerpt: bool,
}

/// Which lines of a program ran, in order, and what its variables were in between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// Steps of all calls, in the order in which they happened.
    pub steps: Vec<Step>,
    /// The run took more steps than are kept.
    pub is_cut: bool,
}

/// A line that was about to run, or the end of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Number of the call, from 1; the first one is that of the module.
    pub call: u32,
    /// Line, from 1; 0 where the call is left.
    pub line: u32,
    /// Column in UTF-8 bytes, from 0, on lines with several statements.
    pub column: Option<u32>,
    /// Variables of the call that were set or deleted since its last step.
    pub changes: Vec<Change>,
}

/// A variable with its new value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// Name of the value's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value as Python writes it, cut where it is long; `None` for a variable that was deleted.
    pub value: Option<String>,
    /// Something was left out of it.
    pub is_cut: bool,
}

/// What a worker tells while and after it runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Isolated calls begin.
    IsolatedCallsBegin {
        /// What the program raised before.
        error: Option<Raised>,
    },
    /// The isolated calls are over.
    IsolatedCallsEnd,
    /// An isolated call raised, or a statement of a session after the first one that did.
    Failed {
        /// The function's name, dotted; `None` for a statement of a session.
        function: Option<String>,
        /// The error.
        error: Raised,
    },
    /// A value was injected, or an operation on an injected value was answered.
    Injected(Injection),
    /// An operation on a stand-in was answered in a way that a search may change.
    Chose(Chosen),
    /// Nothing was injected because the code expects the failure.
    Expected {
        /// As in [`Chosen`]; `Choice::Truth(false)` injects nevertheless.
        key: String,
        /// Line, from 1.
        line: u32,
    },
    /// What was injected and answered, object by object, as `runtime/recording.py` writes it.
    Recorded {
        /// JSON.
        recording: String,
    },
    /// What a run did that is compared with one of another version.
    Behaviour(Behaviour),
    /// The trace of a run that was asked for one.
    Traced(Traced),
    /// The function runs in its imported module.
    InPlace {
        /// The lines that count.
        lines: Vec<u32>,
        /// What the import of the module lacks; see [`InPlace::mends`].
        lacking: Vec<String>,
    },
    /// It runs as an excerpt, though it has a module.
    Unplaced {
        /// Why.
        problem: String,
    },
    /// The run is over.
    End(End),
}

/// An answer to an operation on a stand-in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chosen {
    /// Key of the answered operation: code name, first line, instruction offset and kind where answers go by place, else
    /// access path and kind. The same in every run of the program.
    pub key: String,
    /// Line, from 1.
    pub line: u32,
    /// The answer.
    pub answer: Choice,
}

/// One injection; repeated ones at the same place are reported once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Injection {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 0.
    pub column: u32,
    /// `variable`, `attribute`, `return value`, `implicit import`, or the operation on a stand-in that was answered.
    pub kind: String,
    /// The name read, or what was operated on.
    pub name: String,
    /// The class injected; `None` for answers that have no class (the truth of a stand-in).
    pub class: Option<String>,
    /// How the value prints.
    pub value: String,
    /// The predictor's probability.
    pub probability: Option<f32>,
    /// Its rank, from 1.
    pub rank: Option<u16>,
    /// The site, where there is one.
    pub site: Option<u32>,
    /// Access path of a site's value: `orders.pending()[0].total`.
    pub path: Option<String>,
}

impl Injection {
    /// True for an implicit import: its value is real.
    #[must_use]
    pub fn is_implicit_import(&self) -> bool {
        self.kind == "implicit import"
    }

    /// True for a module, or a name of one, that is not there.
    #[must_use]
    pub fn is_missing_import(&self) -> bool {
        matches!(&*self.kind, "import" | "absent name")
    }
}

/// How a run ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum End {
    /// The program came to its end, or raised `SystemExit`.
    Completed {
        /// The program's own exit code.
        exit_code: i32,
    },
    /// It raised.
    Raised(Raised),
    /// It waited for what nobody sends, and was interrupted.
    Endless,
    /// CPython refused to compile the source.
    Syntax {
        /// Line, from 1.
        line: u32,
        /// CPython's message.
        message: String,
    },
    /// The runtime itself failed.
    Internal {
        /// What went wrong.
        message: String,
    },
}

/// An exception that nobody caught.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// Name of its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// `str()` of it.
    pub message: String,
    /// Line of the innermost frame in the source; 0 where there is none.
    pub line: u32,
    /// Column in characters, from 0, where CPython knows it.
    pub column: Option<u32>,
    /// End of the column range, on the same line.
    pub end_column: Option<u32>,
    /// The exit code that Python would give.
    pub exit_code: i32,
    /// A function that runs in its module did not raise it itself: code of the project or of a package did that it called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Code of a package or of the project raised it, which the program called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_package: bool,
}

impl Raised {
    /// The error of a source that does not compile.
    #[must_use]
    pub fn of_syntax_error(line: u32, message: &str) -> Self {
        Self { kind: "SyntaxError".into(), message: message.into(), line, exit_code: 1, ..Self::default() }
    }
}

/// Writes one message.
///
/// # Errors
/// When the other side is gone or the message is larger than [`MAX_FRAME_BYTES`].
pub fn write_frame(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let len = u32::try_from(body.len()).ok().filter(|len| *len <= MAX_FRAME_BYTES);
    let len = len.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "message too large"))?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&len.to_le_bytes());
    frame.extend_from_slice(&body);
    to.write_all(&frame)
}

/// Reads the body of one message; `None` at the end of the stream.
///
/// # Errors
/// When the stream ends inside a message or announces more than [`MAX_FRAME_BYTES`].
pub fn read_frame(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 4];
    match from.read(&mut head)? {
        0 => return Ok(None),
        read => from.read_exact(&mut head[read..])?,
    }
    let len = u32::from_le_bytes(head);
    if len > MAX_FRAME_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("message of {len} bytes announced")));
    }
    let mut body = Vec::new();
    from.take(len.into()).read_to_end(&mut body)?;
    if body.len() < len as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(body))
}

/// The complete messages in bytes that an untrusted worker wrote; a broken rest is dropped.
#[must_use]
pub fn decode_events(bytes: &[u8]) -> Vec<Event> {
    let mut rest = bytes;
    let bodies = std::iter::from_fn(|| read_frame(&mut rest).ok().flatten());
    bodies.filter_map(|body| serde_json::from_slice(&body).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_the_pipe_and_garbage_does_not_hurt() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &Event::IsolatedCallsEnd).expect("a vector takes everything");
        write_frame(&mut bytes, &Event::End(End::Completed { exit_code: 3 })).expect("a vector takes everything");
        assert_eq!(decode_events(&bytes).len(), 2);
        bytes.extend_from_slice(&[9, 0, 0, 0, b'x']);
        assert_eq!(decode_events(&bytes).len(), 2, "a truncated message is dropped");
        assert_eq!(decode_events(&[255; 64]).len(), 0, "an absurd length is refused before reading");
    }
}
