//! The Python environment of a project: whose packages can be imported.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ask::answer_of;
use super::module::Project;

/// Prints version and package folders of an interpreter as JSON.
const PROBE: &str = "import json, site, sys; print(json.dumps([sys.version_info[:2], site.getsitepackages()]))";
/// More of a configuration file or a path file is not read.
const MOST_READ: u64 = 64 << 10;
/// Folders that path files may add, at most.
const MOST_ADDED: usize = 200;

/// What named an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Origin {
    /// `--python`
    #[serde(rename = "--python")]
    Given,
    /// `$VIRTUAL_ENV`
    #[serde(rename = "VIRTUAL_ENV")]
    Activated,
    /// The folder `.venv` of the project.
    #[serde(rename = ".venv")]
    Project,
}

/// An interpreter or virtual environment, and where its packages are.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Environment {
    /// The virtual environment's folder, or the interpreter.
    pub path: PathBuf,
    /// Major and minor version of its Python.
    pub version: (u8, u8),
    /// What named it.
    pub origin: Origin,
    /// Folders with packages, in the order in which they are searched: `site-packages`, and what its path files add.
    pub packages: Vec<PathBuf>,
}

/// Why an environment cannot be used; [`EnvironmentError::HINT`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// There is nothing at the path.
    #[error("there is no Python environment at `{0}`")]
    Missing(PathBuf),
    /// A folder that is no virtual environment.
    #[error("`{path}` is no Python environment: {problem}")]
    Broken {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// An interpreter that does not say where its packages are.
    #[error("cannot ask the interpreter `{path}` for its packages: {problem}")]
    Mute {
        /// The interpreter.
        path: PathBuf,
        /// What it did.
        problem: String,
    },
}

impl EnvironmentError {
    /// What to do about it.
    pub const HINT: &str =
        "--python takes an interpreter, or the folder of a virtual environment (`python3 -m venv DIR`)";
}

impl Environment {
    /// The environment at a path: an interpreter, or a virtual environment's folder.
    ///
    /// # Errors
    /// When it is neither, or cannot be read.
    pub fn at(path: &Path, origin: Origin) -> Result<Self, EnvironmentError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Self::of_folder(path, origin);
        }
        if !path.is_file() {
            return Err(EnvironmentError::Missing(path));
        }
        // The interpreter of a virtual environment is a link to another, so that links are not followed.
        match path.parent().and_then(Path::parent) {
            Some(folder) if folder.join("pyvenv.cfg").is_file() => Self::of_folder(folder.to_owned(), origin),
            _ => {
                let (version, packages) = asked(&path)?;
                Ok(Self { path, version, origin, packages })
            }
        }
    }

    /// The environment of a file or folder: `$VIRTUAL_ENV`, else the `.venv` of its project; `Ok(None)` without either.
    ///
    /// # Errors
    /// When there is one that cannot be used.
    pub fn around(start: &Path, activated: Option<&OsStr>) -> Result<Option<Self>, EnvironmentError> {
        if let Some(folder) = activated.filter(|folder| !folder.is_empty()) {
            return Self::at(Path::new(folder), Origin::Activated).map(Some);
        }
        let folder = Project::around(start).map(|project| project.root.join(".venv"));
        let folder = folder.filter(|folder| folder.join("pyvenv.cfg").is_file());
        folder.map(|folder| Self::at(&folder, Origin::Project)).transpose()
    }

    fn of_folder(path: PathBuf, origin: Origin) -> Result<Self, EnvironmentError> {
        let broken = |problem: &str| EnvironmentError::Broken { path: path.clone(), problem: problem.to_owned() };
        let is_conda = path.join("conda-meta").is_dir();
        let settings = match start_of(&path.join("pyvenv.cfg")) {
            Some(text) => text,
            None if is_conda => String::new(),
            None => return Err(broken("it has no `pyvenv.cfg`")),
        };
        let setting = |key: &str| {
            let pairs = settings.lines().filter_map(|line| line.split_once('='));
            pairs
                .map(|(name, value)| (name.trim(), value.trim()))
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value)
        };
        let named = setting("version").or_else(|| setting("version_info")).and_then(version);
        let folders = fs::read_dir(path.join("lib")).map_err(|error| broken(&format!("its `lib`: {error}")))?;
        let mut found: Vec<((u8, u8), PathBuf)> = folders
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let version = entry.file_name().to_str()?.strip_prefix("python").and_then(version)?;
                Some((version, entry.path().join("site-packages"))).filter(|(_, packages)| packages.is_dir())
            })
            .collect();
        found.sort();
        let packages = found.iter().find(|(version, _)| Some(*version) == named).or(found.last());
        let (version, packages) = packages.ok_or_else(|| broken("it has no `lib/python3.*/site-packages`"))?;
        let mut packages = with_path_files(packages);
        if setting("include-system-site-packages").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            && let Ok((_, all)) = asked(&path.join("bin/python"))
        {
            packages.extend(all.into_iter().filter(|folder| !folder.starts_with(&path)));
        }
        Ok(Self { version: *version, origin, packages, path })
    }
}

