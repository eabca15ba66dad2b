//! Which functions two versions of a source have in common.

use std::collections::BTreeMap;

use surmise_instrument::extract::{self, Function};
use surmise_instrument::object_attributes::object_attributes;

use super::file::File;
use super::object_state::{ObjectState, add_mangled_names, renamed_privates};
use super::renamed_definitions::{renamed_classes, renamed_functions};
use super::renames::likeness;

/// How alike two bodies must be to be one function under two names.
const ALIKE: f64 = 0.8;

/// The functions of two files.
#[derive(Clone, Debug, Default)]
pub struct Matched {
    /// Functions that both files have, old and new.
    pub both: Vec<(Function, Function)>,
    /// Functions that only the new file has.
    pub added: Vec<Function>,
    /// Functions that only the old file has.
    pub removed: Vec<Function>,
    /// New names of classes, functions and what is private, with the old ones.
    pub renamed: BTreeMap<String, String>,
    /// What attributes of objects count as.
    pub state: ObjectState,
}

/// Matches functions by their names, those of renamed classes by the old ones, then by their bodies.
pub fn matched(old: &File, new: &File) -> Matched {
    let renamed = renamed_classes(old.model(), new.model());
    let former = |function: &Function| {
        let label = label(function);
        match label.split_once('.').and_then(|(class, rest)| Some((renamed.get(class)?, rest))) {
            Some((class, rest)) => format!("{class}.{rest}"),
            None => label,
        }
    };
    let (before, after) = (last_of_each(outermost(old)), last_of_each(outermost(new)));
    let defined = outermost(old);
    let mut gone: Vec<&Function> =
        before.iter().filter(|function| !after.iter().any(|other| former(other) == label(function))).collect();
    let mut found = Matched::default();
    for function in &after {
        let same = most_alike(defined.iter().filter(|other| label(other) == former(function)), function, old, new);
        match same.or_else(|| moved(&mut gone, function, old.text(), new.text())) {
            Some(was) => found.both.push((was.clone(), function.clone())),
            None => found.added.push(function.clone()),
        }
    }
    found.removed = gone.into_iter().cloned().collect();
    let pairs = found.both.iter().map(|(was, is)| (was.qualname.as_str(), is.qualname.as_str()));
    found.renamed = renamed_functions(pairs, old.text()).collect();
    found.renamed.extend(renamed);
    for (name, was) in renamed_privates(old.text(), new.text()) {
        found.renamed.entry(name).or_insert(was);
    }
    if let Some(model) = new.model() {
        add_mangled_names(&mut found.renamed, &object_attributes(model));
    }
    found.state = ObjectState::of(old.model(), new.model(), &found.renamed);
    found
}

/// A function's name among those of its file: a property's setter has the same qualified name as the property.
pub fn label(function: &Function) -> String {
    match &function.accessor {
        Some(accessor) => format!("{} ({accessor})", function.qualname),
        None => function.qualname.clone(),
    }
}

/// Functions that are not inside of others: a change of an inner one is one of the outer.
fn outermost(file: &File) -> Vec<Function> {
    let all = file.model().map_or_else(Vec::new, extract::qualnames);
    let inside = |function: &Function| {
        all.iter().any(|other| {
            function.qualname.strip_prefix(&other.qualname).is_some_and(|rest| rest.starts_with('.'))
                && other.line <= function.line
                && function.last_line <= other.last_line
        })
    };
    all.iter().filter(|function| !inside(function)).cloned().collect()
}

/// Of several definitions of a name the last holds.
fn last_of_each(mut outer: Vec<Function>) -> Vec<Function> {
    let names: Vec<String> = outer.iter().map(label).collect();
    let mut at = 0;
    outer.retain(|function| {
        at += 1;
        !names[at..].contains(&label(function))
    });
    outer
}

/// Of several definitions of a function, as the branches of a condition have them, the one whose body is most like another; of
/// those that are as like, the last.
fn most_alike<'f>(
    definitions: impl Iterator<Item = &'f Function>,
    function: &Function,
    old: &File,
    new: &File,
) -> Option<&'f Function> {
    let definitions: Vec<&Function> = definitions.collect();
    if definitions.len() < 2 {
        return definitions.first().copied();
    }
    let mine = body(new.text(), function);
    let alike = |other: &Function| likeness(&body(old.text(), other), &mine);
    definitions.into_iter().max_by(|one, other| alike(one).total_cmp(&alike(other)))
}

/// The lines of a function's body, for its likeness to another.
pub fn body<'t>(text: &'t str, function: &Function) -> Vec<&'t str> {
    let lines = text.lines().skip(function.line as usize).take((function.last_line - function.line) as usize);
    lines.map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// True for functions that are the same under two names: bodies of one line are alike by chance.
pub fn are_alike(likeness: f64, lines: usize) -> bool {
    lines >= 2 && likeness >= ALIKE
}

/// The removed function whose body is this one's, or is most like it.
fn moved<'f>(gone: &mut Vec<&'f Function>, function: &Function, old: &str, new: &str) -> Option<&'f Function> {
    let mine = body(new, function);
    let alike = gone.iter().map(|other| likeness(&body(old, other), &mine)).enumerate();
    let (at, best) = alike.max_by(|a, b| a.1.total_cmp(&b.1))?;
    are_alike(best, mine.len()).then(|| gone.remove(at))
}

#[cfg(test)]
mod tests {
    use surmise_engine::source::Source;

    use super::*;

    fn file(text: &str) -> File {
        File::new(Source { name: "a.py".into(), path: None, text: text.into() })
    }

    #[test]
    fn of_several_definitions_the_one_that_is_most_like_the_new_one_is_compared() {
        let old = "if A:\n    def f(a):\n        b = g(a)\n        return b\nelse:\n    def f(a):\n        return 2\n";
        let new = "def f(a):\n    b = g(a)\n    return b\n";
        let lines = |old: &str, new: &str| {
            let found = matched(&file(old), &file(new));
            found.both.iter().map(|(was, is)| (was.line, is.line)).collect::<Vec<_>>()
        };
        assert_eq!(lines(old, new), [(2, 1)]);
        assert_eq!(lines(old, "def f(a):\n    return 3\n"), [(6, 1)], "the last, where none is like it");
        assert_eq!(lines(new, old), [(1, 6)], "of the new ones the last holds");
    }
}
