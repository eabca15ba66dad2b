//! The steps of the sandbox, whether this machine allows them, and how to allow those it refuses.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe};
use serde::{Deserialize, Serialize};

use super::Mode;

macro_rules! steps {
    ($($(#[$doc:meta])* $step:ident = $what:literal,)*) => {
        /// A step of the sandbox, in the order in which they are taken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Step { $($(#[$doc])* $step,)* }

        impl Step {
            /// All steps, in order.
            pub const ALL: [Self; 16] = [$(Self::$step),*];

            /// Name of the step in messages.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $(Self::$step => $what,)* }
            }
        }
    };
}

steps! {
    /// A user namespace, whose capabilities have no effect outside.
    Users = "user namespace",
    /// A mount namespace, so that mounts do not change the machine.
    Mounts = "mount namespace",
    /// A pid namespace: processes outside can be neither seen nor signalled, and all processes inside end with the
    /// zygote.
    Processes = "pid namespace",
    /// A network namespace in which no interface is up.
    Network = "network namespace",
    /// An IPC namespace, without shared memory and queues of other processes.
    Ipc = "IPC namespace",
    /// A UTS namespace with its own host name.
    HostName = "UTS namespace",
    /// A limit on the number of processes and threads that holds for root, too.
    ProcessLimit = "limit on processes",
    /// A root file system in memory, with read-only bind mounts.
    Files = "root with read-only files",
    /// A `/proc` that shows only the processes of the namespace.
    Proc = "/proc of its own",
    /// `NO_NEW_PRIVS` and locked secure bits: no executed program gains privileges.
    Privileges = "no new privileges",
    /// A seccomp filter that allows only listed system calls.
    SystemCalls = "system-call allow-list",
    /// A mount namespace for each template, with a writable scratch layer that vanishes with it.
    Scratch = "scratch layer for each run",
    /// Resource limits on memory, files, descriptors, CPU time and core dumps.
    Limits = "resource limits",
    /// Landlock rules, which confine access to files once more, signals and abstract sockets.
    Landlock = "Landlock",
    /// No capabilities, not even inside the namespace.
    Capabilities = "no capabilities",
    /// A second filter, which forbids the system calls that only the set-up of the sandbox needed.
    Lock = "set-up calls locked",
}

impl Step {
    /// Whether `--sandbox=strict` requires the step. Landlock is optional because it repeats what the namespaces ensure
    /// and many kernels lack it; `/proc` is optional because a run without its own has none at all.
    #[must_use]
    pub fn is_required(self) -> bool {
        !matches!(self, Self::Landlock | Self::Proc)
    }

    /// Hint that says what to do where the step is refused.
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

/// Result of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The step that was taken.
    pub step: Step,
    /// Why the step was refused or not tried; `None` if it succeeded.
    pub problem: Option<String>,
}

/// Error for a required step that was refused in strict mode; the last finding says which and why.
#[derive(Debug)]
pub(crate) struct Refused;

/// The steps taken so far, with their results.
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

    /// Whether a step was taken and succeeded.
    pub(crate) fn has(&self, step: Step) -> bool {
        let mut found = self.findings.iter().filter(|finding| finding.step == step).peekable();
        found.peek().is_some() && found.all(|finding| finding.problem.is_none())
    }

    /// Records the result of a step.
    pub(crate) fn check(&mut self, step: Step, result: Result<(), impl std::error::Error>) -> Result<(), Refused> {
        self.note(step, result.err().map(|error| error.to_string()))
    }

    /// Takes a step only if the step `ground` succeeded, because it would otherwise affect the machine outside the
    /// sandbox.
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

    /// Drops the results of the rehearsal, before a template takes these steps itself.
    pub(crate) fn forget_rehearsal(&mut self) {
        self.findings.retain(|finding| finding.step < Step::Scratch);
    }
}

/// A rehearsal of the steps of a template in a child process that then ends, so that a machine which refuses a step
/// shows it before the first run. It proceeds while CPython starts.
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
                // SAFETY: ends the child without running exit handlers or destructors of the parent.
                unsafe { libc::_exit(0) }
            }
            Ok(ForkResult::Parent { child }) => Self(Ok((child, read))),
            Err(error) => Self(Err(error.to_string())),
        }
    }

    /// Waits for the end of the rehearsal and records its results.
    pub(crate) fn finish(self, list: &mut Checklist) -> Result<(), Refused> {
        let failed = |problem: String| vec![Finding { step: Step::Scratch, problem: Some(problem) }];
        let findings = match self.0 {
            Ok((child, read)) => {
                let mut text = Vec::new();
                let _as_far_as_it_goes = File::from(read).read_to_end(&mut text);
                let _reaped = waitpid(child, None);
                serde_json::from_slice(&text)
                    .unwrap_or_else(|_| failed("the rehearsal of a run ended early".to_owned()))
            }
            Err(problem) => failed(problem),
        };
        findings.into_iter().try_for_each(|finding| list.note(finding.step, finding.problem))
    }
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

    /// Without its own mount namespace, a mount would change the machine.
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
