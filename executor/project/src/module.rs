//! The module that a file is, by the folders that it lies in.

use std::path::{Path, PathBuf};

/// Files that mark the folder of a project.
const MARKERS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
/// The folder of a project that holds its packages and nothing else, where there is one.
const SOURCES: &str = "src";
/// Folders that hold packages and modules that are installed.
const INSTALLED: [&str; 2] = ["site-packages", "dist-packages"];

/// A file as a module of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Dotted name, such as `flask.json.provider`; a package for an `__init__.py`.
    pub name: String,
    /// The folder that goes on `sys.path`, without links.
    pub root: PathBuf,
}

impl Module {
    /// The module that a file is; `None` for a script, which lies in no package.
    ///
    /// A package is a folder with an `__init__.py`, or any folder below the `src` of a project, or below `site-packages`.
    #[must_use]
    pub fn of(file: &Path) -> Option<Self> {
        let file = file.canonicalize().ok().filter(|file| file.extension().is_some_and(|ending| ending == "py"))?;
        let stem = identifier(file.file_stem()?.to_str()?)?;
        let mut root = file.parent()?;
        let mut parts = Vec::new();
        let sources = Project::around(&file).map(|project| project.root.join(SOURCES));
        let is_below_sources = sources.as_deref().is_some_and(|sources| root.starts_with(sources));
        let is_below_installed = root.ancestors().any(is_installed);
        let is_package = |folder: &Path| {
            folder.join("__init__.py").is_file()
                || is_below_sources && Some(folder) != sources.as_deref()
                || is_below_installed && !is_installed(folder)
        };
        while is_package(root) {
            parts.push(identifier(root.file_name()?.to_str()?)?);
            root = root.parent()?;
        }
        if parts.is_empty() {
            return None;
        }
        parts.reverse();
        if stem != "__init__" {
            parts.push(stem);
        }
        Some(Self { name: parts.join("."), root: root.to_owned() })
    }

    /// The module that a file is when its functions are called: one of a package, or of a folder inside one that has no
    /// `__init__.py` of its own, or one that lies directly in the folder of a project, in its `src`, or in `site-packages`.
    /// These may be scripts, too.
    #[must_use]
    pub fn of_functions(file: &Path) -> Option<Self> {
        Self::of(file).or_else(|| {
            let file = file.canonicalize().ok()?;
            let (name, root) = (identifier(file.file_stem()?.to_str()?)?, file.parent()?);
            let project = Project::around(&file);
            let is_of_project =
                |folder: &&Path| project.as_ref().is_none_or(|project| folder.starts_with(&project.root));
            let mut above = root.ancestors().skip(1).take_while(is_of_project);
            if let Some(package) = above.find(|folder| folder.join("__init__.py").is_file()) {
                let package = Self::of(&package.join("__init__.py"))?;
                let below = root.strip_prefix(package.root.join(package.name.replace('.', "/"))).ok()?;
                let mut parts = vec![package.name.as_str()];
                for part in below {
                    parts.push(identifier(part.to_str()?)?);
                }
                parts.push(name);
                return Some(Self { name: parts.join("."), root: package.root });
            }
            let is_top = |project: Project| root == project.root || root == project.sources();
            (is_installed(root) || project.is_some_and(is_top))
                .then(|| Self { name: name.to_owned(), root: root.to_owned() })
        })
    }

    /// The folder of the outermost package.
    #[must_use]
    pub fn package_folder(&self) -> PathBuf {
        self.root.join(self.name.split('.').next().unwrap_or_default())
    }
}

/// True for a folder in which packages are installed.
fn is_installed(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| INSTALLED.iter().any(|installed| name == *installed))
}

/// A name that can be imported.
fn identifier(name: &str) -> Option<&str> {
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '_';
    let fits = name.starts_with(is_letter) && name.chars().all(|letter| is_letter(letter) || letter.is_numeric());
    fits.then_some(name)
}

/// The project that a file or folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The nearest folder above that has a `pyproject.toml`, `setup.py` or `setup.cfg`, without links.
    pub root: PathBuf,
}

impl Project {
    /// Finds the project around a file or folder.
    #[must_use]
    pub fn around(path: &Path) -> Option<Self> {
        // Code of a page lies beside the page, in no file.
        let folder = || path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let path = path.canonicalize().ok().or_else(|| folder()?.canonicalize().ok())?;
        let is_root = |folder: &&Path| MARKERS.iter().any(|marker| folder.join(marker).exists());
        path.ancestors().skip(usize::from(!path.is_dir())).find(is_root).map(|root| Self { root: root.to_owned() })
    }

