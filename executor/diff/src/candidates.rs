//! Functions of two files, to be compared: both versions of each, with what they need of their files.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::source::Source;
use surmise_instrument::SourceModel;
use surmise_instrument::constructors::{Constructors, constructors};
use surmise_instrument::extract::{self, Definition, DefinitionKind, Function};
use surmise_instrument::initial::initial_attributes;

use super::candidate::{Candidate, Known, Version};
use super::companions::Found;
use super::file::File;
use super::matched_functions::{Matched, label, matched};
use super::object_state::ObjectState;
use super::siblings::{Context, Siblings};
use super::verdict::{Ground, Verdict};

/// Functions of a file that are compared because what they read changed, and nothing else.
const MOST_READERS: usize = 20;

/// The functions of two files as candidates, in the order of the new one, removed ones last.
pub fn functions(old: &File, new: &File, context: Context) -> Vec<Candidate> {
    of_matched(old, new, &matched(old, new), context, &BTreeSet::new())
}

/// The functions of two files as candidates, once they are matched. `imported` are variables of other files that changed, by the
/// names by which these files read them.
pub fn of_matched(
    old: &File,
    new: &File,
    matched: &Matched,
    context: Context,
    imported: &BTreeSet<String>,
) -> Vec<Candidate> {
    let mut siblings = match context {
        Context::Module => Siblings::of(old.model(), new.model()),
        Context::None => Siblings::none(),
    };
    siblings.changed.extend(imported.iter().cloned());
    let mut readers = 0;
    let mut reads_what_changed = |function: &Function| {
        let read = new.model().map(|model| extract::variables_read(model, function, &siblings.changed));
        let is_reader = read.is_some_and(|read| !read.is_empty()) && readers < MOST_READERS;
        readers += usize::from(is_reader);
        is_reader
    };
    let same_imports = old.model().map(extract::imports) == new.model().map(extract::imports);
    let lines = [old, new].map(|file| file.text().lines().collect::<Vec<_>>());
    let both = matched.both.iter().map(|(was, is)| {
        let name = match (label(was), label(is)) {
            (was, is) if was == is => is,
            (was, is) => format!("{is} (was {was})"),
        };
        let untouched = same_imports && label(was) == label(is) && lines_of(&lines[0], was) == lines_of(&lines[1], is);
        let versions = if untouched && !reads_what_changed(is) {
            Err((Verdict::Equal(Ground::SameCode), (was.line, is.line)))
        } else {
            pair((old, was), (new, is), &siblings, (&matched.renamed, &matched.state))
        };
        Candidate { name, path: new.source.name.clone(), versions }
    });
    let added = matched.added.iter().map(|function| added(&new.source, function));
    let mut candidates: Vec<Candidate> = both.chain(added).collect();
    candidates.sort_by_key(|candidate| candidate.lines().1);
    candidates.extend(matched.removed.iter().map(|function| removed(&old.source, function)));
    candidates
}

/// A function that only the new file has.
pub fn added(new: &Source, function: &Function) -> Candidate {
    let versions = Err((Verdict::Added, (0, function.line)));
    Candidate { name: label(function), path: new.name.clone(), versions }
}

/// A function that only the old file has.
pub fn removed(old: &Source, function: &Function) -> Candidate {
    let versions = Err((Verdict::Removed, (function.line, 0)));
    Candidate { name: label(function), path: old.name.clone(), versions }
}

/// Both versions of a function.
pub fn pair(
    (old, was): (&File, &Function),
    (new, is): (&File, &Function),
    siblings: &Siblings,
    (renamed, state): (&BTreeMap<String, String>, &ObjectState),
) -> Result<Box<(Version, Version)>, Known> {
    match (
        version(old, was, &siblings.taken[0], &siblings.changed),
        version(new, is, &siblings.taken[1], &siblings.changed),
    ) {
        (Ok(mut before), Ok(mut after)) => {
            let texts = [with_helpers(old, was, &after.own), with_helpers(new, is, &before.own)];
            [before.with_helpers, after.with_helpers] = texts;
            [before.defined_here, after.defined_here] = siblings.defined.clone();
            after.renamed.clone_from(renamed);
            after.state.clone_from(state);
            if let (Some(class), Some(name)) = (class_of(was), class_of(is))
                && class != name
            {
                after.renamed.insert(name.to_owned(), class.to_owned());
            }
            Ok(Box::new((before, after)))
        }
        (Err(error), _) | (_, Err(error)) => Err((Verdict::Unknown(error.to_string()), (was.line, is.line))),
    }
}

/// Both versions of a record's function, which is the first one of its text.
pub fn record(name: &str, old: &str, new: &str) -> Candidate {
    let only = |text: &str, which: &str| {
        let text = dedented(text);
        let model = SourceModel::parse(text.as_str());
        let model = model.map_err(|error| format!("the {which} version does not parse: {error}"))?;
        let first = extract::qualnames(&model).into_iter().next();
        let first = first.ok_or_else(|| format!("the {which} version has no function"))?;
        let source = Source { name: name.to_owned(), path: None, text: text.clone() };
        let around = Found::default();
        let (line, last_line) = (first.line, first.last_line);
        Ok(Version {
            source,
            own: text.clone(),
            reads: BTreeMap::new(),
            with_helpers: text,
            defined_here: BTreeSet::new(),
            around,
            constructors: Constructors::default(),
            attributes: BTreeMap::new(),
            renamed: BTreeMap::new(),
            state: ObjectState::default(),
            place: None,
            qualname: first.qualname,
            line,
            last_line,
        })
    };
    let versions = match (only(old, "old"), only(new, "new")) {
        (Ok(old), Ok(new)) => Ok(Box::new((old, new))),
        (Err(message), _) | (_, Err(message)) => Err((Verdict::Unknown(message), (0, 0))),
    };
    Candidate { name: name.to_owned(), path: String::new(), versions }
}

