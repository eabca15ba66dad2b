//! Runs a command and writes its recording: the whole of `surmise trace`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use surmise_recorder::config::{Config, Module};

use super::absent::{Absent, absent};
use super::error::TraceError;
use super::fold::Folded;
use super::folder::{Folder, Spool};
use super::interpreter::{Interpreter, find_program};
use super::launch::{Environment, Launch, likely_python};
use super::library::library;
use super::lines::{self, Sources};
use super::modules;
use super::process::Failed;
use super::row::{FileRow, SCHEMA};
use super::signals::Guard;
use super::summary::{LeftOut, Summary};
use super::together::together;
use super::write::Writer;

/// What to record, and where to: the arguments of `surmise trace`.
#[derive(Args, Clone, Debug)]
pub struct Request {
    /// Folder for the recording; created if it does not exist.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub folder: PathBuf,
    /// Package or module to record, by the name under which it is imported (repeatable).
    #[arg(long = "package", value_name = "NAME", required = true)]
    pub packages: Vec<String>,
    /// Do not record these files: a glob that matches whole paths or ends of paths (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Python interpreter or virtual environment that the command uses (default: the interpreter that the command
    /// names, the active environment, or `python3`).
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Record no literal values, only classes, types and counts.
    #[arg(long)]
    pub no_literals: bool,
    /// Also record which lines of these functions run in each test: a glob of `module.function` names (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub lines: Vec<String>,
    /// With --lines: also record the values that each of these calls reads, the first one at each site.
    #[arg(long, requires = "lines")]
    pub call_values: bool,
    /// Name of the project in the tables (default: top-level name of the first package).
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Overwrite the recording that the folder holds.
    #[arg(long)]
    pub replace: bool,
    /// Command to run, with its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Result of a command that was run: its exit code and its recording.
#[derive(Debug)]
pub struct Recorded {
    /// The output folder.
    pub folder: PathBuf,
    /// The command's exit code.
    pub code: i32,
    /// Summary of the recording; if it could not be written, the spool is kept.
    pub written: Result<Summary, TraceError>,
    /// Processes that could not write all that they recorded.
    pub failed: Vec<Failed>,
    /// Messages of processes in which the recorder did not start, with the number of processes.
    pub failures: Vec<(String, usize)>,
    /// Requested packages that were never imported.
    pub absent: Vec<Absent>,
    /// Why part of the spool could not be removed after the recording was written.
    pub leftover: Option<TraceError>,
    /// Interpreter of the command.
    pub interpreter: Interpreter,
}

/// Runs a command and writes its recording.
///
/// # Errors
/// If the command was not run; what goes wrong afterwards is in [`Recorded`].
pub fn record(request: &Request) -> Result<Recorded, TraceError> {
    check(request)?;
    let library = library()?;
    let (python, environment) = python(request)?;
    let launch = Launch::new(&request.command, environment)?;
    let interpreter = Interpreter::ask(python, library.path())?;
    let Begun { folder, spool, base } = begin(request, &interpreter, library.path(), launch.words())?;
    // Held until everything is written, so that a second Ctrl-C does not lose the recording.
    let _guard = Guard::install();
    let ended = match launch.run(&spool) {
        Ok(ended) => ended,
        Err(error) => {
            let _first_error_counts = spool.remove();
            return Err(error);
        }
    };
    let failures = spool.failures();
    let base =
        Summary { exit_code: Some(ended.code), seconds: (ended.time.as_secs_f64() * 1000.0).round() / 1000.0, ..base };
    let mut unseen = Vec::new();
    let written = read_modules(&spool).and_then(|(modules, problem)| {
        unseen = absent(&request.packages, &modules, &interpreter, launch.environment());
        write(&folder, &spool, modules, problem, base)
    });
    let (written, failed) = match written {
        Ok((summary, failed)) => (Ok(summary), failed),
        Err(error) => (Err(error), Vec::new()),
    };
    let leftover = if written.is_ok() { spool.remove().err() } else { None };
    Ok(Recorded {
        folder: request.folder.clone(),
        code: ended.code,
        written,
        failed,
        failures,
        absent: unseen,
        leftover,
        interpreter,
    })
}

/// A recording that has begun: processes with the recorder write to its spool.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) folder: Folder,
    pub(crate) spool: Spool,
    pub(crate) base: Summary,
}

