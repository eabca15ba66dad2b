//! Exit codes of `surmise`, which scripts can rely on.

/// How the command ended. `--plain` returns the program's own exit code instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The run completed; nothing was found.
    Success = 0,
    /// The snippet raised, or differences were found.
    Found = 1,
    /// Bad usage or unreadable input.
    Usage = 2,
    /// The run was ended by the deadline or a limit.
    Killed = 3,
    /// The sandbox could not be set up.
    Sandbox = 4,
    /// Surmise itself failed.
    Internal = 70,
}

/// The number with which a process ends: one of [`Exit`], or the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u8);

impl From<Exit> for Status {
    fn from(exit: Exit) -> Self {
        Self(exit as u8)
    }
}

impl From<u8> for Status {
    fn from(code: u8) -> Self {
        Self(code)
    }
}