    /// The folder that its packages lie in: `src`, where there is one.
    #[must_use]
    pub fn sources(&self) -> PathBuf {
        let sources = self.root.join(SOURCES);
        if sources.is_dir() { sources } else { self.root.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn module(files: &[&str], file: &str) -> Option<(String, String)> {
        found(files, file, Module::of)
    }

    fn functions(files: &[&str], file: &str) -> Option<(String, String)> {
        found(files, file, Module::of_functions)
    }

    fn found(files: &[&str], file: &str, of: fn(&Path) -> Option<Module>) -> Option<(String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("it is there");
        for file in files {
            let path = base.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, "").expect("written");
        }
        let found = of(&base.join(file))?;
        let root = found.root.strip_prefix(&base).expect("inside").display().to_string();
        Some((found.name, root))
    }

    #[test]
    fn files_are_modules_of_the_packages_that_they_lie_in() {
        let flat = ["p/a/__init__.py", "p/a/b/__init__.py", "p/a/b/c.py", "p/script.py", "p/a/not-a-name.py"];
        let named = |name: &str, root: &str| Some((name.to_owned(), root.to_owned()));
        assert_eq!(module(&flat, "p/a/b/c.py"), named("a.b.c", "p"));
        assert_eq!(module(&flat, "p/a/b/__init__.py"), named("a.b", "p"));
        assert_eq!(module(&flat, "p/script.py"), None);
        assert_eq!(module(&flat, "p/a/not-a-name.py"), None);
        assert_eq!(module(&flat, "p/nowhere.py"), None);
        assert_eq!(module(&["p/a/__init__.py", "p/a/README.md"], "p/a/README.md"), None, "a page is no module");
        let sources = ["p/pyproject.toml", "p/src/space/inner/m.py", "p/src/single.py", "p/tests/test_m.py"];
        assert_eq!(module(&sources, "p/src/space/inner/m.py"), named("space.inner.m", "p/src"));
        assert_eq!(module(&sources, "p/src/single.py"), None);
        assert_eq!(functions(&sources, "p/src/single.py"), named("single", "p/src"));
        assert_eq!(functions(&sources, "p/src/space/inner/m.py"), named("space.inner.m", "p/src"));
        assert_eq!(functions(&sources, "p/tests/test_m.py"), None);
        assert_eq!(functions(&["p/setup.py", "p/tool.py"], "p/tool.py"), named("tool", "p"));
        assert_eq!(functions(&flat, "p/script.py"), None);
        let inside = ["p/a/__init__.py", "p/a/b/__init__.py", "p/a/b/space/inner/m.py", "p/a/b/no-name/m.py"];
        assert_eq!(functions(&inside, "p/a/b/space/inner/m.py"), named("a.b.space.inner.m", "p"));
        assert_eq!(module(&inside, "p/a/b/space/inner/m.py"), None, "a script as well as a module");
        assert_eq!(functions(&inside, "p/a/b/no-name/m.py"), None);
        let beside = ["__init__.py", "p/pyproject.toml", "p/tools/m.py", "p/tool.py"];
        assert_eq!(functions(&beside, "p/tools/m.py"), None, "what is above the project is none of it");
        assert_eq!(functions(&beside, "p/tool.py"), named("tool", "p"));
        assert_eq!(module(&sources, "p/tests/test_m.py"), None);
        let installed =
            ["e/site-packages/single.py", "e/site-packages/space/inner/m.py", "e/site-packages/a/__init__.py"];
        assert_eq!(functions(&installed, "e/site-packages/single.py"), named("single", "e/site-packages"));
        assert_eq!(module(&installed, "e/site-packages/single.py"), None);
        assert_eq!(module(&installed, "e/site-packages/space/inner/m.py"), named("space.inner.m", "e/site-packages"));
    }

    #[test]
    fn projects_are_found_by_their_marks() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("it is there");
        fs::create_dir_all(base.join("p/src/a")).expect("created");
        fs::write(base.join("p/setup.cfg"), "").expect("written");
        let project = Project::around(&base.join("p/src/a")).expect("a project");
        assert_eq!((project.root.clone(), project.sources()), (base.join("p"), base.join("p/src")));
        assert!(Project::around(&base.join("nowhere")).is_none());
    }
}
