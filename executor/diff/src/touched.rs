//! The functions that a change of a repository touches, file by file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use surmise_instrument::SourceModel;
use surmise_instrument::cleanup::{self, RepairKind};
use surmise_instrument::extract::Function;
use surmise_instrument::object_attributes::is_private;
use surmise_instrument::same::{Sameness, sameness};

use super::candidate::{Candidate, Place as PlaceOfVersion, Version};
use super::candidates;
use super::companions::{Companions, FOLDER};
use super::file::File;
use super::filter::Filter;
use super::importers::ChangedVariables;
use super::matched_functions::{Matched, are_alike, body, label, matched};
use super::options::Callees;
use super::project_tests::{ProjectTests, is_test};
use super::renamed_definitions::names_in;
use super::renames::{Contents, hash, likeness, one_to_one, renamed};
use super::repository::{Change, Place, Repository, RepositoryError, Side};
use super::siblings::{Context, Siblings, changed_variables};
use super::verdict::Verdict;
use surmise_engine::source::Source;

/// A function that is in another file than before: places in the list of changes, and both functions.
struct Move {
    from: usize,
    to: usize,
    old: Function,
    new: Function,
}

/// What a change touches.
pub struct Touched<'r> {
    repository: &'r Repository,
    changes: Vec<Change>,
    moves: Vec<Move>,
    /// New names of classes and functions of all files, with the old ones.
    renamed: BTreeMap<String, String>,
    /// Variables whose values changed.
    variables: ChangedVariables,
    companions: Companions<'r>,
    sides: Option<[Side; 2]>,
    callees: Callees,
    tests: Arc<ProjectTests>,
    /// In how many modules of each side private names stand, once somebody asked.
    private_names: [OnceLock<HashMap<String, usize>>; 2],
}

