//! Step 7: a limit on the number of processes and threads.
//!
//! `RLIMIT_NPROC` (see `limits`) is enough for ordinary users, but the kernel exempts root. For root the pid namespace
//! itself is limited (`kernel.pid_max` belongs to it since Linux 6.14), or a control group is, where one can be made.

use std::io;
use std::path::{Path, PathBuf};

use nix::sys::utsname::uname;

/// Processes and threads of a zygote's runs.
pub(super) const PROCESSES: u64 = 256;
/// The kernel never reuses the numbers below this.
const RESERVED_NUMBERS: u64 = 300;
/// The first kernel where `kernel.pid_max` is the namespace's own. Before, writing it would change the machine's.
const OWN_PID_MAX: (u32, u32) = (6, 14);
const LAST_PID: &str = "/proc/sys/kernel/ns_last_pid";
const PID_MAX: &str = "/proc/sys/kernel/pid_max";

/// Why processes are not limited.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessLimitError {
    #[error("root is exempt from RLIMIT_NPROC, Linux is older than 6.14, and no pids control group can be made")]
    NothingHolds,
    #[error("{path}: {source}")]
    Write { path: PathBuf, source: io::Error },
}

/// Whether the kernel takes this user for root: exempt from limits. To be asked before entering a user namespace,
/// where the answer would be about the namespace around it.
pub(super) fn is_root() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mapped = map.lines().find_map(|line| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
        let (inside, outside, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let own = u64::from(nix::unistd::getuid().as_raw()).checked_sub(inside)?;
        (own < count).then_some(outside + own)
    });
    mapped.unwrap_or(0) == 0
}

/// In the zygote, which is process 1 of its namespace.
pub(super) fn limit(is_root: bool, group: Option<&ControlGroup>) -> Result<(), ProcessLimitError> {
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|source| ProcessLimitError::Write { path: path.to_owned(), source })
    };
    if let Some(group) = group {
        return write(&group.folder.join("cgroup.procs"), "0");
    }
    if !is_root {
        return Ok(());
    }
    if kernel().is_none_or(|version| version < OWN_PID_MAX) {
        return Err(ProcessLimitError::NothingHolds);
    }
    write(Path::new(PID_MAX), &(RESERVED_NUMBERS + PROCESSES).to_string())?;
    // The first round would use the reserved numbers too.
    let _twice_as_many_otherwise = std::fs::write(LAST_PID, (RESERVED_NUMBERS - 1).to_string());
    Ok(())
}

fn kernel() -> Option<(u32, u32)> {
    let name = uname().ok()?;
    let mut parts = name.release().to_str()?.split(['.', '-']).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// A control group with a limit on processes, for root on kernels before 6.14. It outlives its processes, none of which
/// could remove it (they are killed), and is removed by the next one that is made beside it.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// `None` where it is not needed or cannot be made.
    pub(super) fn new() -> Option<Self> {
        if kernel().is_some_and(|version| version >= OWN_PID_MAX) {
            return None;
        }
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            // Version 2 has one line without controllers, version 1 one for each of them.
            let mount = match controllers {
                "" => "/sys/fs/cgroup",
                "pids" => "/sys/fs/cgroup/pids",
                _ => return None,
            };
            Self::below(&Path::new(mount).join(path.trim_start_matches('/')))
        })
    }

    fn below(parent: &Path) -> Option<Self> {
        for entry in std::fs::read_dir(parent).ok()?.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(b"surmise-") {
                // Refused while anybody is in it.
                let _in_use = std::fs::remove_dir(entry.path());
            }
        }
        let folder = parent.join(format!("surmise-{}", std::process::id()));
        std::fs::create_dir(&folder).ok()?;
        if std::fs::write(folder.join("pids.max"), PROCESSES.to_string()).is_err() {
            let _the_next_one_does = std::fs::remove_dir(&folder);
            return None;
        }
        Some(Self { folder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_kernel_has_a_version() {
        assert!(kernel().is_some_and(|(major, _)| major >= 3));
    }

    #[test]
    fn a_control_group_has_a_limit_and_replaces_what_was_left() {
        let parent = tempfile::tempdir().expect("a folder");
        let left = parent.path().join("surmise-1");
        std::fs::create_dir(&left).expect("a folder");
        let group = ControlGroup::below(parent.path()).expect("a folder can be made");
        assert!(!left.exists());
        let limit = std::fs::read_to_string(group.folder.join("pids.max"));
        assert_eq!(limit.ok(), Some(PROCESSES.to_string()));
    }

    #[test]
    fn a_control_group_that_cannot_be_made_is_none() {
        assert!(ControlGroup::below(Path::new("/proc/self")).is_none());
    }
}
