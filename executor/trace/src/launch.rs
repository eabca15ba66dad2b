//! The recorded command: finds it, sets its environment, runs it to its end.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use surmise_recorder::config::VARIABLE;

use super::error::TraceError;
use super::folder::Spool;
use super::interpreter::find_program;
use super::signals;

/// Environment variables to change for the command; `None` removes a variable.
#[derive(Clone, Debug, Default)]
pub struct Environment(Vec<(&'static str, Option<OsString>)>);

impl Environment {
    /// Environment with an interpreter's folder first on `PATH`, so that `python` and the programs installed beside it
    /// are found.
    pub fn of_interpreter(python: &Path) -> Self {
        let mut environment = Self::default();
        let Some(folder) = python.parent() else {
            return environment;
        };
        environment.set("PATH", in_front(folder, &path_variable()));
        let prefix = folder.parent().filter(|prefix| prefix.join("pyvenv.cfg").is_file());
        if let Some(prefix) = prefix {
            environment.set("VIRTUAL_ENV", prefix.as_os_str().to_owned());
            environment.0.push(("PYTHONHOME", None));
        }
        environment
    }

    fn set(&mut self, name: &'static str, value: OsString) {
        self.0.push((name, Some(value)));
    }

    /// The `PATH` on which the command is searched for.
    pub fn path(&self) -> OsString {
        let changed = self.0.iter().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value.clone());
        changed.unwrap_or_else(path_variable)
    }

    /// Applies the changes to a command.
    pub fn apply(&self, command: &mut Command) {
        for (name, value) in &self.0 {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }
}

fn path_variable() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

fn in_front(folder: &Path, rest: &OsStr) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if !rest.is_empty() {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The interpreter that a command most likely uses: the one it names, that of the active environment, or `python3`.
pub fn likely_python(program: &OsStr) -> Option<PathBuf> {
    let path = path_variable();
    let named = Path::new(program).file_name().is_some_and(|name| {
        let version = name.as_bytes().strip_prefix(b"python");
        version.is_some_and(|version| version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
    });
    if named && let Some(python) = find_program(program, &path) {
        return Some(python);
    }
    let active = std::env::var_os("VIRTUAL_ENV").map(|prefix| Path::new(&prefix).join("bin/python"));
    active.filter(|python| python.is_file()).or_else(|| find_program("python3".as_ref(), &path))
}

/// A command that was found and can be started.
#[derive(Debug)]
pub struct Launch {
    program: PathBuf,
    command: Vec<OsString>,
    environment: Environment,
}

/// How a command ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Exit code of the command; 128 plus the signal's number if a signal ended it.
    pub code: i32,
    /// Wall-clock time of the command.
    pub time: Duration,
}

impl Launch {
    /// Finds the program of a command.
    ///
    /// # Errors
    /// If it is not there.
    pub fn new(command: &[OsString], environment: Environment) -> Result<Self, TraceError> {
        let name = command.first().map(OsString::as_os_str).unwrap_or_default();
        match find_program(name, &environment.path()) {
            Some(program) => Ok(Self { program, command: command.to_owned(), environment }),
            None => Err(TraceError::NoCommand(name.to_string_lossy().into_owned())),
        }
    }

    /// Runs the command with the recorder in its Python processes. Signals are passed on to it while a
    /// [`signals::Guard`] exists.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn run(&self, spool: &Spool) -> Result<Ended, TraceError> {
        let mut command = Command::new(&self.program);
        command.arg0(&self.command[0]).args(&self.command[1..]);
        self.environment.apply(&mut command);
        let before = std::env::var_os("PYTHONPATH").unwrap_or_default();
        command.env("PYTHONPATH", in_front(&spool.site, &before)).env(VARIABLE, &spool.config);
        let failed = |source| TraceError::Start { command: self.command[0].to_string_lossy().into_owned(), source };
        let begin = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        signals::pass_to(child.id());
        let status = child.wait();
        signals::pass_to_nobody();
        let status = status.map_err(failed)?;
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(70);
        Ok(Ended { code, time: begin.elapsed() })
    }

    /// The command as a list of words.
    pub fn words(&self) -> Vec<String> {
        self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Environment of the command, without what the recorder adds.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
}
