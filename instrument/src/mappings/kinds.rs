//! Of what kind values are that are used in some ways: mappings, sequences, texts.

use std::collections::BTreeSet;

/// Methods by which a mapping is asked what it holds.
pub(super) const METHODS: &[&str] = &["get", "items", "keys", "move_to_end", "pop", "setdefault", "values"];

/// Methods that texts have and hardly anything else.
pub(super) const TEXT_METHODS: &[&str] = &[
    "capitalize",
    "casefold",
    "center",
    "endswith",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isspace",
    "isupper",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "upper",
    "zfill",
];

/// Methods that are given a text by position, of regular expressions: their names, and its number.
pub(super) const OF_PATTERNS: &[(&str, usize)] =
    &[("search", 0), ("match", 0), ("fullmatch", 0), ("findall", 0), ("finditer", 0), ("sub", 1), ("subn", 1)];

/// Functions that ask for all elements of what they are given.
pub(super) const ITERATING: &[&str] = &["list", "sorted", "set", "tuple", "iter", "enumerate", "reversed", "zip"];

/// Membership of a key under which there is an item, too.
pub(super) const KEYED: &str = "keyed";
/// All keys and values of it go into another mapping, or into a call: `**x`.
pub(super) const UNPACKED: &str = "unpacked";
/// A slice that is compared with a text.
pub(super) const PART: &str = "part";
/// What `find` gives is compared with a number: other objects have a method of that name, too.
pub(super) const FIND: &str = "find";
/// An operand of `+` beside a text.
pub(super) const JOINED: &str = "joined";
/// A value that is compared with `True` or `False`.
pub(super) const FLAG: &str = "flag";
/// Parts of it that are written out are replaced by other texts.
pub(super) const REPLACED: &str = "replaced";
/// A text that a method of a text is given: what begins with it.
pub(super) const GIVEN: &str = "given";
/// A value that is written into a text: by an f-string, `%`, `format` or `str`.
pub(super) const FORMATTED: &str = "formatted";

/// True for ways that together are those of a mapping: one of its methods, and something else.
#[must_use]
pub fn is_mapping(ways: &BTreeSet<String>) -> bool {
    let others = ways.iter().filter(|way| ![JOINED, FORMATTED, FLAG].contains(&way.as_str()));
    let is_of_mapping = |way: &str| [KEYED, UNPACKED, "dict"].contains(&way) || METHODS.contains(&way);
    others.count() > 1 && ways.iter().any(|way| is_of_mapping(way))
}

/// True for ways among which is one that containers have, and texts: what it holds, how much, or which parts.
#[must_use]
pub fn is_container(ways: &BTreeSet<String>) -> bool {
    const OF_CONTAINERS: [&str; 9] =
        ["iteration", "length", "item", "key", "membership", UNPACKED, "update", "dict", "index"];
    ways.iter().any(|way| OF_CONTAINERS.contains(&way.as_str()) || METHODS.contains(&way.as_str()))
}

/// True for ways among which is one that only `True` and `False` have.
#[must_use]
pub fn is_flag(ways: &BTreeSet<String>) -> bool {
    ways.contains(FLAG)
}

/// True for ways that together are those of a sequence: its items by number or by what they are equal to, and all of them.
#[must_use]
pub fn is_sequence(ways: &BTreeSet<String>) -> bool {
    let has = |way: &str| ways.contains(way);
    let is_keyed = has("key") || METHODS.iter().any(|method| has(method));
    let is_in_order = has("item") || has("index") || has("remove");
    is_in_order && ["iteration", "length", "membership"].iter().any(|way| has(way)) && !is_keyed && !is_mapping(ways)
}

/// True for ways among which is one that texts alone have.
#[must_use]
pub fn is_text(ways: &BTreeSet<String>) -> bool {
    let is_of_text = |way: &str| {
        let method = way.split('(').next().unwrap_or(way);
        [PART, FIND, JOINED, REPLACED].contains(&way)
            || way.starts_with(GIVEN)
            || TEXT_METHODS.contains(&method)
            || OF_PATTERNS.iter().any(|(method, _)| *method == way)
    };
    ways.iter().any(|way| is_of_text(way)) && !is_mapping(ways)
}