impl<'r> Touched<'r> {
    /// Finds the files that differ, those that only have another name, and functions that went to another file. With
    /// `sides` functions run where they stand, among what `callees` says.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn find(
        repository: &'r Repository,
        filter: &Filter,
        sides: Option<[Side; 2]>,
        callees: Callees,
    ) -> Result<Self, RepositoryError> {
        let mut changes = repository.changes()?;
        join_renamed(repository, &mut changes);
        changes.retain(|change| {
            let places = [&change.old, &change.new];
            places.into_iter().flatten().any(|place| filter.takes(&place.path))
        });
        let companions = Companions::of(repository);
        let (moves, renamed, variables) = (Vec::new(), BTreeMap::new(), ChangedVariables::default());
        let tests = match &sides {
            Some([old, new]) => ProjectTests::of(old, new, repository.files(1)?),
            None => ProjectTests::default(),
        };
        let (tests, private_names) = (Arc::new(tests), Default::default());
        let mut found =
            Self { repository, changes, moves, renamed, variables, companions, sides, callees, tests, private_names };
        found.look_at_files();
        found.add_importers(filter)?;
        Ok(found)
    }

    /// Adds the files that are the same, and read variables that changed.
    fn add_importers(&mut self, filter: &Filter) -> Result<(), RepositoryError> {
        if self.variables.is_empty() {
            return Ok(());
        }
        let changed: BTreeSet<String> = self
            .changes
            .iter()
            .flat_map(|change| [&change.old, &change.new])
            .flatten()
            .map(|place| place.path.clone())
            .collect();
        for path in self.repository.files(0)? {
            if changed.contains(&path) || !filter.takes(&path) || !self.variables.may_be_imported_by(&path) {
                continue;
            }
            let (old, new) = (self.repository.file(0, &path), self.repository.file(1, &path));
            let text = new.as_ref().and_then(|place| self.repository.source(place).ok()).map(|source| source.text);
            if text.is_some_and(|text| !self.variables.imported_by(&text).is_empty()) {
                self.changes.push(Change { old, new });
            }
        }
        Ok(())
    }

    /// Files to look at.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// True if no Python file differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Both versions of a file; one that is not there is empty.
    fn files(&self, change: &Change) -> Result<(File, File), Candidate> {
        let path = change.new.as_ref().or(change.old.as_ref()).map(|place| place.path.clone()).unwrap_or_default();
        let read = |place: &Option<Place>| -> Result<File, String> {
            let Some(place) = place else {
                return Ok(File::new(Source { name: path.clone(), path: None, text: String::new() }));
            };
            let source = self.repository.source(place)?;
            // A folder that is not there: what lies in the working folder is not what lay next to the file.
            let file = File::new(Source { path: Some(Path::new(FOLDER).join(&path)), ..source });
            unparsable(&file).map_or(Ok(file), Err)
        };
        let problem = match (read(&change.old), read(&change.new)) {
            (Ok(old), Ok(new)) => return Ok((old, new)),
            (Err(old), Err(new)) if old == new => format!("neither version can be compared: {new}"),
            (Err(old), Err(new)) => format!("neither version can be compared: {old}; {new}"),
            (Err(old), Ok(_)) => format!("the old version cannot be compared: {old}"),
            (Ok(_), Err(new)) => format!("the new version cannot be compared: {new}"),
        };
        Err(Candidate { name: path.clone(), path, versions: Err((Verdict::Unknown(problem), (1, 1))) })
    }

    /// Finds functions that one file lost and another one has, and of all files the definitions that have new names and the
    /// variables that changed.
    fn look_at_files(&mut self) {
        struct Loose {
            file: usize,
            function: Function,
            lines: Vec<u64>,
        }
        let loose = |file: usize, text: &str, functions: &[Function]| -> Vec<Loose> {
            let one = |function: &Function| {
                let lines = body(text, function).into_iter().map(hash).collect();
                Loose { file, function: function.clone(), lines }
            };
            functions.iter().map(one).collect()
        };
        let (mut gone, mut come, mut renamed) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut variables = ChangedVariables::default();
        for (file, change) in self.changes.iter().enumerate() {
            let Ok((old, new)) = self.files(change) else { continue };
            let found = matched(&old, &new);
            gone.extend(loose(file, old.text(), &found.removed));
            come.extend(loose(file, new.text(), &found.added));
            for (name, was) in found.renamed {
                renamed.entry(name).or_insert_with(BTreeSet::new).insert(was);
            }
            variables.add(&new.source.name, changed_variables(old.model(), new.model()));
        }
        // Only those with the same name or the very same body: all pairs would be too many.
        let name = |loose: &Loose| loose.function.qualname.rsplit('.').next().unwrap_or_default().to_owned();
        let (mut by_name, mut by_body): (BTreeMap<String, Vec<usize>>, BTreeMap<u64, Vec<usize>>) = Default::default();
        for (at, loose) in gone.iter().enumerate() {
            by_name.entry(name(loose)).or_default().push(at);
            by_body.entry(hash(&loose.lines)).or_default().push(at);
        }
        let mut alike = Vec::new();
        for (to, new) in come.iter().enumerate() {
            let named = by_name.get(&name(new)).into_iter().flatten();
            let same = by_body.get(&hash(&new.lines)).into_iter().flatten();
            let candidates: BTreeSet<usize> = named.chain(same).copied().collect();
            for from in candidates {
                let likeness = likeness(&gone[from].lines, &new.lines);
                if are_alike(likeness, new.lines.len()) {
                    alike.push((likeness, from, to));
                }
            }
        }
        let pairs = one_to_one(alike);
        let moved = |(from, to): (usize, usize)| {
            let (old, new) = (&gone[from], &come[to]);
            Move { from: old.file, to: new.file, old: old.function.clone(), new: new.function.clone() }
        };
        // A name that stands for several may be any of them.
        let only = |(name, mut was): (String, BTreeSet<String>)| {
            was.pop_first().filter(|_| was.is_empty()).map(|was| (name, was))
        };
        self.moves = pairs.into_iter().map(moved).collect();
        self.renamed = renamed.into_iter().filter_map(only).collect();
        self.variables = variables;
    }

    /// The functions of a file that the change touches: those on both sides with another text or other imports, those
    /// that came here from other files, and those that only one side has.
    pub fn candidates(&self, file: usize, context: Context) -> Vec<Candidate> {
        let change = &self.changes[file];
        let (old, new) = match self.files(change) {
            Ok(files) => files,
            Err(unknown) => return vec![unknown],
        };
        let mut found = matched(&old, &new);
        self.take_moved(file, &mut found);
        if !self.renamed.is_empty() {
            let known = names_in(old.text());
            for (name, was) in self.renamed.iter().filter(|(name, _)| !known.contains(name.as_str())) {
                found.renamed.entry(name.clone()).or_insert_with(|| was.clone());
            }
        }
        for (number, file) in [&old, &new].into_iter().enumerate() {
            if self.sides.is_some() && !found.state.internal.is_empty() {
                found.state.keep_unnamed_in(self.private_names(number), file.text());
            }
        }
        let imported = match context {
            Context::Module => self.variables.imported_by(new.text()),
            Context::None => BTreeSet::new(),
        };
        let mut candidates = candidates::of_matched(&old, &new, &found, context, &imported);
        candidates.retain(|candidate| match &candidate.versions {
            Err((Verdict::Equal(_), _)) => false,
            Ok(versions) => !is_untouched(&versions.0, &versions.1),
            Err(_) => true,
        });
        for candidate in &mut candidates {
            candidate.name = format!("{}::{}", candidate.path, candidate.name);
        }
        for moved in self.moves.iter().filter(|moved| moved.to == file) {
            let Ok((from, _)) = self.files(&self.changes[moved.from]) else { continue };
            // What stood around it in the other file is not what stands around it here.
            let versions = candidates::pair(
                (&from, &moved.old),
                (&new, &moved.new),
                &Siblings::none(),
                (&found.renamed, &found.state),
            );
            let path = &new.source.name;
            let name = format!("{}::{} (was {}::{})", path, label(&moved.new), from.source.name, label(&moved.old));
            candidates.push(Candidate { name, path: path.clone(), versions });
        }
        if matches!(context, Context::Module) {
            for candidate in &mut candidates {
                self.look_around(candidate);
            }
        }
        if let Some([old, new]) = &self.sides {
            for versions in candidates.iter_mut().filter_map(|candidate| candidate.versions.as_mut().ok()) {
                let [(before, path), (after, new_path)] = [(old, &versions.0.source), (new, &versions.1.source)];
                let places = match self.callees {
                    Callees::Own => [(before, path), (after, new_path)],
                    Callees::Old => [(before, path); 2],
                    Callees::New => [(after, new_path); 2],
                };
                let [old, new] = places.map(|(side, source)| self.place_in(side, source));
                (versions.0.place, versions.1.place) = (Some(old), Some(new));
            }
        }
        candidates
    }

    /// In how many modules of a side each private name stands, tests left out.
    fn private_names(&self, number: usize) -> &HashMap<String, usize> {
        self.private_names[number].get_or_init(|| {
            let mut found = HashMap::new();
            let folder = self.sides.as_ref().map(|sides| &sides[number].folder);
            for path in self.repository.files(number).unwrap_or_default().iter().filter(|path| !is_test(path)) {
                let text =
                    folder.and_then(|folder| std::fs::read_to_string(folder.join(path)).ok()).unwrap_or_default();
                for name in names_in(&text).into_iter().filter(|name| is_private(name)) {
                    *found.entry(name.to_owned()).or_default() += 1;
                }
            }
            found
        })
    }

    /// Where a version of a file lies on its side.
    fn place_in(&self, side: &Side, source: &Source) -> PlaceOfVersion {
        let (file, root) = (side.folder.join(&source.name), side.folder.clone());
        PlaceOfVersion { file, root, content: side.content.clone(), tests: Arc::clone(&self.tests) }
    }

    /// Gives both versions what they import of the repository.
    fn look_around(&self, candidate: &mut Candidate) {
        let Ok(versions) = &mut candidate.versions else { return };
        let (old, new) = (&versions.0.source, &versions.1.source);
        [versions.0.around, versions.1.around] =
            self.companions.of_both((&old.name, &old.text), (&new.name, &new.text));
    }

    fn take_moved(&self, file: usize, found: &mut Matched) {
        let is = |function: &Function, other: &Function| function == other;
        let from_here =
            |function: &Function| self.moves.iter().any(|moved| moved.from == file && is(function, &moved.old));
        let to_here = |function: &Function| self.moves.iter().any(|moved| moved.to == file && is(function, &moved.new));
        found.removed.retain(|function| !from_here(function));
        found.added.retain(|function| !to_here(function));
    }
}