/// Claims the folder and makes the spool.
pub(crate) fn begin(
    request: &Request,
    interpreter: &Interpreter,
    library: &Path,
    command: Vec<String>,
) -> Result<Begun, TraceError> {
    let folder = Folder::claim(&request.folder, request.replace)?;
    let config = Config {
        spool: folder.spool(),
        packages: request.packages.clone(),
        exclude: request.exclude.iter().map(|glob| anywhere(glob)).collect::<Result<_, _>>()?,
        literals: !request.no_literals,
        lines: request.lines.clone(),
        call_values: request.call_values,
    };
    let base = Summary { command: Some(command), python: Some(interpreter.version.clone()), ..of_request(request) };
    let spool = folder.make_spool(&config, &base, library, &interpreter.tag)?;
    Ok(Begun { folder, spool, base })
}

/// Rejects names of packages and globs that cannot match, before anything is made.
pub(crate) fn check(request: &Request) -> Result<(), TraceError> {
    if let Some(package) = request.packages.iter().find(|package| !is_dotted_name(package)) {
        return Err(TraceError::Package(package.clone()));
    }
    request.exclude.iter().try_for_each(|glob| anywhere(glob).map(drop))
}

/// Writes the recording of an interrupted `surmise trace`, or of one that failed to write, from the processes' files.
/// Exit code and duration of the command are not known.
///
/// # Errors
/// If the folder has no interrupted recording, or it still cannot be written.
pub fn recover(folder: &Path) -> Result<(Summary, Vec<Failed>), TraceError> {
    let (folder, spool) = Folder::reclaim(folder)?;
    let base = spool.base()?;
    let _guard = Guard::install();
    let (modules, problem) = read_modules(&spool)?;
    let written = write(&folder, &spool, modules, problem, base)?;
    spool.remove()?;
    Ok(written)
}

/// The interpreter of the command, and the environment in which the command uses it.
fn python(request: &Request) -> Result<(PathBuf, Environment), TraceError> {
    let program = request.command.first().map(OsString::as_os_str).unwrap_or_default();
    let Some(given) = &request.python else {
        let python = likely_python(program).ok_or(TraceError::NoPython)?;
        return Ok((python, Environment::default()));
    };
    // A virtual environment may be given by its folder.
    let given = if given.is_dir() { given.join("bin/python") } else { given.clone() };
    let found = find_program(given.as_os_str(), &Environment::default().path()).unwrap_or(given);
    let path = std::path::absolute(&found).map_err(TraceError::io("find", found))?;
    let environment = Environment::of_interpreter(&path);
    Ok((path, environment))
}

fn is_dotted_name(text: &str) -> bool {
    text.split('.').all(|part| {
        let mut characters = part.chars();
        characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|other| other.is_alphanumeric() || other == '_')
    })
}

/// Makes a glob match whole paths: one that is not absolute may start at any folder.
fn anywhere(glob: &str) -> Result<String, TraceError> {
    let anywhere = if glob.starts_with(['/', '*']) { glob.to_owned() } else { format!("*/{glob}") };
    match glob::Pattern::new(&anywhere) {
        Ok(_) => Ok(anywhere),
        Err(error) => Err(TraceError::Glob { glob: glob.to_owned(), problem: error.msg.to_owned() }),
    }
}

fn of_request(request: &Request) -> Summary {
    let first = request.packages.first().map(|package| package.split('.').next().unwrap_or_default().to_owned());
    Summary {
        schema: SCHEMA.to_owned(),
        project: request.project.clone().or(first),
        packages: request.packages.clone(),
        literals: !request.no_literals,
        ..Summary::default()
    }
}

pub(crate) fn read_modules(spool: &Spool) -> Result<(Vec<Module>, Option<String>), TraceError> {
    modules::read(&spool.path).map_err(TraceError::io("read", surmise_recorder::config::registry(&spool.path)))
}

