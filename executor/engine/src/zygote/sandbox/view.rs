//! Which files of the machine a run sees, and where; decided in the launcher, to which they are still visible.

use std::path::{Component, Path, PathBuf};

use nix::unistd::{Uid, User};

use super::{Sandbox, processes};
use crate::host;

/// Folders of the dynamic loader, shared libraries and commands; those that are links on the machine become links.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];
/// Files in `/etc` that the C library and Python read: the loader's cache, the time zone, well-known ports and types,
/// and Debian's links to commands. User names, keys and settings of programs are not shown.
const SETTINGS: [&str; 9] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/services",
    "/etc/protocols",
    "/etc/mime.types",
    "/etc/alternatives",
];
/// Folders of the kernel, which are never shown.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// Folder for temporary files, of which each run has its own.
pub(super) const TEMPORARY: &str = "/tmp";

/// A file or folder of the machine, and its path in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    /// Path on the machine, without links.
    pub(super) source: PathBuf,
    pub(super) target: PathBuf,
}

/// The files that a run sees, and its limits.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Read-only bind mounts; a folder comes before the folders inside it.
    pub(super) binds: Vec<Bind>,
    /// Symbolic links in the root: their path and target.
    pub(super) links: Vec<(PathBuf, PathBuf)>,
    /// Mounts made in each run: folders with a scratch layer, and everything below `/tmp`.
    pub(super) layers: Vec<Bind>,
    /// Working folders whose content is not shown, and which are created empty.
    pub(super) empty: Vec<PathBuf>,
    folder: PathBuf,
    pub(super) memory: u64,
    pub(super) cpu_seconds: u64,
    /// Whether the user is root, whom the kernel exempts from limits.
    pub(super) is_root: bool,
}

impl View {
    pub(crate) fn gather(sandbox: &Sandbox) -> Self {
        let mut view = Self {
            binds: Vec::new(),
            links: Vec::new(),
            layers: Vec::new(),
            empty: Vec::new(),
            folder: sandbox.folders.first().filter(|folder| !is_kernel(folder)).cloned().unwrap_or_else(|| "/".into()),
            memory: sandbox.memory,
            cpu_seconds: sandbox.cpu_seconds,
            is_root: processes::is_root(),
        };
        for path in SYSTEM.iter().chain(&SETTINGS).map(Path::new) {
            match std::fs::read_link(path) {
                Ok(to) => view.links.push((path.to_owned(), to)),
                Err(_) => view.show(path),
            }
        }
        if !host::python_home().as_os_str().is_empty() {
            view.show(host::python_home());
        }
        for path in &sandbox.readable {
            view.show(path);
        }
        let homes = homes(sandbox);
        for folder in &sandbox.folders {
            if is_kernel(folder) {
                continue;
            }
            if shows_too_much(folder, &homes) && !sandbox.readable.contains(folder) {
                view.empty.push(folder.clone());
            } else {
                view.layer(folder);
            }
        }
        view.binds.sort_by_key(|bind| bind.target.components().count());
        view.layers.sort_by_key(|layer| layer.target.components().count());
        view
    }

    /// Working folder of runs.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Paths of everything that may be read.
    pub(super) fn readable(&self) -> impl Iterator<Item = &Path> {
        self.binds.iter().chain(&self.layers).map(|bind| bind.target.as_path())
    }

    fn show(&mut self, path: &Path) {
        for target in names(path) {
            if target.starts_with(TEMPORARY) {
                self.layer(&target);
            } else if let Ok(source) = path.canonicalize()
                && !is_kernel(&source)
                && !self.binds.iter().any(|bind| bind.target == target)
            {
                self.binds.push(Bind { source, target });
            }
        }
    }

    fn layer(&mut self, folder: &Path) {
        for target in names(folder) {
            if let Ok(source) = folder.canonicalize()
                && !self.layers.iter().any(|layer| layer.target == target)
            {
                self.layers.push(Bind { source, target });
            }
        }
    }
}