/// True where the file's imports changed, but neither the function nor an import or a variable that it uses.
fn is_untouched(old: &Version, new: &Version) -> bool {
    if !new.reads.is_empty() {
        return false;
    }
    if full_lines(&old.own).eq(full_lines(&new.own)) {
        return true;
    }
    let lines = |version: &Version| {
        let lines = version.own.lines().take(version.last_line as usize);
        lines.skip(version.line as usize - 1).map(str::to_owned).collect::<Vec<_>>()
    };
    let is_same = |old: &SourceModel, new: &SourceModel| sameness(old, new) == Some(Sameness::Code);
    lines(old) == lines(new)
        && SourceModel::parse(old.own.as_str())
            .and_then(|old| Ok(is_same(&old, &SourceModel::parse(new.own.as_str())?)))
            .unwrap_or(false)
}

/// The lines of an excerpt: those that were taken out of it are blank.
fn full_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

/// Makes one change of a removed and an added file that are mostly the same; files that only have another name are
/// no change.
fn join_renamed(repository: &Repository, changes: &mut Vec<Change>) {
    let (whole, single): (Vec<Change>, Vec<Change>) =
        std::mem::take(changes).into_iter().partition(|change| change.old.is_some() && change.new.is_some());
    *changes = whole;
    let (removed, added): (Vec<Change>, Vec<Change>) = single.into_iter().partition(|change| change.old.is_some());
    let removed: Vec<Place> = removed.into_iter().filter_map(|change| change.old).collect();
    let added: Vec<Place> = added.into_iter().filter_map(|change| change.new).collect();
    let contents = |places: &[Place]| -> Vec<Contents> {
        let text = |place: &Place| repository.source(place).map(|source| source.text).unwrap_or_default();
        places.iter().map(|place| Contents::of(&place.path, &text(place))).collect()
    };
    let pairs = if removed.is_empty() || added.is_empty() {
        Vec::new()
    } else {
        renamed(&contents(&removed), &contents(&added))
    };
    let (from, to): (BTreeSet<usize>, BTreeSet<usize>) = pairs.iter().copied().unzip();
    for (old, new) in pairs {
        let (old, new) = (removed[old].clone(), added[new].clone());
        if !repository.are_equal(&old, &new) {
            changes.push(Change { old: Some(old), new: Some(new) });
        }
    }
    let left = |places: Vec<Place>, taken: &BTreeSet<usize>| -> Vec<Place> {
        places.into_iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, place)| place).collect()
    };
    changes.extend(left(removed, &from).into_iter().map(|old| Change { old: Some(old), new: None }));
    changes.extend(left(added, &to).into_iter().map(|new| Change { old: None, new: Some(new) }));
    let path = |change: &Change| change.new.as_ref().or(change.old.as_ref()).map(|place| place.path.clone());
    changes.sort_by_key(path);
}

/// Why a file is no Python 3.
fn unparsable(file: &File) -> Option<String> {
    let error = file.parsed().err()?;
    let old = cleanup::prepare(file.text()).repairs.into_iter();
    let mut old = old.filter(|repair| matches!(repair.kind, RepairKind::PrintStatement | RepairKind::Python2));
    Some(match old.next() {
        Some(repair) => format!("it is Python 2 (line {})", repair.line),
        None => format!("it does not parse: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_python_3_is_told_why() {
        let problem =
            |text: &str| unparsable(&File::new(Source { name: "a.py".to_owned(), path: None, text: text.to_owned() }));
        assert_eq!(problem("def f(): pass\n"), None);
        assert_eq!(problem("x = 1\nprint 'x'\n").as_deref(), Some("it is Python 2 (line 2)"));
        assert!(problem("def f(:\n").is_some_and(|problem| problem.starts_with("it does not parse")));
    }
}
