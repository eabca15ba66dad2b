//! Wrong names: misspelled, similar, of another version of Python, and hiding a builtin.

use ruff_python_ast::{ExprAttribute, ExprContext, ExprName};

use super::walk::Walk;
use super::{Edit, Operator};
use crate::semantic::bytes;

/// Names of Python 3, with what people who know Python 2 write.
const PYTHON_2: [(&str, &str); 6] = [
    ("input", "raw_input"),
    ("range", "xrange"),
    ("str", "unicode"),
    ("chr", "unichr"),
    ("int", "long"),
    ("sorted", "cmp"),
];
/// Methods and functions, with names under which people look for them.
const OTHER_NAMES: [(&str, &[&str]); 24] = [
    ("append", &["add", "push", "insert"]),
    ("add", &["append", "push"]),
    ("pop", &["remove", "shift"]),
    ("popleft", &["pop_left", "shift"]),
    ("appendleft", &["pushleft", "unshift"]),
    ("sort", &["sorted", "order"]),
    ("split", &["splits", "strip_split"]),
    ("strip", &["trim", "chomp"]),
    ("rstrip", &["trim", "chomp"]),
    ("lower", &["tolower", "lowercase"]),
    ("upper", &["toupper", "uppercase"]),
    ("replace", &["sub", "replaceAll"]),
    ("find", &["indexOf", "search"]),
    ("index", &["indexOf", "find"]),
    ("count", &["counts", "length"]),
    ("items", &["iteritems", "entries"]),
    ("keys", &["iterkeys"]),
    ("values", &["itervalues"]),
    ("get", &["fetch", "getattr"]),
    ("join", &["concat"]),
    ("readline", &["readLine", "read_line"]),
    ("reverse", &["reversed"]),
    ("isdigit", &["isnumber"]),
    ("extend", &["concat", "append_all"]),
];
/// Builtin functions after which people name variables.
const SHADOWED: [&str; 14] =
    ["max", "min", "sum", "list", "str", "int", "len", "input", "map", "set", "dict", "abs", "sorted", "range"];
/// Similar names that are tried in place of one.
const SIMILAR: usize = 2;

impl<'t> Walk<'t> {
    /// Wrong names in place of one that is read.
    pub(super) fn name(&mut self, name: &'t ExprName) {
        if name.ctx != ExprContext::Load {
            return;
        }
        let id = name.id.as_str();
        for (_, other) in PYTHON_2.iter().filter(|(right, _)| *right == id) {
            self.replace(Operator::Python2Name, name, *other);
        }
        // One misspelling of each place: which one depends on the place.
        let wrong = misspelled(id);
        if let Some(text) = wrong.get(name.range.start().to_usize() % wrong.len().max(1)) {
            self.replace(Operator::MisspelledName, name, text.clone());
        }
        let mut similar: Vec<&str> = self.bound.iter().copied().filter(|other| *other != id).collect();
        similar.sort_by_key(|other| (strsim::osa_distance(id, other), *other));
        for other in similar.into_iter().take(SIMILAR) {
            self.replace(Operator::SimilarName, name, other);
        }
    }

    /// Wrong names in place of an attribute's.
    pub(super) fn attribute(&mut self, attribute: &'t ExprAttribute) {
        let id = attribute.attr.as_str();
        for other in OTHER_NAMES.iter().filter(|(right, _)| *right == id).flat_map(|(_, others)| *others) {
            self.replace(Operator::WrongAttribute, &attribute.attr, *other);
        }
        let wrong = misspelled(id);
        if let Some(text) = wrong.get(attribute.range.start().to_usize() % wrong.len().max(1)) {
            self.replace(Operator::MisspelledAttribute, &attribute.attr, text.clone());
        }
    }

    /// Variables that are called as a builtin function is that the source calls, too.
    pub(super) fn shadow_builtins(&mut self) {
        let bound = self.bound.clone();
        let hidden: Vec<&str> =
            SHADOWED.into_iter().filter(|name| self.called.contains(name) && !bound.contains(name)).collect();
        for builtin in hidden {
            // People shorten: `max` for `max_value`, `sum` for `s`.
            let mut likely: Vec<&str> = bound.iter().copied().filter(|name| !self.called.contains(name)).collect();
            likely.sort_by_key(|name| (!name.contains(builtin), strsim::osa_distance(name, builtin)));
            for name in likely.into_iter().take(SIMILAR) {
                let places = self.names.iter().filter(|(other, _)| *other == name);
                let edits = places.map(|(_, range)| Edit { range: range.clone(), text: builtin.to_owned() });
                let edits: Vec<Edit> = edits.collect();
                self.edit(Operator::ShadowedBuiltin, edits);
            }
        }
    }

    /// One misspelled key: a string constant that a subscript holds.
    pub(super) fn misspelled_key(&mut self, key: &'t ruff_python_ast::ExprStringLiteral) {
        if let Some(text) = misspelled(key.value.to_str()).first() {
            let quoted = format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"));
            self.edit(Operator::WrongKey, vec![Edit { range: bytes(key), text: quoted }]);
        }
    }
}

/// Misspellings of a name: two letters exchanged, a letter missing or twice, the first letter in the other case.
fn misspelled(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let (Some(first), true) =
        (letters.first(), letters.iter().all(|letter| letter.is_alphanumeric() || *letter == '_'))
    else {
        return Vec::new();
    };
    let cased: String =
        if first.is_lowercase() { first.to_uppercase().collect() } else { first.to_lowercase().collect() };
    let cased = cased + &letters[1..].iter().collect::<String>();
    let mut found = Vec::new();
    if letters.len() > 2 {
        let mut swapped = letters.clone();
        let at = letters.len() - 2;
        swapped.swap(at, at + 1);
        found.push(swapped.iter().collect());
        let (start, end) = letters.split_at(letters.len() / 2);
        found.push(start.iter().chain(&end[1..]).collect());
        found.push(format!("{name}{}", letters[letters.len() - 1]));
    }
    found.push(cased);
    found.retain(|wrong: &String| wrong != name && !wrong.starts_with(|letter: char| letter.is_ascii_digit()));
    found
}
