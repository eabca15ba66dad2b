//! Step 12: the scratch layer, which holds what runs write. It vanishes with the mount namespace of their template, and
//! is cleared between the runs of a template.

use std::ffi::CString;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::{Mode, umask};
use nix::sys::statvfs::statvfs;
use nix::unistd::chdir;

use super::view::{TEMPORARY, View};
use super::{Confinement, Step, root};

/// Limits of the memory that files of a run may take, and of their number.
const SIZE: &str = "mode=755,size=256m,nr_inodes=65536";
/// Limits for a run that can write only below [`TEMPORARY`] and `/dev/shm`.
const SIZE_TEMPORARY: &str = "mode=1777,size=224m,nr_inodes=61440";
const SIZE_SHARED: &str = "mode=1777,size=32m,nr_inodes=4096";
const SHARED: &str = "/dev/shm";
const NONE: Option<&str> = None;

/// Why the scratch layer could not be made.
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
        // Without layers nothing has to be hidden and detached, which saves the time that the kernel needs for it.
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
    // The layers keep what they need of it. If the run saw it, it could connect to sockets of the machine in the
    // working folder.
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
        // At least readable, if the user accepts a refused step.
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

/// State of the writable folders as a template and each of its runs find it, so that runs start alike.
pub(crate) struct Scratch {
    /// Mounts in memory: their path, and numbers of free files and blocks.
    spaces: Vec<(PathBuf, (u64, u64))>,
    folders: Vec<Folder>,
}

/// A folder that exists before the first run.
struct Folder {
    path: PathBuf,
    mode: u32,
    modified: SystemTime,
    attributes: isize,
}

impl Scratch {
    /// Limits of the number and depth of files that are removed between two runs; beyond them a new template is made.
    const FEW: usize = 2000;
    const DEPTH: usize = 16;

    /// Records the state before the first run.
    pub(crate) fn observe(confinement: &Confinement) -> io::Result<Self> {
        let mut scratch = Self { spaces: Vec::new(), folders: Vec::new() };
        let Some(view) = confinement.view.as_ref().filter(|_| confinement.list.has(Step::Scratch)) else {
            return Ok(scratch);
        };
        for path in [TEMPORARY, SHARED].map(PathBuf::from) {
            scratch.spaces.push((path.clone(), free(&path)?));
            scratch.folders.push(Folder::observe(path)?);
        }
        for target in view.layers.iter().map(|layer| &layer.target).filter(|target| target.is_dir()) {
            for path in target.ancestors().take_while(|path| *path != Path::new(TEMPORARY)) {
                // Folders that contain a layer belong to the read-only root, or lie in memory below `/tmp`.
                if path == target || path.starts_with(TEMPORARY) {
                    scratch.folders.push(Folder::observe(path.to_owned())?);
                }
            }
        }
        Ok(scratch)
    }

    /// Removes what a run wrote, and returns whether the recorded state is restored. No other process may be writing.
    pub(crate) fn is_clean(&self) -> bool {
        let mut few = Self::FEW;
        (self.is_empty() || self.spaces.iter().all(|(path, _)| self.clear(path, Self::DEPTH, &mut few).is_ok()))
            && self.is_empty()
            && self.folders.iter().all(|folder| folder.restore().is_ok_and(|whole| whole))
    }

    /// Whether the mounts in memory have no more files and blocks than before; layers over folders lie in the same
    /// memory.
    pub(crate) fn is_empty(&self) -> bool {
        self.spaces.iter().all(|(path, before)| free(path).is_ok_and(|now| now == *before))
    }

    fn clear(&self, folder: &Path, depth: usize, few: &mut usize) -> io::Result<()> {
        let too_much = || io::Error::from(io::ErrorKind::StorageFull);
        let depth = depth.checked_sub(1).ok_or_else(too_much)?;
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if self.folders.iter().any(|folder| folder.path == path) {
                // Folders that contain a layer are kept; the layer itself has nothing that could be removed from
                // outside.
                if self.folders.iter().any(|folder| folder.path != path && folder.path.starts_with(&path)) {
                    self.clear(&path, depth, few)?;
                }
                continue;
            }
            *few = few.checked_sub(1).ok_or_else(too_much)?;
            if std::fs::symlink_metadata(&path)?.is_dir() {
                std::fs::set_permissions(&path, Permissions::from_mode(0o700))?;
                self.clear(&path, depth, few)?;
                std::fs::remove_dir(&path)?;
            } else {
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

impl Folder {
    fn observe(path: PathBuf) -> io::Result<Self> {
        let data = path.metadata()?;
        let attributes = attributes(&path);
        Ok(Self { mode: data.mode(), modified: data.modified()?, attributes, path })
    }

    /// Restores mode and times of the folder, and returns whether its extended attributes are unchanged.
    fn restore(&self) -> io::Result<bool> {
        let data = self.path.metadata()?;
        if data.mode() != self.mode {
            std::fs::set_permissions(&self.path, Permissions::from_mode(self.mode & 0o7777))?;
        }
        if data.modified()? != self.modified {
            File::open(&self.path)?.set_modified(self.modified)?;
        }
        Ok(attributes(&self.path) == self.attributes)
    }
}

fn free(path: &Path) -> io::Result<(u64, u64)> {
    let now = statvfs(path)?;
    Ok((now.files_free(), now.blocks_free()))
}

/// Length of the list of a file's extended attributes, in bytes.
fn attributes(path: &Path) -> isize {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return -1 };
    // SAFETY: with a size of 0 the call only returns the length.
    unsafe { libc::listxattr(path.as_ptr(), std::ptr::null_mut(), 0) }
}
