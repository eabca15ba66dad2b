//! Step 7: a limit on the number of processes and threads.
//!
//! `RLIMIT_NPROC` (see `limits`) is enough for ordinary users, but the kernel exempts root. For root the limit is on
//! the pid namespace itself, whose own `kernel.pid_max` can be set since Linux 6.14, or on a control group where one
//! can be created.

use std::io;
use std::path::{Path, PathBuf};

use nix::sys::utsname::uname;

/// Maximum number of processes and threads of all runs of a zygote.
pub(super) const PROCESSES: u64 = 256;
/// Process ids below this one are never reused by the kernel.
const RESERVED_NUMBERS: u64 = 300;
/// First kernel version in which each pid namespace has its own `kernel.pid_max`; on older kernels writing it would
/// change the machine.
const OWN_PID_MAX: (u32, u32) = (6, 14);
const LAST_PID: &str = "/proc/sys/kernel/ns_last_pid";
const PID_MAX: &str = "/proc/sys/kernel/pid_max";

/// Why the number of processes could not be limited.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessLimitError {
    #[error("root is exempt from RLIMIT_NPROC, Linux is older than 6.14, and no pids control group can be made")]
    NothingHolds,
    #[error("{path}: {source}")]
    Write { path: PathBuf, source: io::Error },
}

/// Whether the kernel takes this user for root, who is exempt from limits. Must be called before entering a user
/// namespace, inside of which `uid_map` describes the surrounding namespace.
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

/// Limits the number of processes; called in the zygote, which is process 1 of its namespace.
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
    // Until process ids wrap around, the reserved ones would be available in addition.
    let _twice_as_many_otherwise = std::fs::write(LAST_PID, (RESERVED_NUMBERS - 1).to_string());
    Ok(())
}

fn kernel() -> Option<(u32, u32)> {
    let name = uname().ok()?;
    let mut parts = name.release().to_str()?.split(['.', '-']).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// A control group with a limit on processes, for root on kernels before 6.14. Its processes are killed and cannot
/// remove it, so the next group that is created beside it does.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// Creates a control group; `None` if it is not needed or cannot be created.
    pub(super) fn new() -> Option<Self> {
        if kernel().is_some_and(|version| version >= OWN_PID_MAX) {
            return None;
        }
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        own.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            // Control groups version 2 have one line without controllers, version 1 one line for each controller.
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
                // Refused by the kernel while the group has processes.
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
