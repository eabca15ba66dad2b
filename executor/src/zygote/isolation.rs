//! Keeps what a run does away from the machine: namespaces for the zygote, a private view of the files for each run.
//!
//! This is the first part of the sandbox: user, mount, pid, network and IPC namespaces, a read-only file system
//! whose working folder and `/tmp` take writes that vanish with the run, no capabilities, resource limits. What
//! the kernel refuses is left out and named in a warning.

use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{getgid, getuid};

/// Address space of a worker, the stack of its Python thread included.
const MEMORY_BYTES: u64 = 6 << 30;
/// Largest file a worker may write.
const FILE_BYTES: u64 = 256 << 20;

/// New namespaces for this process and, for the pid namespace, its children. Returns what was refused.
pub(crate) fn enter_namespaces() -> Vec<String> {
    let mut refused = Vec::new();
    let (uid, gid) = (getuid(), getgid());
    match unshare(CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            for (file, text) in [
                ("/proc/self/setgroups", "deny".to_owned()),
                ("/proc/self/uid_map", format!("0 {uid} 1")),
                ("/proc/self/gid_map", format!("0 {gid} 1")),
            ] {
                if let Err(error) = std::fs::write(file, text) {
                    refused.push(format!("{file}: {error}"));
                }
            }
        }
        Err(error) => refused.push(format!("user namespace: {error}")),
    }
    for (flag, what) in [
        (CloneFlags::CLONE_NEWNS, "mount namespace"),
        (CloneFlags::CLONE_NEWPID, "pid namespace"),
        (CloneFlags::CLONE_NEWNET, "network namespace"),
        (CloneFlags::CLONE_NEWIPC, "IPC namespace"),
    ] {
        if let Err(error) = unshare(flag) {
            refused.push(format!("{what}: {error}"));
        }
    }
    refused
}

/// In the zygote, once: nothing that is mounted from here on leaks out, everything else becomes read-only.
pub(crate) fn freeze_files() -> Vec<String> {
    let mut refused = Vec::new();
    let none: Option<&str> = None;
    if let Err(error) = mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none) {
        return vec![format!("private mounts: {error}")];
    }
    if let Err(error) = mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), none) {
        refused.push(format!("/proc: {error}"));
    }
    if let Err(error) = read_only_tree() {
        refused.push(format!("read-only files: {error}"));
    }
    refused
}

/// `mount_setattr(2)`, recursively.
fn read_only_tree() -> nix::Result<()> {
    #[repr(C)]
    struct MountAttributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    const AT_RECURSIVE: libc::c_int = 0x8000;
    const MOUNT_ATTR_RDONLY: u64 = 1;
    let attributes = MountAttributes { set: MOUNT_ATTR_RDONLY, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: the arguments are as in mount_setattr(2); the kernel only reads them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            c"/".as_ptr(),
            AT_RECURSIVE,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    nix::errno::Errno::result(result).map(drop)
}

/// In the worker: a scratch layer over the working folder and `/tmp`, gone with the worker's mount namespace.
pub(crate) fn enter_run(folder: &Path) {
    if unshare(CloneFlags::CLONE_NEWNS).is_ok() {
        let none: Option<&str> = None;
        let scratch = "/dev/shm";
        if mount(Some("tmpfs"), scratch, Some("tmpfs"), MsFlags::empty(), Some("size=512m")).is_ok() {
            for (number, target) in [Path::new("/tmp"), folder].into_iter().enumerate() {
                if number == 1 && target.starts_with("/tmp") {
                    continue;
                }
                overlay(scratch, number, target);
            }
            // What the layers stand on is not for the program to see.
            let hidden = mount(Some("tmpfs"), scratch, Some("tmpfs"), MsFlags::empty(), none);
            if hidden.is_err() {
                let _best_effort = umount2(scratch, MntFlags::MNT_DETACH);
            }
        }
        let _gone_otherwise = std::env::set_current_dir(folder);
    }
    limit();
    drop_capabilities();
}

fn overlay(scratch: &str, number: usize, target: &Path) {
    let (upper, work) = (format!("{scratch}/upper{number}"), format!("{scratch}/work{number}"));
    if std::fs::create_dir(&upper).is_err() || std::fs::create_dir(&work).is_err() {
        return;
    }
    let lower = target.display().to_string();
    if lower.contains([',', ':', '\\']) || lower == "/" {
        return;
    }
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    // Without overlays the folder stays read-only; writes then fail and are answered like other missing files.
    let _read_only = mount(Some("overlay"), target, Some("overlay"), MsFlags::empty(), Some(options.as_str()));
}

fn limit() {
    for (resource, value) in [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_FSIZE, FILE_BYTES),
        (Resource::RLIMIT_AS, MEMORY_BYTES),
        (Resource::RLIMIT_NOFILE, 256),
    ] {
        let _best_effort = setrlimit(resource, value, value);
    }
}

fn drop_capabilities() {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: libc::c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: VERSION_3, pid: 0 };
    let empty = [0u32; 6];
    // SAFETY: capset(2) reads a header and two data structures of three words.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::syscall(libc::SYS_capset, &raw const header, empty.as_ptr());
    }
}

/// Dies with the process that made this one.
pub(crate) fn die_with_parent() {
    // SAFETY: prctl(2) with constant arguments.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
}
