//! What a worker tells while and after it runs.

use serde::{Deserialize, Serialize};

use super::{Behaviour, Choice, read_frame};

/// What a shell makes of a process that ended by SIGINT, as Python does after an uncaught `KeyboardInterrupt`.
pub(crate) const INTERRUPTED: i32 = 128 + libc::SIGINT;

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

impl End {
    /// The exit code of a worker that reports this end.
    #[must_use]
    pub fn status(&self) -> i32 {
        match self {
            Self::Completed { exit_code } | Self::Raised(Raised { exit_code, .. }) => exit_code & 0xff,
            Self::Endless => INTERRUPTED,
            Self::Syntax { .. } => 1,
            Self::Internal { .. } => 70,
        }
    }
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
    use crate::protocol::write_frame;

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
