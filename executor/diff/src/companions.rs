//! Companion modules: what a version of a function takes from other modules of its repository.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use surmise_instrument::SourceModel;
use surmise_instrument::extract::{self, Import, Imported};

use super::file::File;
use super::repository::Repository;
use super::siblings::Siblings;
use surmise_engine::plan::CompanionModule;

/// Modules that a version takes at most, and their lines: a function is compared, not a program.
const MOST_MODULES: usize = 12;
const MOST_LINES: usize = 600;
/// Folders that packages often lie in, from the repository's root.
const ROOTS: [&str; 3] = ["", "src", "lib"];
/// Where files seem to lie when they run: not where the working folder is.
pub(super) const FOLDER: &str = "/repository";

/// The files of both sides, by side and path.
type Read<'r> = dyn Fn(usize, &str) -> Option<Rc<File>> + 'r;
/// The files of both sides that were asked for.
type Known = BTreeMap<(usize, String), Option<Rc<File>>>;

/// The package that a version's file lies in, and the modules that it finds.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The dotted name of the package; empty if the file lies in none, or where nothing is found.
    pub package: String,
    /// What runs of each.
    pub modules: Vec<CompanionModule>,
}

/// The files of a repository around those that changed.
pub struct Companions<'r> {
    read: Box<Read<'r>>,
    /// What is taken of each path's file, in the old version and in the new.
    taken: RefCell<BTreeMap<String, Rc<Siblings>>>,
}

impl<'r> Companions<'r> {
    /// The companions of both sides of a comparison.
    pub fn of(repository: &'r Repository) -> Self {
        let known: RefCell<Known> = RefCell::default();
        let read = move |side: usize, path: &str| {
            let read = || Some(Rc::new(File::new(repository.source(&repository.file(side, path)?).ok()?)));
            known.borrow_mut().entry((side, path.to_owned())).or_insert_with(read).clone()
        };
        Self { read: Box::new(read), taken: RefCell::default() }
    }

    /// What both versions, given by path and text, find. What is missing has the same name in both only if they lie in
    /// the same package: else neither finds anything.
    pub fn of_both(&self, old: (&str, &str), new: (&str, &str)) -> [Found; 2] {
        match [self.around(0, old.0, old.1), self.around(1, new.0, new.1)] {
            [Some(old), Some(new)]
                if old.package == new.package && !(old.modules.is_empty() && new.modules.is_empty()) =>
            {
                [old, new]
            }
            _ => Default::default(),
        }
    }

    /// The modules that a text of the file at `path` imports on one side, and those that they import in turn. None
    /// where Python would refuse its imports.
    fn around(&self, side: usize, path: &str, text: &str) -> Option<Found> {
        let imported = SourceModel::parse(text).as_ref().map(extract::imported).unwrap_or_default();
        let levels = imported.imports.iter().map(|import| import.level as usize).max().unwrap_or(0);
        let place = Location::of(&*self.read, side, path, levels);
        if levels > place.package.len() {
            return None;
        }
        let mut search = Search { companions: self, side, root: &place.root, found: BTreeMap::new(), lines: 0 };
        search.follow(&imported, &place.package);
        let modules: Vec<CompanionModule> =
            search.found.into_iter().filter_map(|(name, asked)| asked.module(name)).collect();
        Some(Found { package: place.package.join("."), modules })
    }

    /// The names that each side may take of a file.
    fn taken(&self, path: &str) -> Rc<Siblings> {
        let compare = || {
            let [old, new] = [0, 1].map(|side| (self.read)(side, path));
            let [old, new] = [&old, &new].map(|file| file.as_deref().and_then(File::model));
            Rc::new(Siblings::of(old, new))
        };
        Rc::clone(self.taken.borrow_mut().entry(path.to_owned()).or_insert_with(compare))
    }
}

/// Where a file lies.
struct Location {
    /// The folder that its package lies in, which Python would find on its path.
    root: Vec<String>,
    package: Vec<String>,
}

impl Location {
    /// Without any `__init__.py` the folders are packages that relative imports lead through.
    fn of(read: &Read, side: usize, path: &str, levels: usize) -> Self {
        let mut root: Vec<String> = path.split('/').map(str::to_owned).collect();
        root.pop();
        let mut package = Vec::new();
        while !root.is_empty() && read(side, &format!("{}/__init__.py", root.join("/"))).is_some() {
            package.splice(0..0, root.pop());
        }
        if package.is_empty() {
            package = root.split_off(root.len().saturating_sub(levels));
        }
        Self { root, package }
    }
}

