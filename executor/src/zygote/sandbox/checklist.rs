//! The steps, whether this machine allows them, and what to do about those it refuses.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe};
use serde::{Deserialize, Serialize};

use super::Mode;

/// A step, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A user namespace: its capabilities mean nothing outside.
    Users,
    /// A mount namespace.
    Mounts,
    /// A pid namespace: nobody outside can be seen or signalled, and everybody inside ends with the zygote.
    Processes,
    /// A network namespace without an interface that is up.
    Network,
    /// An IPC namespace.
    Ipc,
    /// A UTS namespace with a name of its own.
    HostName,
    /// A limit on the number of processes and threads, which holds for root too.
    ProcessLimit,
    /// A root of its own in memory, with read-only binds.
    Files,
    /// A `/proc` of the namespace's own processes.
    Proc,
    /// No way to new privileges.
    Privileges,
    /// The allow-list of system calls.
    SystemCalls,
    /// A mount namespace for the run, with a scratch layer that goes with it.
    Scratch,
    /// Limits on memory, files, descriptors, CPU time, core dumps.
    Limits,
    /// Landlock: files once more, signals, abstract sockets.
    Landlock,
    /// No capabilities, not even in the namespace.
    Capabilities,
    /// The system calls that only the sandbox itself needed.
    Lock,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 16] = [
        Self::Users,
        Self::Mounts,
        Self::Processes,
        Self::Network,
        Self::Ipc,
        Self::HostName,
        Self::ProcessLimit,
        Self::Files,
        Self::Proc,
        Self::Privileges,
        Self::SystemCalls,
        Self::Scratch,
        Self::Limits,
        Self::Landlock,
        Self::Capabilities,
        Self::Lock,
    ];

    /// What it gives, for people.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Users => "user namespace",
            Self::Mounts => "mount namespace",
            Self::Processes => "pid namespace",
            Self::Network => "network namespace",
            Self::Ipc => "IPC namespace",
            Self::HostName => "UTS namespace",
            Self::ProcessLimit => "limit on processes",
            Self::Files => "root with read-only files",
            Self::Proc => "/proc of its own",
            Self::Privileges => "no new privileges",
            Self::SystemCalls => "system-call allow-list",
            Self::Scratch => "scratch layer for each run",
            Self::Limits => "resource limits",
            Self::Landlock => "Landlock",
            Self::Capabilities => "no capabilities",
            Self::Lock => "set-up calls locked",
        }
    }

    /// Whether `--sandbox=strict` goes on without it. Landlock repeats what the namespaces ensure, and many kernels
    /// lack it; without a `/proc` of its own a run has none at all, which shows less, not more.
    #[must_use]
    pub fn is_required(self) -> bool {
        !matches!(self, Self::Landlock | Self::Proc)
    }

    /// What to do where it is refused.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Users | Self::Mounts | Self::Processes | Self::Network | Self::Ipc | Self::HostName => {
                "allow user namespaces: Debian `sysctl kernel.unprivileged_userns_clone=1`, Ubuntu `sysctl \
                 kernel.apparmor_restrict_unprivileged_userns=0`, elsewhere `sysctl user.max_user_namespaces=10000`, \
                 Docker `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`; or accept less with \
                 `--sandbox=best-effort`"
            }
            Self::ProcessLimit => {
                "run as an ordinary user (root needs Linux 6.14 or a writable pids control group), or accept less with \
                 `--sandbox=best-effort`"
            }
            Self::Files | Self::Scratch => {
                "this needs Linux 5.12 with overlayfs and tmpfs, mountable in a user namespace; in a container allow \
                 mounts (AppArmor, seccomp), or accept less with `--sandbox=best-effort`"
            }
            Self::Proc => "in a container, unmask /proc (`--security-opt systempaths=unconfined`); runs have no /proc",
            Self::Landlock => "boot a kernel with Landlock (5.13; signals and sockets 6.12) and `lsm=landlock,...`",
            Self::SystemCalls | Self::Lock => {
                "this needs a kernel with CONFIG_SECCOMP_FILTER, or accept less with `--sandbox=best-effort`"
            }
            Self::Privileges | Self::Limits | Self::Capabilities => {
                "this should work everywhere; accept less with `--sandbox=best-effort`"
            }
        }
    }
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The step.
    pub step: Step,
    /// Why it was refused, or could not be tried.
    pub problem: Option<String>,
}

/// A required step was refused in strict mode; the last finding tells.
#[derive(Debug)]
pub(crate) struct Refused;

/// The steps taken so far.
#[derive(Debug, Clone)]
pub(crate) struct Checklist {
    mode: Mode,
    findings: Vec<Finding>,
}

