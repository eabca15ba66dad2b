//! A program, as the process that compiles and imports for all its runs needs it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use surmise_instrument::extract::LateImport;
use surmise_instrument::paths::{Origins, Question, Requirement};
use surmise_instrument::{FromImport, HookNames, PositionMap, Site, TryBlock, Written};

use super::Value;

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
    /// The assignment was not known yet when the program was made: it follows with the first run.
    #[serde(skip)]
    pub is_unassigned: bool,
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
    /// By qualified name, how many values for `*args`, and which keys of `**kwargs`, callers of a function have to give, and
    /// may give.
    pub variadic: BTreeMap<String, [(u32, Vec<String>); 2]>,
    /// By the names of parameters that are mappings, keys that the code reads of them.
    pub keys_of_parameters: BTreeMap<String, Vec<String>>,
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
    /// Names that annotations and functions of its module have, and the module does not.
    pub late_imports: Vec<LateImport>,
    /// Names that conditions of the function read, each with the line of its condition. A search may change those that are
    /// variables of the module and say what state it is in.
    pub decisive_names: Vec<(String, u32)>,
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
