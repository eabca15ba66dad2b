//! What the parent and the processes that run Python say to each other: framed JSON messages, with a size limit that is
//! checked before reading.

mod drawing;
mod events;
mod program;

use std::borrow::Cow;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

pub use self::drawing::{Aliases, Behaviour, CallOfTest, Drawing, TestFile};
pub(crate) use self::events::INTERRUPTED;
pub use self::events::{Change, Chosen, End, Event, Injection, Raised, Step, Traced, decode_events};
pub use self::program::{Clocks, ExpectedAnswer, Guard, ImplicitImport, InPlace, InputEnd, Module, Preload, Program};
pub use crate::trial::{Assigned, Choice, Literal, Trial, Value};

/// Largest message either side accepts.
pub const MAX_FRAME_BYTES: u32 = 256 << 20;

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
