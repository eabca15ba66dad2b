//! The sandbox of guided runs: an ordered checklist.
//!
//! ```text
//! launcher     1 users 2 mounts 3 processes 4 network 5 ipc 6 host-name           once, before the zygote is forked
//! zygote       7 process-limit 8 files 9 proc 10 privileges 11 system-calls       once, before CPython starts
//! worker      12 scratch 13 limits 14 landlock 15 capabilities 16 lock             in each run
//! ```
//! What every run shares is done once and inherited by fork; a run pays only for its own scratch layer and for what
//! cannot be undone by whoever comes after it. `docs/sandbox.md` lists the steps in this order, with reasons.

mod capabilities;
mod checklist;
mod landlock;
mod limits;
mod namespaces;
mod processes;
mod root;
mod scratch;
mod syscalls;
mod view;

pub(crate) use checklist::{Checklist, Refused, Rehearsal};
pub use checklist::{Finding, Step};
pub(crate) use namespaces::die_with_parent;
pub(crate) use processes::ControlGroup;
pub(crate) use view::View;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Memory that a program may take on top of the interpreter's, unless told otherwise.
pub const DEFAULT_MEMORY: u64 = 4 << 30;

/// What to do where the kernel refuses a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Mode {
    /// Stop, and say which step and what to do.
    #[default]
    Strict,
    /// Go on without it, with a warning.
    BestEffort,
    /// No sandbox: the program runs with all rights of the user.
    Off,
}

/// What a zygote is to allow its runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sandbox {
    /// What to do where the kernel refuses a step.
    pub mode: Mode,
    /// Folders that a run may read, and write for itself: the working folder first, then the script's.
    pub folders: Vec<PathBuf>,
    /// Files and folders that it may read.
    pub readable: Vec<PathBuf>,
    /// Bytes of memory that a process of it may take on top of the interpreter's.
    pub memory: u64,
    /// The user's home: neither it nor a folder around it is shown, whatever the working folder is.
    pub home: Option<PathBuf>,
    /// CPU seconds of each process; the deadline of the parent comes first as a rule.
    pub cpu_seconds: u64,
}

impl Default for Sandbox {
    /// The strict sandbox around the working folder.
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            folders: std::env::current_dir().into_iter().collect(),
            readable: Vec::new(),
            home: std::env::home_dir(),
            memory: DEFAULT_MEMORY,
            cpu_seconds: 24 * 3600,
        }
    }
}

/// Steps 1 to 6, in the launcher, and the control group of step 7, if one is needed.
pub(crate) fn enter_namespaces(list: &mut Checklist, view: &View) -> Result<Option<ControlGroup>, Refused> {
    list.check(Step::Users, namespaces::users())?;
    list.check(Step::Mounts, namespaces::mounts())?;
    list.check(Step::Processes, namespaces::processes())?;
    list.check(Step::Network, namespaces::network())?;
    list.check(Step::Ipc, namespaces::ipc())?;
    list.check(Step::HostName, namespaces::host_name())?;
    Ok(if view.is_root && list.has(Step::Processes) { ControlGroup::new() } else { None })
}

/// Steps 7 to 11, in the zygote; a rehearsal of the others begins in a child.
pub(crate) fn close(list: &mut Checklist, view: &View, group: Option<&ControlGroup>) -> Result<Rehearsal, Refused> {
    list.check_after(Step::Processes, Step::ProcessLimit, || processes::limit(view.is_root, group))?;
    list.check_after(Step::Mounts, Step::Files, || root::build(view))?;
    list.check_after(Step::Files, Step::Proc, root::show_processes)?;
    if list.has(Step::Files) {
        list.check(Step::Files, root::seal())?;
    }
    list.check(Step::Privileges, capabilities::renounce())?;
    list.check(Step::SystemCalls, syscalls::allow_list())?;
    Ok(Rehearsal::start(list, |list| enter_run(list, view)))
}

/// Steps 12 to 16, in the worker.
pub(crate) fn enter_run(list: &mut Checklist, view: &View) -> Result<(), Refused> {
    list.check_after(Step::Files, Step::Scratch, || scratch::lay(view))?;
    list.check(Step::Limits, limits::set(view))?;
    list.check(Step::Landlock, landlock::restrict(view, list.has(Step::Scratch), list.has(Step::Network)))?;
    list.check(Step::Capabilities, capabilities::drop_all())?;
    list.check(Step::Lock, syscalls::lock())
}