impl Checklist {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode, findings: Vec::new() }
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether a step was taken and granted.
    pub(crate) fn has(&self, step: Step) -> bool {
        let mut found = self.findings.iter().filter(|finding| finding.step == step).peekable();
        found.peek().is_some() && found.all(|finding| finding.problem.is_none())
    }

    /// Notes how a step went.
    pub(crate) fn check(&mut self, step: Step, result: Result<(), impl std::error::Error>) -> Result<(), Refused> {
        self.note(step, result.err().map(|error| error.to_string()))
    }

    /// Takes a step that would reach outside the sandbox if the one it stands on was refused.
    pub(crate) fn check_after<E: std::error::Error>(
        &mut self,
        ground: Step,
        step: Step,
        take: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refused> {
        if self.has(ground) {
            return self.check(step, take());
        }
        self.note(step, Some(format!("not tried without the {}", ground.what())))
    }

    fn note(&mut self, step: Step, problem: Option<String>) -> Result<(), Refused> {
        let refused = problem.is_some() && step.is_required() && self.mode == Mode::Strict;
        match self.findings.iter_mut().find(|finding| finding.step == step) {
            Some(finding) => finding.problem = finding.problem.take().or(problem),
            None => self.findings.push(Finding { step, problem }),
        }
        if refused { Err(Refused) } else { Ok(()) }
    }

    /// Makes room for the steps of a run to be taken in earnest.
    pub(crate) fn forget_rehearsal(&mut self) {
        let first = Step::ALL.iter().position(|step| *step == Step::Scratch).unwrap_or(Step::ALL.len());
        self.findings.retain(|finding| !Step::ALL[first..].contains(&finding.step));
    }
}

/// The steps of a run, taken in a child that then ends: a machine that refuses one says so before the first run, not
/// in it. It goes on beside the start of CPython.
pub(crate) struct Rehearsal(Result<(Pid, OwnedFd), String>);

impl Rehearsal {
    pub(super) fn start(list: &Checklist, take: impl FnOnce(&mut Checklist) -> Result<(), Refused>) -> Self {
        let (read, write) = match pipe() {
            Ok(ends) => ends,
            Err(error) => return Self(Err(error.to_string())),
        };
        let known = list.findings.len();
        // SAFETY: this process has one thread.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => {
                drop(read);
                let mut list = list.clone();
                let _told_as_a_finding = take(&mut list);
                let text = serde_json::to_vec(&list.findings[known..]).unwrap_or_default();
                let _nobody_else_to_tell = File::from(write).write_all(&text);
                // SAFETY: ends the child without running anything of its parent's.
                unsafe { libc::_exit(0) }
            }
            Ok(ForkResult::Parent { child }) => Self(Ok((child, read))),
            Err(error) => Self(Err(error.to_string())),
        }
    }

    /// Waits for its end, and notes what it found.
    pub(crate) fn finish(self, list: &mut Checklist) -> Result<(), Refused> {
        let failed = |problem: String| vec![Finding { step: Step::Scratch, problem: Some(problem) }];
        let findings = match self.0 {
            Ok((child, read)) => {
                let text = read_all(read);
                let _reaped = waitpid(child, None);
                serde_json::from_slice(&text)
                    .unwrap_or_else(|_| failed("the rehearsal of a run ended early".to_owned()))
            }
            Err(problem) => failed(problem),
        };
        findings.into_iter().try_for_each(|finding| list.note(finding.step, finding.problem))
    }
}

fn read_all(from: OwnedFd) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _as_far_as_it_goes = File::from(from).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal() -> Result<(), std::io::Error> {
        Err(std::io::ErrorKind::PermissionDenied.into())
    }

    #[test]
    fn strict_stops_at_a_required_step_only() {
        let mut list = Checklist::new(Mode::Strict);
        assert!(list.check(Step::Landlock, refusal()).is_ok());
        assert!(list.check(Step::Users, refusal()).is_err());
        let mut list = Checklist::new(Mode::BestEffort);
        assert!(list.check(Step::Users, refusal()).is_ok());
        assert!(!list.has(Step::Users) && !list.has(Step::Mounts));
    }

    /// Without a mount namespace of its own, mounting would change the machine.
    #[test]
    fn a_step_without_its_ground_is_not_tried() {
        let mut list = Checklist::new(Mode::BestEffort);
        assert!(list.check(Step::Mounts, refusal()).is_ok());
        let taken = list
            .check_after(Step::Mounts, Step::Files, || -> Result<(), std::io::Error> { panic!("the step was taken") });
        assert!(taken.is_ok() && !list.has(Step::Files));
    }

    #[test]
    fn a_refused_step_stays_refused() {
        let mut list = Checklist::new(Mode::BestEffort);
        let (first, second) =
            (list.check(Step::Files, refusal()), list.check(Step::Files, Ok::<(), std::io::Error>(())));
        assert!(first.is_ok() && second.is_ok() && !list.has(Step::Files));
    }
}
