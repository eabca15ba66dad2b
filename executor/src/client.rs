//! The parent's side of a zygote: starts it, hands it jobs, collects what a run leaves, keeps the deadline.

mod collect;
mod marks;
mod wanted;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::unistd::pipe2;

pub use self::collect::Captured;
use self::collect::{Collector, Source};
use self::marks::SharedMarks;
use self::wanted::Wanted;
use crate::descriptors;
use crate::exit::Exit;
use crate::protocol::{Event, Job, decode_events, read_frame, write_frame};
use crate::zygote::sandbox::{Finding, Mode, Sandbox, Step};
use crate::zygote::{AHEAD_HEAD, PAIRED_HEAD, PLAIN_ARGUMENT, RUN_HEAD, SOCKET_FD, ZYGOTE_ARGUMENT};

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
#[derive(Debug)]
pub struct RawRun {
    /// Exit code, or the signal's number plus 256.
    pub status: i32,
    /// The deadline passed.
    pub timed_out: bool,
    /// What the worker told, as far as it can be read.
    pub events: Vec<Event>,
    /// Marks by line; index 0 is never set, the last is the end of the module.
    pub marks: Vec<bool>,
    /// Standard output, cut.
    pub stdout: Captured,
    /// Standard error, cut.
    pub stderr: Captured,
    /// From handing over the job to the worker's end.
    pub wall: Duration,
    /// The part of that until the worker was behind all steps of the sandbox, if it ever was.
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
    wanted: Wanted,
}

fn spawn(program: PathBuf, argument: &str, plain: bool) -> Result<(Child, UnixStream), ClientError> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(&program);
    command.arg(argument);
    if !plain {
        command.env_clear().env("TMPDIR", "/tmp").stdin(Stdio::null());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("OPENBLAS_NUM_THREADS", "1");
    }
    let raw = theirs.as_raw_fd();
    // SAFETY: between fork and exec only dup2 is called, which is safe there; the copy survives exec.
    unsafe {
        command.pre_exec(move || {
            if libc::dup2(raw, SOCKET_FD) < 0 {
                return Err(io::Error::last_os_error());
            }
            if raw == SOCKET_FD {
                libc::fcntl(raw, libc::F_SETFD, 0);
            }
            Ok(())
        });
    }
    let child = command.spawn().map_err(|source| ClientError::Spawn { path: program, source })?;
    Ok((child, ours))
}

/// Runs a program as `python FILE` would, on our own standard streams; returns its wait status.
///
/// # Errors
/// When no process could be started.
pub fn run_plain(job: &Job) -> Result<std::process::ExitStatus, ClientError> {
    let (mut child, socket) = spawn(std::env::current_exe()?, PLAIN_ARGUMENT, true)?;
    write_frame(&socket, job).map_err(ClientError::Lost)?;
    loop {
        match child.wait() {
            Ok(status) => return Ok(status),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ClientError::Lost(error)),
        }
    }
}

impl Zygote {
    /// Starts a zygote whose workers run in the current directory, in the strict sandbox.
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start() -> Result<Self, ClientError> {
        Self::start_in(&Sandbox::default())
    }

    /// Starts a zygote with a sandbox of the caller's.
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start_in(sandbox: &Sandbox) -> Result<Self, ClientError> {
        Self::start_from(std::env::current_exe()?, sandbox)
    }

    /// Starts a zygote from another program than this one, whose `main` is [`crate::cli::main`].
    ///
    /// # Errors
    /// When the process does not start.
    pub fn start_from(program: PathBuf, sandbox: &Sandbox) -> Result<Self, ClientError> {
        let (child, socket) = spawn(program, ZYGOTE_ARGUMENT, false)?;
        let zygote = Self {
            child,
            socket,
            mode: sandbox.mode,
            findings: Vec::new(),
            kept_output: KEPT_OUTPUT_BYTES,
            wanted: Wanted::default(),
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

    /// Runs a job to its end or to the deadline.
    ///
    /// # Errors
    /// When the zygote is gone or the run could not be set up; the snippet's own failures are no errors here.
    pub fn run(&mut self, job: &Job, stdin: OwnedFd, timeout: Duration) -> Result<RawRun, ClientError> {
        let begin = Instant::now();
        let region = SharedMarks::new(job.lines)?;
        let (stdout, stdout_write) = pipe()?;
        let (stderr, stderr_write) = pipe()?;
        let (events, events_write) = pipe()?;
        let fds = [&stdin, &stdout_write, &stderr_write, &events_write, &region.file].map(AsRawFd::as_raw_fd);
        let head = if job.paired.is_some() { PAIRED_HEAD } else { RUN_HEAD };
        descriptors::send(&self.socket, &head, &fds).map_err(ClientError::Lost)?;
        write_frame(&self.socket, job).map_err(ClientError::Lost)?;
        drop((stdin, stdout_write, stderr_write, events_write));
        let mut collector = Collector {
            sources: [
                Source::new(stdout, self.kept_output),
                Source::new(stderr, self.kept_output),
                Source::new(events, KEPT_EVENT_BYTES),
            ],
            socket: &self.socket,
            worker: None,
            status: None,
            timed_out: false,
        };
        collector.collect(begin + timeout)?;
        let Collector { sources: [stdout, stderr, events], status, timed_out, .. } = collector;
        let often = self.wanted.by_run(&job.standard);
        if !often.is_empty() {
            descriptors::send(&self.socket, &AHEAD_HEAD, &[]).map_err(ClientError::Lost)?;
            write_frame(&self.socket, &often).map_err(ClientError::Lost)?;
        }
        let (marks, start) = region.read()?;
        Ok(RawRun {
            status: status.unwrap_or(256 + libc::SIGKILL),
            timed_out,
            events: decode_events(&events.captured.kept),
            marks,
            stdout: stdout.captured,
            stderr: stderr.captured,
            wall: begin.elapsed(),
            start,
        })
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
