//! The parent's side of a zygote: starts it, hands it programs, collects what a run leaves, keeps the deadline.

mod collect;
mod ends;
mod marks;
mod preload_policy;
mod template;
mod templates;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::unistd::pipe2;
use surmise_instrument::Site;

pub use self::collect::Captured;
use self::collect::{Collector, RunEnd, Source, Sources};
use self::marks::SharedMarks;
use self::preload_policy::PreloadPolicy;
use self::template::Template;
use crate::descriptors;
use crate::exit::Exit;
use crate::host;
use crate::protocol::{Event, Program, Task, Value, decode_events, read_frame, write_frame};
use crate::stop::Stop;
use crate::zygote::sandbox::{Finding, Mode, Sandbox, Step};
use crate::zygote::{PLAIN_ARGUMENT, PRELOAD, SOCKET_FD, ZYGOTE_ARGUMENT};

/// Most bytes of standard output or error that are kept; the rest is read and dropped.
pub const KEPT_OUTPUT_BYTES: usize = 1 << 20;
/// Most bytes of events that are kept.
const KEPT_EVENT_BYTES: usize = 64 << 20;

/// Why the parent could not run something. None of these is the snippet's fault.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The worker process could not be started.
    #[error("could not start a worker process from {path}: {source}")]
    Spawn {
        /// The program that was to be started.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The zygote went away.
    #[error("the worker process ended unexpectedly: {0}")]
    Lost(io::Error),
    /// This machine refuses a step of the sandbox.
    #[error("the sandbox cannot be set up: {}: {problem}", step.what())]
    Sandbox {
        /// The step.
        step: Step,
        /// What the kernel said.
        problem: String,
    },
    /// A pipe, shared memory or the like could not be made.
    #[error("could not set up a run: {0}")]
    Setup(#[from] io::Error),
}

impl ClientError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Sandbox { step, .. } => step.hint(),
            _ => "this is a fault of Surmise or of the machine, not of the snippet",
        }
    }

    /// The exit code that tells it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        if matches!(self, Self::Sandbox { .. }) { Exit::Sandbox } else { Exit::Internal }
    }
}

/// What a run left behind, unjudged.
#[derive(Debug, Default)]
pub struct RawRun {
    /// Exit code, or the signal's number plus 256.
    pub status: i32,
    /// The deadline passed.
    pub timed_out: bool,
    /// The lines that count: CPython's line table has them.
    pub lines: Vec<u32>,
    /// What the run emitted, as far as it can be read.
    pub events: Vec<Event>,
    /// Marks by line; index 0 is never set, the last is the end of the module.
    pub marks: Vec<bool>,
    /// Standard output, cut.
    pub stdout: Captured,
    /// Standard error, cut.
    pub stderr: Captured,
    /// From the request to the end of the run, with what had to be loaded.
    pub wall: Duration,
    /// The part of that until the run was behind all steps of the sandbox, if it ever was.
    pub start: Option<Duration>,
}

/// A zygote process. Dropping it kills and reaps it, and with it every worker.
#[derive(Debug)]
pub struct Zygote {
    child: Child,
    socket: UnixStream,
    mode: Mode,
    findings: Vec<Finding>,
    kept_output: usize,
    preload_policy: PreloadPolicy,
    /// Templates asked for so far.
    asked: u32,
    templates: Vec<Template>,
    stop: Option<Stop>,
}

/// Runs that are asked for.
#[derive(Debug)]
pub struct Request<'r> {
    /// What all runs of the program share.
    pub program: &'r Program,
    /// A program that is loaded, with its function at the same place of the same module: its process makes the run.
    pub loaded: Option<&'r Program>,
    /// All sites, those of the program first, and the class predicted for each.
    pub sites: (&'r [Site], &'r [Option<Value>]),
    /// What each run does beside that. Several are made in one process, as far as each leaves what the next one starts from as
    /// it was.
    pub tasks: &'r [Task],
    /// No other run is expected: the process that loads the program is the run.
    pub once: bool,
}

impl Request<'_> {
    /// The program that the process of the runs has loaded.
    fn of_template(&self) -> &Program {
        self.loaded.unwrap_or(self.program)
    }
}