/// The path as given, made absolute, and the path without links, if it differs.
fn names(path: &Path) -> Vec<PathBuf> {
    let given =
        std::path::absolute(path).ok().filter(|path| !path.components().any(|part| part == Component::ParentDir));
    let mut names: Vec<PathBuf> = given.into_iter().chain(path.canonicalize()).collect();
    names.dedup();
    names
}

fn homes(sandbox: &Sandbox) -> Vec<PathBuf> {
    let listed = User::from_uid(Uid::current()).ok().flatten().map(|user| user.dir);
    sandbox.home.iter().cloned().chain(listed).filter(|home| home.parent().is_some()).collect()
}

fn is_kernel(path: &Path) -> bool {
    KERNEL.iter().any(|kernel| path.starts_with(kernel))
}

/// Whether a working folder would reveal more than a user expects, because it is a home, contains one, or belongs to
/// the system.
fn shows_too_much(folder: &Path, homes: &[PathBuf]) -> bool {
    let Ok(folder) = folder.canonicalize() else {
        return true;
    };
    folder.components().count() <= 2
        || is_kernel(&folder)
        || homes.iter().any(|home| home.canonicalize().is_ok_and(|home| home.starts_with(&folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zygote::sandbox::Mode;

    fn sandbox(folder: &Path, readable: &[&Path]) -> Sandbox {
        Sandbox {
            mode: Mode::Strict,
            folders: vec![folder.to_owned()],
            readable: readable.iter().map(|&path| path.to_owned()).collect(),
            home: Some("/var/lib/someone".into()),
            memory: 1,
            cpu_seconds: 1,
        }
    }

    #[test]
    fn homes_and_what_is_around_them_are_not_shown() {
        let home = tempfile::tempdir().expect("a folder");
        let inside = home.path().join("project");
        std::fs::create_dir(&inside).expect("a folder");
        let homes = [home.path().to_owned()];
        assert!(shows_too_much(home.path(), &homes) && shows_too_much(Path::new("/tmp"), &homes));
        assert!(shows_too_much(Path::new("/"), &[]) && shows_too_much(Path::new("/proc/self"), &[]));
        assert!(!shows_too_much(&inside, &homes));
    }

    #[test]
    fn a_home_is_shown_only_if_asked_for() {
        let home = tempfile::tempdir().expect("a folder");
        let hidden = Sandbox { home: Some(home.path().to_owned()), ..sandbox(home.path(), &[]) };
        assert!(View::gather(&hidden).layers.is_empty());
        let asked = Sandbox { readable: vec![home.path().to_owned()], ..hidden };
        assert_eq!(View::gather(&asked).layers.len(), 1);
    }

    /// A folder that is bound once, and one below `/tmp`, which is mounted anew in each run.
    fn folders() -> [tempfile::TempDir; 2] {
        ["/var/tmp", TEMPORARY].map(|place| tempfile::tempdir_in(place).expect("a folder"))
    }

    #[test]
    fn folders_around_others_come_first() {
        for folder in folders() {
            let around = folder.path().canonicalize().expect("a folder");
            let inside = around.join("a/b");
            std::fs::create_dir_all(&inside).expect("folders");
            let view = View::gather(&sandbox(Path::new("/"), &[&inside, &around]));
            let place = |path: &Path| view.readable().position(|shown| shown == path);
            assert!(place(&around) < place(&inside) && place(&around).is_some(), "{view:?}");
        }
    }

    #[test]
    fn a_link_is_shown_under_both_names() {
        for folder in folders() {
            let folder = folder.path().canonicalize().expect("a folder");
            let (real, link) = (folder.join("real"), folder.join("link"));
            std::fs::create_dir(&real).expect("a folder");
            std::os::unix::fs::symlink(&real, &link).expect("a link");
            let view = View::gather(&sandbox(Path::new("/"), &[&link]));
            let shown = if folder.starts_with(TEMPORARY) { &view.layers } else { &view.binds };
            for target in [&real, &link] {
                assert!(shown.contains(&Bind { source: real.clone(), target: target.clone() }), "{view:?}");
            }
        }
    }
}
