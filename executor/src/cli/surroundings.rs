//! Options that say what real code may be imported, shared by the commands that run snippets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use surmise_project::{Environment, EnvironmentError, Module, Origin, Project};

use super::printer;
use super::refusal::Refusal;

/// Where real code is imported from.
#[derive(Args, Clone, Debug)]
#[group(id = "SurroundingsOptions")]
#[command(next_help_heading = "Surroundings")]
pub(super) struct Options {
    /// Python environment whose packages can be imported: an interpreter, or the folder of a virtual environment (default:
    /// `$VIRTUAL_ENV`, else the `.venv` beside the project's `pyproject.toml`, else none).
    #[arg(long, value_name = "PATH", conflicts_with = "alone")]
    python: Option<PathBuf>,
    /// Folder with real packages to import (repeatable).
    #[arg(long, value_name = "DIR")]
    pub(super) python_path: Vec<PathBuf>,
    /// Run each file or function by itself: no environment, no package that the file is a module of.
    #[arg(long)]
    pub(super) alone: bool,
}

impl Options {
    /// The environment of what is run; `start` is a file or folder of it.
    pub(super) fn environment(&self, start: &Path) -> Result<Option<Arc<Environment>>, Refusal> {
        let found = match &self.python {
            Some(path) => {
                let given = Environment::at(path, Origin::Given);
                Some(given.map_err(|error| Refusal::new(error, EnvironmentError::HINT))?)
            }
            None if self.alone => None,
            None => {
                let activated = std::env::var_os("VIRTUAL_ENV");
                // Nobody asked for it here: what cannot be used is not used.
                Environment::around(start, activated.as_deref()).unwrap_or_else(|error| {
                    printer::warning(&format!("{error}; it is not used"));
                    None
                })
            }
        };
        if let Some(environment) = &found
            && environment.version != surmise_interpreter::version()
        {
            let ((major, minor), (own_major, own_minor)) = (environment.version, surmise_interpreter::version());
            printer::warning(&format!(
                "the environment `{}` is of Python {major}.{minor}, and this Surmise runs Python {own_major}.{own_minor}: \
                 compiled packages in it count as missing",
                environment.path.display()
            ));
        }
        Ok(found.map(Arc::new))
    }

    /// Folders that programs import from, and have to see.
    pub(super) fn readable(&self, environment: Option<&Environment>) -> Vec<PathBuf> {
        let packages = environment.into_iter().flat_map(|environment| &environment.packages);
        self.python_path.iter().chain(packages).cloned().collect()
    }

    /// Folders of the packages and projects that files and folders lie in.
    pub(super) fn folders(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for path in paths.iter().filter(|_| !self.alone) {
            // Any module of a folder is in the package that the folder is.
            let file = if path.is_dir() { path.join("__init__.py") } else { path.clone() };
            found.extend(Module::of(&file).map(|module| module.package_folder()));
            found.extend(Project::around(path).map(|project| project.sources()));
        }
        found.sort();
        found.dedup();
        found
    }

    /// What results depend on besides the snippets.
    pub(super) fn fingerprint(&self, environment: Option<&Environment>) -> String {
        let paths: Vec<String> = self.python_path.iter().map(|path| path.display().to_string()).collect();
        let environment = environment.map(|found| format!("{} {:?}", found.path.display(), found.version));
        format!("python-path={paths:?} environment={environment:?} alone={}", self.alone)
    }
}