/// A module that something is taken of.
struct Asked {
    path: String,
    is_package: bool,
    names: BTreeSet<String>,
    part: Option<String>,
}

impl Asked {
    fn module(self, name: String) -> Option<CompanionModule> {
        let file = format!("{FOLDER}/{}", self.path);
        Some(CompanionModule { name, file, is_package: self.is_package, text: self.part? })
    }
}

struct Search<'s> {
    companions: &'s Companions<'s>,
    side: usize,
    root: &'s [String],
    found: BTreeMap<String, Asked>,
    lines: usize,
}

impl Search<'_> {
    /// Takes what a text imports.
    fn follow(&mut self, imported: &Imported, package: &[String]) {
        for Import { level, module, names, .. } in &imported.imports {
            let Some(mut dotted) = absolute(package, *level as usize) else { continue };
            dotted.extend(module.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
            let Some(names) = names else {
                self.ask(&dotted, &imported.names);
                continue;
            };
            for name in names {
                let mut inner = dotted.clone();
                inner.push(name.clone());
                // `from package import module`, or `from module import name`.
                if !self.ask(&inner, &imported.names) && !dotted.is_empty() {
                    self.ask(&dotted, &BTreeSet::from([name.clone()]));
                }
            }
        }
    }

    /// Takes these names of a module; false if there is none.
    fn ask(&mut self, dotted: &[String], names: &BTreeSet<String>) -> bool {
        let name = dotted.join(".");
        let known = self.found.get(&name).map(|asked| (asked.path.clone(), asked.is_package));
        let Some((path, is_package)) = known.or_else(|| self.locate(dotted)) else { return false };
        if self.found.len() == MOST_MODULES && !self.found.contains_key(&name) {
            return true;
        }
        let empty = || Asked { path: path.clone(), is_package, names: BTreeSet::new(), part: None };
        let asked = self.found.entry(name.clone()).or_insert_with(empty);
        let before = asked.names.len();
        asked.names.extend(names.iter().cloned());
        if asked.names.len() == before {
            return true;
        }
        let taken = self.companions.taken(&path);
        let file = (self.companions.read)(self.side, &path);
        let wanted = |name: &str| taken.taken[self.side].contains(name) || taken.changed.contains(name);
        let model = file.as_deref().and_then(File::model);
        let part = model.and_then(|model| extract::part(model, &asked.names, &wanted));
        let lines = |part: &Option<String>| {
            part.iter().flat_map(|part| part.lines()).filter(|line| !line.trim().is_empty()).count()
        };
        let all = self.lines - lines(&asked.part) + lines(&part);
        if all > MOST_LINES {
            return true;
        }
        self.lines = all;
        asked.part.clone_from(&part);
        if let Some(part) = part {
            let package = if is_package { dotted } else { &dotted[..dotted.len() - 1] };
            let imported = SourceModel::parse(part).as_ref().map(extract::imported).unwrap_or_default();
            self.follow(&imported, package);
        }
        true
    }

    /// The file of a module, and whether it is that of a package.
    fn locate(&self, dotted: &[String]) -> Option<(String, bool)> {
        let inside = dotted.join("/");
        let own = self.root.join("/");
        let roots = std::iter::once(own.as_str()).chain(ROOTS).map(|root| match root {
            "" => inside.clone(),
            root => format!("{root}/{inside}"),
        });
        let files = roots.flat_map(|base| [(format!("{base}.py"), false), (format!("{base}/__init__.py"), true)]);
        files.into_iter().find(|(path, _)| (self.companions.read)(self.side, path).is_some())
    }
}

