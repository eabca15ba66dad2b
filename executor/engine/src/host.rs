//! The process that Surmise is a part of: how it starts others of its kind, and whose CPython they embed.
//!
//! The `surmise` program links CPython, and starts itself again as a worker. A Python package cannot do so: there the
//! code is a library that the user's interpreter has loaded. Workers are then that interpreter's program once more, with
//! the library preloaded, which takes over before the program's own `main` ([`take_over`]). So the package needs no
//! other CPython than the one that imports it, whether that one has a shared library or not.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// Environment variable by which a library tells the workers that preload it whose Python they embed.
const VARIABLE: &str = "SURMISE_HOST";
/// What the dynamic linker loads before all else.
const PRELOAD: &str = "LD_PRELOAD";
/// Where the dynamic linker searches, which an interpreter may need to find its own library.
const SEARCH: &str = "LD_LIBRARY_PATH";
/// Workers keep the numbers below for their sockets and streams.
const FIRST_DESCRIPTOR: i32 = 10;

/// Hidden first argument of the process that becomes a zygote.
pub const ZYGOTE_ARGUMENT: &str = "__zygote";
/// Hidden first argument of the process that runs one program plainly.
pub const PLAIN_ARGUMENT: &str = "__plain";
/// Hidden first argument of the process that writes a script.
pub const SCRIPT_ARGUMENT: &str = "__script";

/// The program of the Python that Surmise was built with.
pub const BUILT_WITH: &str = env!("SURMISE_PYTHON");

static HOST: OnceLock<Host> = OnceLock::new();

/// Whose CPython workers embed, and what they are started from.
#[derive(Debug)]
struct Host {
    python: Python,
    /// The library that an interpreter has loaded.
    library: Option<Library>,
}

/// A CPython: its `sys.base_prefix`, and its program for `sys.executable`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Python {
    home: PathBuf,
    executable: PathBuf,
}

/// The library, opened: the dynamic linker splits `LD_PRELOAD` at spaces and colons, which a path may have.
#[derive(Debug)]
struct Library {
    path: PathBuf,
    file: OwnedFd,
}

/// What a worker that preloads the library has to know.
#[derive(Debug, Serialize, Deserialize)]
struct Handover {
    python: Python,
    library: PathBuf,
    /// Descriptor of the library.
    file: i32,
    /// The variables that the process would have without it.
    before: [(String, Option<String>); 2],
}

/// True for the first argument of a process that one of us started.
fn is_worker(argument: &str) -> bool {
    [ZYGOTE_ARGUMENT, PLAIN_ARGUMENT, SCRIPT_ARGUMENT].contains(&argument)
}

fn host() -> &'static Host {
    HOST.get_or_init(|| Host {
        python: Python { home: env!("SURMISE_PYTHON_HOME").into(), executable: BUILT_WITH.into() },
        library: None,
    })
}

/// `sys.base_prefix` of the embedded Python; empty where it is not known.
#[must_use]
pub fn python_home() -> &'static Path {
    &host().python.home
}

/// The embedded Python's program, for `sys.executable`.
#[must_use]
pub fn python_executable() -> &'static Path {
    &host().python.executable
}

/// The library that an interpreter has loaded, if that is what Surmise is here.
#[must_use]
pub fn library() -> Option<&'static Path> {
    host().library.as_ref().map(|library| library.path.as_path())
}

/// Says that Surmise is a library, which the interpreter `executable` with the base prefix `home` has loaded. To be
/// called before anything else of this crate; later calls have no effect.
///
/// # Errors
/// When the library cannot be opened.
pub fn loaded_by(executable: PathBuf, home: PathBuf, library: PathBuf) -> io::Result<()> {
    if HOST.get().is_some() {
        return Ok(());
    }
    let opened = File::open(&library)?;
    // SAFETY: copies a descriptor that is open; the result is checked before anybody owns it.
    let copy = unsafe { libc::fcntl(opened.as_raw_fd(), libc::F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was made above, and nobody else has it.
    let file = unsafe { OwnedFd::from_raw_fd(copy) };
    let library = Some(Library { path: library, file });
    let _first_call_counts = HOST.set(Host { python: Python { home, executable }, library });
    Ok(())
}

/// A process of our own kind that does what `argument` says ([`ZYGOTE_ARGUMENT`] and the others), with this
/// process's environment or without any.
///
/// # Errors
/// When this process's program cannot be found.
pub fn worker(argument: &str, has_environment: bool) -> io::Result<Command> {
    // With links resolved: what the interpreter was started by may be a link in a virtual environment.
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(argument);
    if !has_environment {
        command.env_clear();
    }
    if let Some(library) = &host().library {
        preload(&mut command, library, has_environment)?;
    }
    Ok(command)
}

fn preload(command: &mut Command, library: &Library, has_environment: bool) -> io::Result<()> {
    let file = library.file.as_raw_fd();
    let before = [PRELOAD, SEARCH].map(|name| {
        let value = std::env::var(name).ok().filter(|_| has_environment);
        (name.to_owned(), value)
    });
    let mut first = OsString::from(format!("/proc/self/fd/{file}"));
    if let Some(others) = &before[0].1 {
        first.push(":");
        first.push(others);
    }
    if let Some(search) = std::env::var_os(SEARCH) {
        command.env(SEARCH, search);
    }
    let handover = Handover { python: host().python.clone(), library: library.path.clone(), file, before };
    command.env(VARIABLE, serde_json::to_string(&handover)?).env(PRELOAD, first);
    // SAFETY: between fork and exec only fcntl is called, which is safe there. The descriptor is never closed.
    unsafe {
        command.pre_exec(move || match libc::fcntl(file, libc::F_SETFD, 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    Ok(())
}

/// What this process is to do instead of its own program's `main`, if [`worker`] started it with the library preloaded.
/// The environment is then again what it would be without the library.
///
/// # Safety
/// To be called by the library's constructor, while the process has one thread.
#[must_use]
pub unsafe fn take_over() -> Option<String> {
    let text = std::env::var_os(VARIABLE)?;
    let argument = std::env::args().nth(1).filter(|argument| is_worker(argument))?;
    let handover: Handover = serde_json::from_str(text.to_str()?).ok()?;
    // SAFETY: the caller vouches for there being one thread.
    unsafe {
        std::env::remove_var(VARIABLE);
        for (name, value) in handover.before {
            match value {
                Some(value) => std::env::set_var(OsStr::new(&name), value),
                None => std::env::remove_var(OsStr::new(&name)),
            }
        }
        // The descriptor came with the process, which needs it no more: the library is loaded.
        libc::close(handover.file);
    }
    let Python { home, executable } = handover.python;
    loaded_by(executable, home, handover.library).ok()?;
    Some(argument)
}
