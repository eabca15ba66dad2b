//! What is around a program: the folders that it imports from, the module that it is, and the one that its function stands
//! in.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use surmise_instrument::{SourceModel, extract};
use surmise_project::{Module, Project};

use super::{Plan, Settings};
use crate::protocol::{InPlace, Program};

impl Plan {
    /// Says in a program where it lies.
    pub(super) fn set_surroundings(&self, program: &mut Program, settings: &Settings) {
        let file = self.source.path.as_deref();
        let of = if settings.function.is_some() { Module::of_functions } else { Module::of };
        let module = file.filter(|_| settings.in_place).and_then(of);
        if let Some(module) = &module {
            program.path.push(text(&module.root));
            program.folders.push(text(&module.package_folder()));
        } else {
            match file.and_then(Path::parent) {
                Some(folder) => program.path.push(text(&own_folder(folder, settings))),
                None => program.path.push(String::new()),
            }
        }
        program.path.extend(settings.python_path.iter().map(|folder| text(folder)));
        if let Some(environment) = settings.environment.as_ref().filter(|_| !program.plain || settings.in_place) {
            program.packages.extend(environment.packages.iter().map(|folder| text(folder)));
        }
        if !settings.in_place {
            return;
        }
        if let Some(project) = file.and_then(Project::around) {
            // Behind the environment, which has the packages as they were built if they are compiled.
            program.packages.push(text(&project.sources()));
            program.folders.push(text(&project.sources()));
        }
        let Some(module) = module else { return };
        match &settings.function {
            Some(name) => {
                let mends = settings.drawing.is_some();
                program.in_place = self.place_of(name, module, mends).filter(|_| self.injects());
            }
            None if !program.plain => program.module = module.name,
            None => {}
        }
    }

    /// Where a function of the excerpt stands in its module.
    fn place_of(&self, name: &str, module: Module, mends: bool) -> Option<InPlace> {
        // To import what is meant to be run is to run it.
        if module.name.ends_with("__main__") {
            return None;
        }
        let (lines, body) = self.lines_of(name)?;
        // The excerpt has a part of the module.
        let whole = self.source.path.as_deref().and_then(|file| std::fs::read_to_string(file).ok());
        let late_imports =
            whole.and_then(|text| SourceModel::parse(text).ok()).map(|model| extract::late_imports(&model));
        let late_imports = late_imports.unwrap_or_default();
        let decisive_names = self.decisive_names(body);
        Some(InPlace { module: module.name, lines, body, mends, late_imports, decisive_names })
    }

    /// First and last line of a function, and those of its body.
    fn lines_of(&self, name: &str) -> Option<((u32, u32), (u32, u32))> {
        let functions = extract::qualnames(&self.model);
        let function = functions.into_iter().find(|function| function.qualname == name)?;
        let lines = (function.line, function.last_line);
        let body = self.body(&function, self.model.lines());
        // The body of `def f(): return 1` is on the line of its header.
        Some((lines, if body.0 > body.1 { lines } else { body }))
    }

    /// First and last line that count where a function was cut out of its module, to be called by itself: those of its body.
    /// In comparisons the lines around it count, too, for they may be what changed.
    pub(crate) fn counted_lines(&self, settings: &Settings) -> Option<(u32, u32)> {
        let name = settings.function.as_deref().filter(|_| settings.drawing.is_none())?;
        *self.called_body.get_or_init(|| self.lines_of(name).map(|(_, body)| body))
    }

    /// The names that conditions on these lines read, and what they read of them (`settings.DEBUG`), each with the line of its
    /// condition.
    fn decisive_names(&self, (first, last): (u32, u32)) -> Vec<(String, u32)> {
        let (paths, lines) = (self.paths(), self.model.lines());
        let of_branches = paths.branches.iter().map(|branch| &branch.decides);
        let conditions = of_branches.chain(paths.outcomes.iter().map(|outcome| &outcome.decides));
        let inside = conditions.map(|range| (range, lines.line(range.start)));
        let names = |(range, line): (&Range<u32>, u32)| {
            let read = paths.origins.read_in(range.clone()).filter(|name| !name.starts_with('.'));
            let condition = self.text.get(range.start as usize..range.end as usize).unwrap_or_default();
            let words = condition.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '.'));
            let dotted = words.filter(|word| word.matches('.').count() == 1 && !word.starts_with('.'));
            read.map(ToString::to_string).chain(dotted.map(str::to_owned)).map(|name| (name, line)).collect::<Vec<_>>()
        };
        let found = inside.filter(|(_, line)| (first..=last).contains(line)).flat_map(names);
        found.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The folder of a script; of a function of a package, the one that the package lies in.
fn own_folder(folder: &Path, settings: &Settings) -> std::path::PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut absolute = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    // A function of a package does not run as a script: there its modules have the package's name.
    while settings.function.is_some() && absolute.join("__init__.py").exists() && absolute.pop() {}
    absolute
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