/// A version with these definitions of its module, and with variables that changed.
fn version(
    file: &File,
    function: &Function,
    wanted: &BTreeSet<String>,
    changed: &BTreeSet<String>,
) -> Result<Version, extract::NotFound> {
    let not_found = || extract::NotFound { qualname: function.qualname.clone(), nearest: Vec::new() };
    let model = file.model().ok_or_else(not_found)?;
    let own = extract::in_module(model, function, &|name| changed.contains(name))?;
    let text = if wanted.is_empty() {
        own.clone()
    } else {
        extract::in_module(model, function, &|name| wanted.contains(name) || changed.contains(name))?
    };
    let reads = extract::variables_read(model, function, changed);
    let source = Source { text, ..file.source.clone() };
    let (qualname, around) = (function.qualname.clone(), Found::default());
    let class = function.qualname.rsplit_once('.').map(|(class, _)| class);
    let constructors = class.map(|class| constructors(model, class)).unwrap_or_default();
    let attributes = class.map(|class| initial_attributes(model, class)).unwrap_or_default();
    Ok(Version {
        source,
        with_helpers: own.clone(),
        defined_here: BTreeSet::new(),
        own,
        reads,
        around,
        constructors,
        attributes,
        renamed: BTreeMap::new(),
        state: ObjectState::default(),
        place: None,
        qualname,
        line: function.line,
        last_line: function.last_line,
    })
}

/// The class around a method.
fn class_of(function: &Function) -> Option<&str> {
    function.qualname.rsplit_once('.').and_then(|(around, _)| around.rsplit('.').next())
}

/// A function with the functions of its file that it calls, and that the other version does not name.
fn with_helpers(file: &File, function: &Function, other: &str) -> String {
    let Some(model) = file.model() else { return String::new() };
    let is_part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: BTreeSet<&str> = other.split(|letter| !is_part_of_name(letter)).collect();
    let is_helper = |definition: &Definition| {
        let last = definition.name.rsplit('.').next().unwrap_or_default();
        definition.is_plain && definition.kind == DefinitionKind::Function && !words.contains(last)
    };
    let helpers: BTreeSet<String> =
        extract::definitions(model).into_iter().filter(is_helper).map(|definition| definition.name).collect();
    extract::in_module(model, function, &|name| helpers.contains(name)).unwrap_or_default()
}

/// The lines of a file that a function stands on.
fn lines_of<'l, 't>(lines: &'l [&'t str], function: &Function) -> &'l [&'t str] {
    let first = function.line.saturating_sub(1) as usize;
    lines.get(first..lines.len().min(function.last_line as usize)).unwrap_or_default()
}

/// The text without the indentation that its first line has.
fn dedented(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let indent = &first[..first.len() - first.trim_start().len()];
    if indent.is_empty() {
        return text.to_owned();
    }
    text.lines().flat_map(|line| [line.strip_prefix(indent).unwrap_or(line), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File::new(Source { name: "a.py".into(), path: None, text: text.into() })
    }

    #[test]
    fn functions_are_matched_by_name_and_moved_ones_by_their_bodies() {
        let old = "def f(): return 1\nclass C:\n    def m(self):\n        a()\n        b()\n        return c\ndef g(): pass\n";
        let new = "def f(): return 2\nclass D:\n    def m(self):\n        a()\n        b()\n        return c\ndef h(): pass\n";
        let found = functions(&file(old), &file(new), Context::Module);
        let names: Vec<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["f", "D.m (was C.m)", "h", "g"]);
        assert!(matches!(found[2].versions, Err((Verdict::Added, _))));
        assert!(matches!(found[3].versions, Err((Verdict::Removed, _))));
    }

    #[test]
    fn helpers_that_the_other_version_does_not_name_come_along() {
        let old = "def f(a):\n    return a + 1\ndef old(): pass\n";
        let new = "def f(a):\n    return g(a) + old()\ndef g(a):\n    return h(a)\ndef h(a): return a\n@d\ndef i(): pass\n\
                   def old(): pass\n";
        let found = functions(&file(old), &file(new), Context::Module);
        let versions = found[0].versions.as_ref().expect("both have it");
        assert!(versions.1.with_helpers.contains("def g") && versions.1.with_helpers.contains("def h"));
        assert!(versions.1.with_helpers.contains("def old") && !versions.1.with_helpers.contains("def i"));
        assert!(!versions.1.own.contains("def g") && !versions.0.with_helpers.contains("def old"));
        assert_eq!(versions.1.with_helpers.lines().nth(2), Some("def g(a):"), "on its own line");
        let here = |version: &Version| version.defined_here.iter().cloned().collect::<Vec<_>>();
        assert_eq!((here(&versions.0), here(&versions.1)), (vec![], vec!["g".into(), "h".into(), "i".into()]));
    }
}
