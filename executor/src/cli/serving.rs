//! The engine of the servers: a session that runs and compares what a client of theirs asks for.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use surmise_diff::candidate::Candidate;
use surmise_diff::candidates;
use surmise_diff::comparison::Comparison;
use surmise_diff::file::File;
use surmise_diff::options::Options as DiffOptions;
use surmise_diff::pair::compare;
use surmise_diff::repository::Repository;
use surmise_diff::siblings::Context;
use surmise_engine::address_space::stack_bytes;
use surmise_engine::exit::Exit;
use surmise_engine::plan::Settings;
use surmise_engine::source::{self, Source};
use surmise_serve::{Code, CompareRequest, Compared, Engine, Failure, Old, Ran, RunRequest, Stop, Warm};

use super::refusal::Refusal;
use super::run::guided;
use super::session::Session;
use super::{STACK_BYTES, collecting_warnings, sandbox, surroundings};

/// How a server runs the programs of its client.
#[derive(Args, Clone, Debug)]
#[group(id = "ServingOptions")]
pub(super) struct Options {
    #[command(flatten)]
    surroundings: surroundings::Options,
    #[command(flatten)]
    confinement: sandbox::Options,
}

impl Options {
    /// Starts the engine on a thread of its own.
    pub(super) fn start(self) -> Result<Warm, Refusal> {
        self.confinement.check(&self.surroundings.python_path)?;
        let make = move || -> Box<dyn Engine> {
            Box::new(Served { session: Session::default(), options: self.clone(), stdin: None })
        };
        Warm::start(stack_bytes(STACK_BYTES, 1), make).map_err(|error| {
            Refusal::new(format!("no thread can be started: {error}"), "see `ulimit -a` and free memory")
                .with(Exit::Internal)
        })
    }
}

/// A session, and what is the same in all requests of a server.
struct Served {
    session: Session,
    options: Options,
    /// What the program at hand reads; removed with the next one.
    stdin: Option<tempfile::NamedTempFile>,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self {
            message: refusal.message().to_owned(),
            hint: refusal.hint().map(str::to_owned),
            exit: Some(refusal.exit()),
        }
    }
}

impl Engine for Served {
    fn run(&mut self, request: &RunRequest, stop: &Stop) -> Result<Ran, Failure> {
        self.session.stop = Some(stop.clone());
        let (report, warnings) = collecting_warnings(|| self.report(request));
        let report = report?;
        match report.internal {
            Some(problem) => Err(Failure::internal(problem)),
            None => Ok(Ran { report, warnings }),
        }
    }

    fn compare(&mut self, request: &CompareRequest, stop: &Stop) -> Result<Compared, Failure> {
        self.session.stop = Some(stop.clone());
        let (compared, warnings) = collecting_warnings(|| self.compared(request, stop));
        Ok(Compared { warnings, ..compared? })
    }
}

impl Served {
    fn report(&mut self, request: &RunRequest) -> Result<surmise_report::Report, Refusal> {
        let limits = request.limits;
        // The settings of the server are those of its own command.
        let mut line: Vec<OsString> = vec![
            "--isolated".into(),
            "--runs".into(),
            limits.runs.to_string().into(),
            format!("--time={}", limits.time.as_secs_f64()).into(),
            format!("--timeout={}", limits.timeout.as_secs_f64()).into(),
            "--stdin".into(),
            self.stdin(&request.stdin)?.into(),
        ];
        if let Some(function) = &request.function {
            line.push(format!("--function={function}").into());
        }
        line.push("--".into());
        line.push(request.code.path.as_ref().map_or_else(|| "-".into(), OsString::from));
        let mut arguments = Session::parsed(&line)?;
        arguments.surroundings = self.options.surroundings.clone();
        arguments.confinement = self.options.confinement.clone();
        let given = source_of(&request.code)?;
        guided::report(&arguments, Some(given), &mut self.session)
    }

