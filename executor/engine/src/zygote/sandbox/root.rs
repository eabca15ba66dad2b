//! Steps 8 and 9: a root file system in memory, with read-only bind mounts and its own `/proc`.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, chroot, getgid, getuid, pivot_root};

use super::view::View;

/// Mount point of the machine's files while the root is built.
const OLD: &str = "/.old";
/// Folder that is hidden from runs: it holds the folders below their scratch layers, and the mounts of these layers.
pub(super) const BEHIND: &str = "/.surmise";
/// Names of the only devices, none of which reaches hardware.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
const NONE: Option<&str> = None;

/// Why the root could not be built.
#[derive(Debug, thiserror::Error)]
pub(super) enum RootError {
    #[error("making mounts private: {0}")]
    Private(Errno),
    #[error("making `{path}` read-only: {source}")]
    ReadOnly { path: PathBuf, source: Errno },
    #[error("a root in memory: {0}")]
    Memory(Errno),
    #[error("pivot_root: {0}")]
    Pivot(Errno),
    #[error("binding `{path}`: {source}")]
    Bind { path: PathBuf, source: Errno },
    #[error("making `{path}`: {source}")]
    Make { path: PathBuf, source: io::Error },
    #[error("mounting /proc: {0}")]
    Proc(Errno),
    #[error("leaving the machine's files: {0}")]
    Leave(Errno),
}

/// Builds the root and changes to it. The machine's files stay visible at [`OLD`] until [`seal`].
pub(super) fn build(view: &View) -> Result<(), RootError> {
    // Mounts made from here on do not propagate to the machine.
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE).map_err(RootError::Private)?;
    // A descriptor or link that still leads to the machine's files (`/proc/self/exe`) finds them read-only.
    read_only(Path::new("/"), AT_RECURSIVE, 0)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let base = "/tmp";
    mount(Some("root"), base, Some("tmpfs"), flags, Some("mode=755,size=1m")).map_err(RootError::Memory)?;
    make_folder(&Path::new(base).join(&OLD[1..]))?;
    let into = Path::new(base).join(&OLD[1..]);
    pivot_root(base, &into).and_then(|()| chdir("/")).map_err(RootError::Pivot)?;
    fill(view).inspect_err(|_| {
        // Without the new root, continue in the machine's.
        let _neither_way = chroot(OLD).and_then(|()| chdir("/"));
    })
}

fn fill(view: &View) -> Result<(), RootError> {
    let old = |path: &Path| Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path));
    for folder in ["/tmp", "/dev", "/dev/shm", "/proc", "/etc"] {
        make_folder(Path::new(folder))?;
    }
    if !view.layers.is_empty() {
        make_folder(Path::new(BEHIND))?;
        // A mount of its own, so that each run can detach all of it at once.
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        mount(Some("behind"), BEHIND, Some("tmpfs"), flags, Some("mode=700,size=64k")).map_err(RootError::Memory)?;
        make_folder(&scratch())?;
    }
    for bind in &view.binds {
        // It may already be visible as part of a folder that contains it.
        if !bind.target.exists() {
            show(&old(&bind.source), &bind.target)?;
        }
    }
    for (number, layer) in view.layers.iter().enumerate() {
        show(&old(&layer.source), &lower(number))?;
        if !layer.target.starts_with(super::view::TEMPORARY) && old(&layer.source).is_dir() {
            make_folder(&layer.target)?;
        }
    }
    for folder in &view.empty {
        make_folder(folder)?;
    }
    for (name, to) in &view.links {
        make_parent(name)?;
        symlink(to, name).or_else(exists).map_err(|source| RootError::Make { path: name.clone(), source })?;
    }
    for device in DEVICES {
        let path = Path::new("/dev").join(device);
        bind(&old(&path), &path)?;
        // Not `nodev`, which would disable the devices.
        read_only(&path, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)?;
    }
    for (name, to) in [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")] {
        let path = Path::new("/dev").join(name);
        symlink(format!("/proc/self/fd{to}"), &path).map_err(|source| RootError::Make { path, source })?;
    }
    write_settings()
}

/// Writes `/etc` files with a single user, whose home is `/tmp`, and with the sandbox's host name.
fn write_settings() -> Result<(), RootError> {
    let (uid, gid) = (getuid(), getgid());
    for (path, text) in [
        ("/etc/passwd", format!("user:x:{uid}:{gid}:user:/tmp:/bin/sh\n")),
        ("/etc/group", format!("user:x:{gid}:\n")),
        ("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
    ] {
        std::fs::write(path, text).map_err(|source| RootError::Make { path: path.into(), source })?;
    }
    Ok(())
}

/// Mounts a `/proc` with only those processes of the namespace that may be inspected, and no other kernel files, so
/// that not even root finds settings of the machine there. The kernel allows this only while the machine's own `/proc`
/// is visible.
pub(super) fn show_processes() -> Result<(), RootError> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY;
    let options = Some("subset=pid,hidepid=ptraceable");
    mount(Some("proc"), "/proc", Some("proc"), flags, options).map_err(RootError::Proc)
}

/// Detaches the machine's files, for good.
pub(super) fn seal() -> Result<(), RootError> {
    umount2(OLD, MntFlags::MNT_DETACH).map_err(RootError::Leave)?;
    std::fs::remove_dir(OLD).map_err(|source| RootError::Make { path: OLD.into(), source })?;
    read_only(Path::new("/"), 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
}

/// Mount point of the scratch layers of a run.
pub(super) fn scratch() -> PathBuf {
    Path::new(BEHIND).join("scratch")
}

/// Folder below a scratch layer.
pub(super) fn lower(number: usize) -> PathBuf {
    Path::new(BEHIND).join(number.to_string())
}

fn show(source: &Path, target: &Path) -> Result<(), RootError> {
    if !source.exists() {
        return Ok(());
    }
    bind(source, target)?;
    read_only(target, AT_RECURSIVE, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
}

fn bind(source: &Path, target: &Path) -> Result<(), RootError> {
    if source.is_dir() {
        make_folder(target)?;
    } else {
        make_parent(target)?;
        std::fs::write(target, "").map_err(|source| RootError::Make { path: target.to_owned(), source })?;
    }
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(source), target, NONE, flags, NONE).map_err(|source| RootError::Bind { path: target.to_owned(), source })
}

fn make_folder(path: &Path) -> Result<(), RootError> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o755).create(path);
    made.map_err(|source| RootError::Make { path: path.to_owned(), source })
}

fn make_parent(path: &Path) -> Result<(), RootError> {
    path.parent().map_or(Ok(()), make_folder)
}

fn exists(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
}

const AT_RECURSIVE: libc::c_int = 0x8000;
const MOUNT_ATTR_RDONLY: u64 = 1;
const MOUNT_ATTR_NOSUID: u64 = 2;
const MOUNT_ATTR_NODEV: u64 = 4;
const MOUNT_ATTR_NOEXEC: u64 = 8;

/// Makes mounts read-only by `mount_setattr(2)`, which unlike a remount reaches the mounts below and keeps other flags.
fn read_only(path: &Path, how: libc::c_int, more: u64) -> Result<(), RootError> {
    use std::os::unix::ffi::OsStrExt;
    #[repr(C)]
    struct MountAttributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes = MountAttributes { set: MOUNT_ATTR_RDONLY | more, clear: 0, propagation: 0, user_namespace: 0 };
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    // SAFETY: the arguments are as in mount_setattr(2); the kernel only reads them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            name.as_ptr(),
            how,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    Errno::result(result).map(drop).map_err(|source| RootError::ReadOnly { path: path.to_owned(), source })
}