fn spawn(mut command: Command, plain: bool) -> Result<(Child, UnixStream), ClientError> {
    let (ours, theirs) = UnixStream::pair()?;
    if !plain {
        command.env("TMPDIR", "/tmp").stdin(Stdio::null());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("OPENBLAS_NUM_THREADS", "1");
    }
    let raw = theirs.as_raw_fd();
    // SAFETY: between fork and exec only personality, dup2 and fcntl are called, which is safe there; what they change
    // survives exec.
    unsafe {
        command.pre_exec(move || {
            // Sets of objects without a hash of their own are ordered by addresses, which are to be the same in each run. Where
            // that is refused, they are not.
            if !plain {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
            if libc::dup2(raw, SOCKET_FD) < 0 {
                return Err(io::Error::last_os_error());
            }
            if raw == SOCKET_FD {
                libc::fcntl(raw, libc::F_SETFD, 0);
            }
            Ok(())
        });
    }
    let started = command.spawn();
    let child = started.map_err(|source| ClientError::Spawn { path: command.get_program().into(), source })?;
    Ok((child, ours))
}

/// Runs a program as `python FILE` would, on our own standard streams; returns its wait status.
///
/// # Errors
/// When no process could be started.
pub fn run_plain(program: &Program) -> Result<std::process::ExitStatus, ClientError> {
    let (mut child, socket) = spawn(host::worker(PLAIN_ARGUMENT, true)?, true)?;
    write_frame(&socket, program).map_err(ClientError::Lost)?;
    loop {
        match child.wait() {
            Ok(status) => return Ok(status),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ClientError::Lost(error)),
        }
    }
}

impl Zygote {
    /// Starts a zygote with a sandbox of the caller's.
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start_in(sandbox: &Sandbox) -> Result<Self, ClientError> {
        Self::start_as(host::worker(ZYGOTE_ARGUMENT, false)?, sandbox)
    }

    /// Starts a zygote from another program than this one, whose `main` is [`crate::cli::main`].
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start_from(program: PathBuf, sandbox: &Sandbox) -> Result<Self, ClientError> {
        let mut command = Command::new(program);
        command.arg(ZYGOTE_ARGUMENT).env_clear();
        Self::start_as(command, sandbox)
    }

    fn start_as(command: Command, sandbox: &Sandbox) -> Result<Self, ClientError> {
        let (child, socket) = spawn(command, false)?;
        let zygote = Self {
            child,
            socket,
            mode: sandbox.mode,
            findings: Vec::new(),
            kept_output: KEPT_OUTPUT_BYTES,
            preload_policy: PreloadPolicy::default(),
            asked: 0,
            templates: Vec::new(),
            stop: None,
        };
        write_frame(&zygote.socket, sandbox).map_err(ClientError::Lost)?;
        Ok(zygote)
    }

    /// Keeps this many bytes of standard output, and of standard error.
    #[must_use]
    pub fn keeping_output(mut self, bytes: usize) -> Self {
        self.kept_output = bytes;
        self
    }

    /// Lets runs end as soon as `stop` is asked for: what they come to is then cut short.
    pub fn heed(&mut self, stop: Option<Stop>) {
        self.stop = stop;
    }

