//! Sessions in the docstrings of Python files, as doctest runs them: those of one docstring together, with the names of
//! the module.

use std::collections::BTreeSet;
use std::path::Path;

use surmise_instrument::docstrings::{Docstring, docstrings};
use surmise_instrument::{LineIndex, SourceModel};
use surmise_project::Module;

use crate::page::{CodeLine, Columns, Listing, Names};
use crate::{restructured, session};

/// The sessions of a file, each with the number of its docstring.
pub(crate) fn listings(model: &SourceModel) -> Vec<Listing> {
    let index = LineIndex::new(model.text());
    let mut found = Vec::new();
    for (number, docstring) in (0..).zip(docstrings(model)) {
        let sessions = restructured::listings(&lines(&docstring, model.text(), &index)).into_iter();
        let sessions = sessions.filter(|listing| session::is_session(&listing.lines));
        found.extend(sessions.map(|listing| Listing { docstring: Some(number), ..listing }));
    }
    found
}

/// The names that the docstrings of a file may use without importing them; none for a file that cannot be imported.
pub(crate) fn names(path: &Path, model: &SourceModel) -> Option<Names> {
    let module = Module::of_functions(path).or_else(|| {
        let path = path.canonicalize().ok()?;
        let name = path.file_stem()?.to_str()?.to_owned();
        let is_name = SourceModel::parse(format!("import {name}\n")).is_ok();
        is_name.then_some(Module { name, root: path.parent()?.to_owned() })
    })?;
    // To import what is meant to be run is to run it.
    if module.name.ends_with("__main__") {
        return None;
    }
    let names: BTreeSet<String> = model.bound_globals().map(str::to_owned).collect();
    Some(Names { module: module.name, root: module.root, names })
}

/// The lines of a docstring, with their places in the file.
fn lines(docstring: &Docstring, text: &str, index: &LineIndex) -> Vec<CodeLine> {
    let place = |offset: u32| {
        let line = index.line(offset);
        let before = text.get(index.start(line) as usize..offset as usize).unwrap_or_default();
        (line, before.chars().count() as u32)
    };
    let mut at = 0;
    let mut found = Vec::new();
    for line in docstring.text.split('\n') {
        let length = line.chars().count();
        let places: Vec<(u32, u32)> = docstring.offsets[at..=at + length].iter().map(|offset| place(*offset)).collect();
        at += length + 1;
        let (number, first) = places[0];
        let is_shifted =
            places.iter().zip(first..).all(|((line, column), wanted)| *line == number && *column == wanted);
        let columns = if is_shifted {
            Columns::Shift(first)
        } else {
            Columns::Table(places.iter().map(|(_, column)| *column).collect())
        };
        found.push(CodeLine { text: line.to_owned(), line: number, columns });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_places_in_the_file() {
        let source = "import os\n\ndef f(x):\n    \"\"\"Adds.\n\n    >>> f(1)\n    2\n    >>> f('\\\\n') + 1\n\n    Text::\n\n        code(1)\n    \"\"\"\n    return x + 1\n\nclass C:\n    '''>>> C()'''\n";
        let model = SourceModel::parse(source).expect("it parses");
        let found = listings(&model);
        let numbers: Vec<Option<u32>> = found.iter().map(|listing| listing.docstring).collect();
        assert_eq!(numbers, [Some(0), Some(1)], "literal blocks are no sessions");
        let [first, _, escaped] = &found[0].lines[..] else { panic!("{:?}", found[0].lines) };
        assert_eq!((first.line, first.text.as_str(), &first.columns), (6, ">>> f(1)", &Columns::Shift(4)));
        assert_eq!((escaped.line, escaped.text.as_str()), (8, ">>> f('\\n') + 1"));
        let plus = escaped.text.find('+').expect("a sum") as u32;
        assert_eq!(escaped.columns.of(plus), 17, "the backslash is written twice");
        assert_eq!((found[1].lines[0].line, &found[1].lines[0].columns), (17, &Columns::Shift(7)));
    }
}