/// Joins the processes' files and writes the tables.
pub(crate) fn write(
    folder: &Folder,
    spool: &Spool,
    modules: Vec<Module>,
    problem: Option<String>,
    base: Summary,
) -> Result<(Summary, Vec<Failed>), TraceError> {
    let mut folded = Folded::read(&spool.path).map_err(TraceError::io("read", &spool.path))?;
    let mut summary = Summary { processes: folded.processes, events: folded.events, ..base };
    let project: Arc<str> = summary.project.clone().unwrap_or_default().into();
    let mut modules: Vec<(String, Module)> =
        modules.into_iter().map(|module| (modules::relative(&module), module)).collect();
    let key = |(file, module): &(String, Module)| (file.clone(), module.sha256.clone());
    modules.sort_by_cached_key(|entry| (key(entry), entry.1.path.clone()));
    let mut writer = Writer::new(folder.path(), &project)?;
    let mut files: Vec<FileRow> = Vec::new();
    // The same file may exist in two folders, such as the sources and a build folder.
    for group in modules.chunk_by(|a, b| key(a) == key(b)) {
        let mut rows = Vec::new();
        let mut file: Option<FileRow> = None;
        for (_, module) in group {
            let (entry, more) = modules::rows(module, &project, &mut folded);
            if let Some(reason) = &entry.left_out {
                summary.files_left_out.push(left_out(module, reason));
            }
            rows.extend(more);
            match &mut file {
                Some(file) => file.join(&entry),
                None => file = Some(entry),
            }
        }
        rows.sort_by(|a, b| a.key().cmp(&b.key()));
        let mut hit = 0;
        together(rows.into_iter().map(Ok), |row| {
            hit += 1;
            writer.push(row)
        })?;
        files.extend(file.map(|file| FileRow { hit, ..file }));
    }
    let mut sources = Sources::new(&modules);
    summary.calls = lines::write(&spool.path, &project, &mut sources, &mut writer, &mut summary.damaged)?;
    summary.damaged.append(&mut folded.damaged);
    summary.damaged.extend(problem);
    if folded.left() > 0 {
        summary.damaged.push(format!("{} sites belong to no module", folded.left()));
    }
    if !folded.failed.is_empty() {
        summary.damaged.push(describe_failed(&folded.failed));
    }
    Ok((writer.finish(&files, summary)?, folded.failed))
}

fn left_out(module: &Module, reason: &str) -> LeftOut {
    let path = |path: &Path| path.display().to_string();
    LeftOut { module: module.name.clone(), path: path(&module.path), reason: reason.to_owned() }
}

/// Message about processes that could not write.
pub fn describe_failed(failed: &[Failed]) -> String {
    let known = failed.iter().find(|failed| failed.errno != 0);
    let why = known.map_or_else(
        || "their files are empty".to_owned(),
        |failed| std::io::Error::from_raw_os_error(failed.errno).to_string(),
    );
    let what = if failed.len() == 1 { "process" } else { "processes" };
    format!("{} {what} could not write all that was recorded: {why}", failed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_as_they_are_imported() {
        for name in ["flask", "_x", "flask.json", "naïve.mod2"] {
            assert!(is_dotted_name(name), "{name}");
        }
        for name in ["", "src/flask", "flask.py/", ".flask", "flask.", "a..b", "2to3", "a-b", "a b"] {
            assert!(!is_dotted_name(name), "{name}");
        }
    }

    #[test]
    fn globs_may_start_anywhere() {
        let matches = |glob: &str, path: &str| {
            let pattern = anywhere(glob).map(|glob| glob::Pattern::new(&glob).expect("it was checked"));
            pattern.expect("a good glob").matches_path(Path::new(path))
        };
        assert!(matches("flask/json/*", "/site/flask/json/tag.py") && matches("/site/*", "/site/a.py"));
        assert!(matches("tag.py", "/site/flask/json/tag.py") && !matches("tag.py", "/site/retag.py"));
        assert!(anywhere("a[").is_err());
    }
}
