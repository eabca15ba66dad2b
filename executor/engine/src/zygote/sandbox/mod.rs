//! The sandbox of guided runs: an ordered checklist.
//!
//! ```text
//! launcher     1 users 2 mounts 3 processes 4 network 5 ipc 6 host-name           once, before the zygote is forked
//! zygote       7 process-limit 8 files 9 proc 10 privileges 11 system-calls       once, before CPython starts
//! template    12 scratch 13 limits 14 landlock 15 capabilities 16 lock             once for each program
//! ```
//! Steps that all programs share are taken once and inherited by fork. A template itself takes only the steps that give
//! it a scratch layer of its own, or that cannot be undone later. Its runs inherit them as well, and are separated from
//! the template itself ([`Confinement::enter_fork`]). `docs/sandbox.md` lists all steps in this order, with reasons.

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
pub(crate) use scratch::Scratch;
pub(crate) use view::View;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Default memory limit of a program, in bytes, in addition to the interpreter's own memory.
pub const DEFAULT_MEMORY: u64 = 4 << 30;

/// What to do if the kernel refuses a step (`--sandbox`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Mode {
    /// Stop with an error that names the step and how to allow it.
    #[default]
    Strict,
    /// Continue without the step, with a warning.
    BestEffort,
    /// Use no sandbox: the program runs with all rights of the user.
    Off,
}

/// What a zygote allows its runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// What to do if the kernel refuses a step.
    pub mode: Mode,
    /// Folders that a run may read, and write in its scratch layer: the working folder first, then the script's.
    pub folders: Vec<PathBuf>,
    /// Other files and folders that a run may read.
    pub readable: Vec<PathBuf>,
    /// Memory limit of each process of a run, in bytes, in addition to the interpreter's own memory.
    pub memory: u64,
    /// The user's home: neither it nor a folder that contains it is shown, whatever the working folder is.
    pub home: Option<PathBuf>,
    /// Limit of CPU time of each process, in seconds; usually the parent's deadline ends a run earlier.
    pub cpu_seconds: u64,
}

impl Default for Sandbox {
    /// The strict sandbox that shows the working folder.
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

/// Takes steps 1 to 6, in the launcher, and creates the control group of step 7 if one is needed.
pub(crate) fn enter_namespaces(list: &mut Checklist, view: &View) -> Result<Option<ControlGroup>, Refused> {
    list.check(Step::Users, namespaces::users())?;
    list.check(Step::Mounts, namespaces::mounts())?;
    list.check(Step::Processes, namespaces::processes())?;
    list.check(Step::Network, namespaces::network())?;
    list.check(Step::Ipc, namespaces::ipc())?;
    list.check(Step::HostName, namespaces::host_name())?;
    Ok(if view.is_root && list.has(Step::Processes) { ControlGroup::new() } else { None })
}

/// Takes steps 7 to 11, in the zygote, and starts a rehearsal of the other steps in a child process.
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

/// Takes steps 12 to 16, in a template.
pub(crate) fn enter_run(list: &mut Checklist, view: &View) -> Result<(), Refused> {
    list.check_after(Step::Files, Step::Scratch, || scratch::lay(view))?;
    list.check(Step::Limits, limits::set(view))?;
    list.check(Step::Landlock, landlock::restrict(view, list.has(Step::Scratch), list.has(Step::Network)))?;
    list.check(Step::Capabilities, capabilities::drop_all())?;
    list.check(Step::Lock, syscalls::lock())
}

/// How a template, and then each of its runs, is confined.
pub(crate) struct Confinement {
    pub(crate) list: Checklist,
    /// Files that runs see; `None` without a sandbox.
    view: Option<View>,
}

impl Confinement {
    pub(crate) fn new(list: Checklist, view: Option<View>) -> Self {
        Self { list, view }
    }

    /// Takes the steps of a template, which have succeeded in the rehearsal.
    ///
    /// # Errors
    /// If a step is refused nevertheless; the text says which.
    pub(crate) fn enter(&self) -> Result<(), String> {
        let Some(view) = &self.view else {
            return Ok(());
        };
        let mut list = self.list.clone();
        list.forget_rehearsal();
        enter_run(&mut list, view).map_err(|_| match list.findings().last() {
            Some(Finding { step, problem: Some(problem) }) => format!("the sandbox failed: {}: {problem}", step.what()),
            _ => "the sandbox failed".to_owned(),
        })
    }

    /// Hides a template from its runs, which can neither inspect it nor see it in `/proc`.
    pub(crate) fn hide(&self) {
        if self.view.is_some() {
            capabilities::set_visible(false);
        }
    }

    /// Confines a run to its own processes, so that above all its template is out of reach.
    pub(crate) fn enter_fork(&self) {
        if self.view.is_some() {
            capabilities::set_visible(true);
            if self.list.has(Step::Landlock) {
                landlock::keep_to_own();
            }
        }
    }
}