/// The package that so many dots mean.
fn absolute(package: &[String], level: usize) -> Option<Vec<String>> {
    match level {
        0 => Some(Vec::new()),
        level => Some(package.get(..(package.len() + 1).checked_sub(level)?)?.to_vec()).filter(|base| !base.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use surmise_engine::source::Source;

    use super::*;

    fn companions(files: &'static [(usize, &'static str, &'static str)]) -> Companions<'static> {
        let read = |side: usize, path: &str| {
            let found = files.iter().find(|(on, name, _)| *on == side && *name == path);
            let source = |text: &str| Source { name: path.to_owned(), path: None, text: text.to_owned() };
            found.map(|(.., text)| Rc::new(File::new(source(text))))
        };
        Companions { read: Box::new(read), taken: RefCell::default() }
    }

    fn listed(found: &Found) -> Vec<(&str, String)> {
        let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("|");
        found.modules.iter().map(|module| (module.name.as_str(), lines(&module.text))).collect()
    }

    const FILES: &[(usize, &str, &str)] = &[
        (0, "src/p/__init__.py", "from .texts import clean\n"),
        (0, "src/p/q/__init__.py", ""),
        (
            0,
            "src/p/texts.py",
            "from .q.deep import low\nEND = 1\ndef clean(x): return low(x, other(END))\ndef other(x): return 1\n",
        ),
        (0, "src/p/q/deep.py", "def low(x, y): return x\n"),
        (
            1,
            "src/p/texts.py",
            "from .q.deep import low\nEND = 1\ndef clean(x): return low(x, other(END))\ndef other(x): return 2\n",
        ),
        (1, "src/p/q/deep.py", "def low(x, y): return x\n"),
    ];

    #[test]
    fn what_is_the_same_on_both_sides_is_taken_with_what_it_uses() {
        let found = companions(FILES).around(0, "src/p/q/main.py", "from ..texts import clean\n").expect("it may");
        assert_eq!(found.package, "p.q");
        let texts = "from .q.deep import low|END = 1|def clean(x): return low(x, other(END))".to_owned();
        let deep = "def low(x, y): return x".to_owned();
        assert_eq!(listed(&found), [("p.q.deep", deep), ("p.texts", texts)]);
    }

    #[test]
    fn modules_are_found_by_whatever_name() {
        let names = |text: &str| -> Vec<String> {
            let found = companions(FILES).around(0, "src/p/q/main.py", text);
            found.into_iter().flat_map(|found| found.modules).map(|module| module.name).collect()
        };
        assert_eq!(names("from .. import texts\ntexts.clean(1)\n"), ["p.q.deep", "p.texts"]);
        assert_eq!(names("import p.texts as t\nt.END\n"), ["p.texts"]);
        assert_eq!(names("from p import clean\n"), ["p", "p.q.deep", "p.texts"]);
        assert_eq!(names("from .texts import clean\nimport os\n"), [""; 0]);
        assert_eq!(names("from ..texts import clean\nfrom ...texts import x\n"), [""; 0]);
        let loose = companions(&[(0, "a/b/two.py", "X = 1\n")]).around(0, "a/b/one.py", "from .two import X\n");
        let loose = loose.expect("it may");
        assert_eq!((loose.package.as_str(), loose.modules[0].name.as_str()), ("b", "b.two"));
        let outside = companions(FILES).around(0, "tool.py", "from p.q.deep import *\nlow(1, 2)\n").expect("it may");
        assert_eq!((outside.package.as_str(), outside.modules.len()), ("", 1));
    }

    #[test]
    fn both_versions_lie_in_the_same_package_or_find_nothing() {
        let main = |folder: &str, import: &str| (format!("src/p/{folder}main.py"), format!("from {import}\n"));
        let (package, none) = (|modules| ("p.q".to_owned(), modules), || (String::new(), 0));
        let files: &'static [(usize, &str, &str)] =
            Box::leak([FILES, &[(1, "src/p/__init__.py", ""), (1, "src/p/q/__init__.py", "")]].concat().into());
        let found = |old: (String, String), new: (String, String)| {
            let found = companions(files).of_both((&old.0, &old.1), (&new.0, &new.1));
            found.map(|found| (found.package, found.modules.len()))
        };
        assert_eq!(found(main("q/", "..gone import x"), main("q/", "..texts import END")), [package(0), package(1)]);
        assert_eq!(found(main("", ".texts import END"), main("q/", "..texts import END")), [none(), none()]);
        assert_eq!(found(main("q/", "..texts import END"), main("q/", "...texts import x")), [none(), none()]);
        assert_eq!(found(main("q/", "..gone import x"), main("q/", "..gone import x")), [none(), none()]);
    }
}