    /// The file that a program reads as standard input.
    fn stdin(&mut self, text: &str) -> Result<PathBuf, Refusal> {
        self.stdin = None;
        if text.is_empty() {
            return Ok(PathBuf::from("/dev/null"));
        }
        let written = tempfile::NamedTempFile::new().and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            Ok(file)
        });
        let file = written.map_err(|error| {
            Refusal::bare(format!("cannot write to `{}`: {error}", std::env::temp_dir().display())).with(Exit::Internal)
        })?;
        let path = file.path().to_owned();
        self.stdin = Some(file);
        Ok(path)
    }

    fn compared(&mut self, request: &CompareRequest, stop: &Stop) -> Result<Compared, Refusal> {
        let begin = Instant::now();
        let new = source_of(&request.new)?;
        let old = match &request.old {
            Old::Code(code) => source_of(code)?,
            Old::Head => at_head(request.new.path.as_deref().unwrap_or(Path::new(".")))?,
        };
        let candidates = candidates(&File::new(old), &File::new(new), request.function.as_deref())?;
        let Options { surroundings, confinement } = &self.options;
        let start = request.new.path.as_deref().unwrap_or(Path::new("."));
        let environment = surroundings.environment(start)?;
        let readable = surroundings.readable(environment.as_deref());
        let folders = surroundings.folders(request.new.path.as_slice());
        let limits = request.limits;
        let timeout = limits.timeout.as_secs_f64();
        let program = sandbox::Program { paths: &[], folders: &folders, readable: &readable, timeout };
        let mut leased = self.session.lease(confinement, &program)?;
        leased.wait_until_ready(confinement)?;
        let mut options = DiffOptions {
            settings: Settings {
                runs: limits.runs,
                timeout: limits.timeout,
                python_path: surroundings.python_path.clone(),
                environment,
                in_place: !surroundings.alone,
                ..Settings::default()
            },
            strict_messages: false,
            strict_logging: false,
        };
        let mut found = Compared::default();
        for candidate in &candidates {
            options.settings.time = limits.time.saturating_sub(begin.elapsed());
            if candidate.versions.is_err() {
                found.comparisons.push(Comparison::known(candidate));
            } else if options.settings.time.is_zero() || stop.is_asked() {
                found.left_out.push(candidate.name.clone());
            } else {
                found.comparisons.push(compare(std::slice::from_mut(&mut leased.zygote), candidate, &options)?);
            }
        }
        self.session.give_back(leased);
        Ok(found)
    }
}

/// The text of a program, or of its file.
fn source_of(code: &Code) -> Result<Source, Refusal> {
    let read = |path: &Path| source::read(path).map_err(|error| Refusal::new(&error, error.hint()));
    let path = match (&code.path, &code.text) {
        (Some(path), None) if path.as_os_str() == "-" => {
            return Err(Refusal::new("`-` is no file", "give the path of a Python file"));
        }
        (Some(path), None) => return read(path),
        (path, _) => path.clone(),
    };
    let name = path.as_ref().map_or_else(|| code.name.clone(), |path| path.display().to_string());
    let text = code.text.clone().unwrap_or_default();
    Ok(Source { name, path, text: text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned) })
}

/// A file as the last commit of its repository has it.
fn at_head(path: &Path) -> Result<Source, Refusal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let repository = Repository::open(folder, None)?;
    let missing = || {
        let message = format!("`{}` is not in the last commit of its repository", path.display());
        Refusal::new(message, "give the old version as text")
    };
    let relative = repository.prefix().join(path.file_name().ok_or_else(missing)?);
    let place = repository.file(0, &relative.to_string_lossy()).ok_or_else(missing)?;
    repository.source(&place).map_err(|problem| Refusal::bare(format!("`{}` in HEAD: {problem}", path.display())))
}

/// The functions of two files, or the one that is asked for.
fn candidates(old: &File, new: &File, function: Option<&str>) -> Result<Vec<Candidate>, Refusal> {
    for (file, which) in [(old, "old"), (new, "new")] {
        file.parsed().map_err(|error| {
            let hint = "both versions must parse as Python 3: there is nothing to compare otherwise";
            Refusal::new(format!("the {which} version does not parse: {error}"), hint)
        })?;
    }
    let mut found = candidates::functions(old, new, Context::Module);
    let Some(wanted) = function else { return Ok(found) };
    let suffix = format!(".{wanted}");
    let is_wanted = |candidate: &Candidate| {
        let name = candidate.name.split(' ').next().unwrap_or_default();
        name == wanted || name.ends_with(&suffix)
    };
    if !found.iter().any(is_wanted) {
        let names: Vec<String> = found.iter().take(10).map(|candidate| format!("`{}`", candidate.name)).collect();
        let hint =
            if names.is_empty() { "there are none".to_owned() } else { format!("there is {}", names.join(", ")) };
        return Err(Refusal::new(format!("neither version has a function `{wanted}`"), hint));
    }
    found.retain(is_wanted);
    Ok(found)
}