    /// True once the stop that the zygote heeds was asked for.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(Stop::is_asked)
    }

    /// Waits until the sandbox is closed and CPython is up.
    ///
    /// # Errors
    /// When this machine refuses a step that the sandbox requires, or the zygote ended for another reason.
    pub fn wait_until_ready(&mut self) -> Result<(), ClientError> {
        let body = read_frame(&self.socket).map_err(ClientError::Lost)?;
        let body = body.ok_or_else(|| ClientError::Lost(io::ErrorKind::UnexpectedEof.into()))?;
        self.findings = serde_json::from_slice(&body).map_err(|error| ClientError::Lost(error.into()))?;
        let mut required = self.findings.iter().filter(|finding| finding.step.is_required());
        match required.find_map(|finding| Some((finding.step, finding.problem.clone()?))) {
            Some((step, problem)) if self.mode == Mode::Strict => Err(ClientError::Sandbox { step, problem }),
            _ => Ok(()),
        }
    }

    /// The process that everything here descends from.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// True unless somebody ended it since it was last used.
    #[must_use]
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The steps of the sandbox, and how they went; known once the zygote is ready.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Steps of the sandbox that this machine refused; empty when all is well.
    #[must_use]
    pub fn refused(&self) -> String {
        let refused = self.findings.iter().filter_map(|finding| {
            finding.problem.as_ref().map(|problem| format!("{} ({problem})", finding.step.what()))
        });
        refused.collect::<Vec<_>>().join("; ")
    }

    /// Makes the runs of a request, which have an input each, as many as one process makes: each to its end or for as long as
    /// `timeout`.
    ///
    /// # Errors
    /// When the zygote is gone or the runs could not be set up; the snippet's own failures are no errors here.
    pub fn run(
        &mut self,
        request: &Request<'_>,
        stdins: Vec<OwnedFd>,
        timeout: Duration,
    ) -> Result<Vec<RawRun>, ClientError> {
        let begin = Instant::now();
        let mut deadline = begin + timeout;
        let mut template = match self.template(request, &mut deadline, timeout)? {
            Ok(template) => template,
            Err(mut ended) => {
                ended.wall = begin.elapsed();
                return Ok(vec![ended]);
            }
        };
        let (mut runs, mut regions, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for stdin in stdins {
            let [(stdout, stdout_write), (stderr, stderr_write), (events, events_write)] = [pipe()?, pipe()?, pipe()?];
            let (output, events) = ([stdout, stderr], Source::new(events, KEPT_EVENT_BYTES));
            let [stdout, stderr] = output.map(|from| Source::new(from, self.kept_output));
            runs.push(Sources { streams: [stdout, stderr, events], ended: None });
            regions.push(SharedMarks::new(request.program.lines)?);
            theirs.push([stdin, stdout_write, stderr_write, events_write]);
        }
        let marks = regions.iter().map(|region| region.file.as_raw_fd());
        let rights = theirs.iter().zip(marks).map(|([stdin, stdout, stderr, events], marks)| {
            [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd(), events.as_raw_fd(), marks]
        });
        // A template that is gone cannot be written to; the zygote says what became of it.
        let _gone = template.send(request, &rights.collect::<Vec<_>>());
        drop(theirs);
        let mut collector =
            Collector { runs, template: &mut template, zygote: &self.socket, end: None, timed_out: false };
        collector.collect(deadline, timeout, self.stop.as_ref())?;
        let Collector { runs, end, timed_out, .. } = collector;
        let end = end.unwrap_or(RunEnd { status: 256 + libc::SIGKILL, goes_on: false });
        let lines = template.lines.clone();
        if end.goes_on && !timed_out {
            self.templates.push(template);
        } else if template.once || timed_out {
            self.templates.clear();
        } else {
            self.end_with(&template)?;
        }
        self.preload(request.of_template())?;
        let mut since = begin;
        let mut made = Vec::new();
        for (Sources { streams: [stdout, stderr, events], ended }, region) in runs.into_iter().zip(regions) {
            let (marks, start) = region.read()?;
            if start.is_none() && !made.is_empty() {
                break; // it has not begun
            }
            let until = ended.unwrap_or_else(Instant::now);
            made.push(RawRun {
                lines: lines.clone(),
                events: decode_events(&events.captured.kept),
                marks,
                stdout: stdout.captured,
                stderr: stderr.captured,
                wall: until.saturating_duration_since(since),
                start,
                ..RawRun::default()
            });
            since = until;
        }
        if let Some((last, others)) = made.split_last_mut() {
            (last.status, last.timed_out) = (end.status, timed_out);
            for run in others {
                let end = |event: &Event| if let Event::End(end) = event { Some(end.status()) } else { None };
                // The process went on to another run: the status of this one is in its last event.
                run.status = run.events.iter().rev().find_map(end).unwrap_or(256 + libc::SIGKILL);
            }
        }
        Ok(made)
    }

    /// Lets the zygote import what programs import again and again. It does so while nobody waits for it.
    fn preload(&mut self, program: &Program) -> Result<(), ClientError> {
        let often = self.preload_policy.by_program(&program.standard);
        if !often.is_empty() {
            descriptors::send(&self.socket, &PRELOAD, &[]).map_err(ClientError::Lost)?;
            write_frame(&self.socket, &often).map_err(ClientError::Lost)?;
        }
        Ok(())
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        // The launcher's death takes the zygote with it, and the zygote's that of everything in its namespace.
        let _already_gone = self.child.kill();
        let _already_reaped = self.child.wait();
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe2(OFlag::O_CLOEXEC)?)
}
