//! Step 12: what a run may write, gone with its mount namespace.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{Mode, umask};
use nix::unistd::chdir;

use super::root;
use super::view::{TEMPORARY, View};

/// Memory that files of a run may take, and how many there may be.
const SIZE: &str = "mode=755,size=256m,nr_inodes=65536";
/// The same, where only [`TEMPORARY`] and `/dev/shm` can be written.
const SIZE_TEMPORARY: &str = "mode=1777,size=224m,nr_inodes=61440";
const SIZE_SHARED: &str = "mode=1777,size=32m,nr_inodes=4096";
const SHARED: &str = "/dev/shm";
const NONE: Option<&str> = None;

/// Why there is no scratch layer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScratchError {
    #[error("unshare of the run's mount namespace: {0}")]
    Unshare(Errno),
    #[error("scratch space in memory: {0}")]
    Memory(Errno),
    #[error("making `{path}`: {source}")]
    Make { path: PathBuf, source: io::Error },
    #[error("a scratch layer over `{path}`: {source}")]
    Layer { path: PathBuf, source: Errno },
    #[error("hiding the scratch space: {0}")]
    Hide(Errno),
    #[error("entering `{path}`: {source}")]
    Enter { path: PathBuf, source: Errno },
}

pub(super) fn lay(view: &View) -> Result<(), ScratchError> {
    unshare(CloneFlags::CLONE_NEWNS).map_err(ScratchError::Unshare)?;
    if view.layers.is_empty() {
        // Nothing is behind: no detour, and no waiting until the kernel has let go of it.
        memory(Path::new(TEMPORARY), SIZE_TEMPORARY)?;
        memory(Path::new(SHARED), SIZE_SHARED)?;
        return enter(view);
    }
    let scratch = root::scratch();
    memory(&scratch, SIZE)?;
    for (name, target) in [("tmp", TEMPORARY), ("shm", SHARED)] {
        let source = make(scratch.join(name), 0o1777)?;
        bind(&source, Path::new(target))?;
    }
    for (number, target) in view.layers.iter().map(|layer| layer.target.as_path()).enumerate() {
        let lower = root::lower(number);
        if lower.is_dir() {
            if target.starts_with(TEMPORARY) {
                std::fs::create_dir_all(target)
                    .map_err(|source| ScratchError::Make { path: target.to_owned(), source })?;
            }
            overlay(&scratch, number, target)?;
        } else if lower.exists() {
            let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(target, ""))
                .map_err(|source| ScratchError::Make { path: target.to_owned(), source })?;
            bind(&lower, target)?;
        }
    }
    // The layers keep it. Seen by the run, a socket of the machine's in the working folder could be connected to there.
    umount2(root::BEHIND, MntFlags::MNT_DETACH).map_err(ScratchError::Hide)?;
    enter(view)
}

fn memory(target: &Path, options: &str) -> Result<(), ScratchError> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("scratch"), target, Some("tmpfs"), flags, Some(options)).map_err(ScratchError::Memory)
}

fn enter(view: &View) -> Result<(), ScratchError> {
    let folder = view.folder();
    chdir(folder).map_err(|source| ScratchError::Enter { path: folder.to_owned(), source })
}

fn overlay(scratch: &Path, number: usize, target: &Path) -> Result<(), ScratchError> {
    let upper = make(scratch.join(format!("upper{number}")), 0o755)?;
    let work = make(scratch.join(format!("work{number}")), 0o755)?;
    let lower = root::lower(number);
    let options =
        format!("lowerdir={},upperdir={},workdir={},userxattr", lower.display(), upper.display(), work.display());
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("overlay"), target, Some("overlay"), flags, Some(options.as_str())).map_err(|source| {
        // Readable at least, where the user accepts that.
        let _told_as_refused = bind(&lower, target);
        ScratchError::Layer { path: target.to_owned(), source }
    })
}

fn bind(source: &Path, target: &Path) -> Result<(), ScratchError> {
    mount(Some(source), target, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)
        .map_err(|source| ScratchError::Layer { path: target.to_owned(), source })
}

fn make(path: PathBuf, mode: u32) -> Result<PathBuf, ScratchError> {
    use std::os::unix::fs::DirBuilderExt;
    let own = umask(Mode::empty());
    let made = std::fs::DirBuilder::new().mode(mode).create(&path);
    umask(own);
    match made {
        Ok(()) => Ok(path),
        Err(source) => Err(ScratchError::Make { path, source }),
    }
}