/// Major and minor version at the start of a text such as `3.11.7`.
fn version(text: &str) -> Option<(u8, u8)> {
    let mut numbers = text.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Asks an interpreter for its version and its package folders.
fn asked(interpreter: &Path) -> Result<((u8, u8), Vec<PathBuf>), EnvironmentError> {
    let mute = |problem: String| EnvironmentError::Mute { path: interpreter.to_owned(), problem };
    let answer = answer_of(Command::new(interpreter).args(["-I", "-c", PROBE])).map_err(mute)?;
    let last = answer.lines().last().unwrap_or_default();
    let read: Result<((u8, u8), Vec<PathBuf>), _> = serde_json::from_str(last);
    let (version, folders) = read.map_err(|_| mute(format!("it prints `{last}`")))?;
    let folders = folders.iter().filter(|folder| folder.is_dir());
    Ok((version, folders.flat_map(|folder| with_path_files(folder)).collect()))
}

/// A folder with packages, and the folders that its path files (`*.pth`) name, as those of editable installs do. Lines of
/// code in them are not run. No link leads to any of them: a sandbox shows folders by themselves.
fn with_path_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "pth"));
    files.sort();
    let mut found = vec![folder.to_owned()];
    for text in files.iter().filter_map(|file| start_of(file)) {
        let is_path = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("import");
        let added = text.lines().map(str::trim).filter(is_path).map(|line| folder.join(line));
        found.extend(added.filter(|path| path.is_dir()));
    }
    found.truncate(MOST_ADDED);
    found.into_iter().map(|path| path.canonicalize().unwrap_or(path)).collect()
}

fn start_of(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(file).ok()?.take(MOST_READ).read_to_string(&mut text).ok().map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn a_virtual_environment_is_read_without_its_interpreter() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("it is there");
        let venv = base.join("p/.venv");
        write(&venv.join("pyvenv.cfg"), "home = /usr/bin\nversion_info = 3.9.18.final.0\n");
        for version in ["3.9", "3.12"] {
            write(&venv.join(format!("lib/python{version}/site-packages/README")), "");
        }
        write(&base.join("p/pyproject.toml"), "");
        let packages = venv.join("lib/python3.9/site-packages");
        write(&packages.join("editable.pth"), &format!("# src\nimport os\n{}\n/nowhere\n", base.join("p").display()));
        write(&packages.join("bad.pth"), "\0\n");
        let found =
            Environment::around(&base.join("p/pyproject.toml"), None).expect("it is whole").expect("there is one");
        assert_eq!((found.version, found.origin, found.path.clone()), ((3, 9), Origin::Project, venv.clone()));
        assert_eq!(found.packages, [packages, base.join("p")]);
        let activated = Environment::around(&base, Some(venv.as_os_str())).expect("whole").expect("there is one");
        assert_eq!(activated.origin, Origin::Activated);
        write(&venv.join("bin/python"), "");
        assert_eq!(Environment::at(&venv.join("bin/python"), Origin::Given).expect("whole").path, venv);
        assert!(Environment::around(&base, Some(OsStr::new(""))).expect("none is named").is_none());
        std::os::unix::fs::symlink(&venv, base.join("link")).expect("a link");
        let linked = Environment::at(&base.join("link"), Origin::Given).expect("whole");
        assert_eq!((linked.path, linked.packages), (base.join("link"), found.packages));
    }

    #[test]
    fn what_is_no_environment_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let failed = |path: &Path| Environment::at(path, Origin::Given).expect_err("no environment").to_string();
        assert!(failed(&folder.path().join("nothing")).contains("no Python environment at"));
        assert!(failed(folder.path()).contains("it has no `pyvenv.cfg`"));
        write(&folder.path().join("pyvenv.cfg"), "home = /usr/bin\n");
        assert!(failed(folder.path()).contains("its `lib`"));
        write(&folder.path().join("lib/README"), "");
        assert!(failed(folder.path()).contains("site-packages"));
        write(&folder.path().join("interpreter"), "");
        assert!(failed(&folder.path().join("interpreter")).contains("cannot ask the interpreter"));
    }

    #[test]
    fn an_interpreter_says_where_its_packages_are() {
        let named = std::env::var_os("PYO3_PYTHON").map(PathBuf::from).filter(|path| path.is_absolute());
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let on_path =
            || std::env::split_paths(&folders).map(|folder| folder.join("python3")).find(|path| path.is_file());
        let path = named.or_else(on_path).expect("the tests need a Python");
        let found = Environment::at(&path, Origin::Given).expect("it answers");
        assert!(found.version >= (3, 6) && found.packages.iter().all(|folder| folder.is_dir()), "{found:?}");
    }
}
