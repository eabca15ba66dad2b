//! What builtin functions, and methods of builtin types, take and give.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::types::{Kinds, Type};

/// Attributes of builtin types, a line for each: all that a supported CPython has, but for those with underscores.
static ATTRIBUTES: LazyLock<FxHashMap<&'static str, FxHashSet<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("attributes.txt").lines().filter_map(|line| line.split_once(':'));
    lines.map(|(kind, names)| (kind, names.split_whitespace().collect())).collect()
});

/// True if values of a single kind have an attribute, or may have it.
pub(super) fn has_attribute(kind: Kinds, name: &str) -> bool {
    if name.starts_with('_') {
        return true;
    }
    let kind = match kind {
        Kinds::NONE | Kinds::METHOD => return false,
        Kinds::BOOL => "bool",
        Kinds::INT => "int",
        Kinds::FLOAT => "float",
        Kinds::COMPLEX => "complex",
        Kinds::STR => "str",
        Kinds::BYTES => "bytes",
        Kinds::LIST => "list",
        Kinds::TUPLE => "tuple",
        Kinds::DICT => "dict",
        Kinds::SET => "set",
        Kinds::RANGE => "range",
        Kinds::ITERATOR => "iterator",
        _ => return true,
    };
    ATTRIBUTES.get(kind).is_none_or(|names| names.contains(name))
}

/// How many arguments without a name a builtin function takes: at least, and at most.
pub(super) fn arity(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "input" | "list" | "tuple" | "set" | "frozenset" | "dict" | "float" | "bool" => (0, 1),
        "int" | "complex" => (0, 2),
        "str" | "bytes" => (0, 3),
        "len" | "abs" | "ord" | "chr" | "hex" | "oct" | "bin" | "all" | "any" | "reversed" | "sorted" | "repr" => {
            (1, 1)
        }
        "round" | "enumerate" | "iter" | "next" | "sum" => (1, 2),
        "range" => (1, 3),
        "divmod" | "filter" => (2, 2),
        "pow" => (2, 3),
        "map" => (2, usize::MAX),
        "max" | "min" => (1, usize::MAX),
        _ => return None,
    })
}

/// What the first argument of a builtin function has to be, if it is the only one.
pub(super) fn takes(name: &str, arguments: usize) -> Option<Kinds> {
    let text_or_number = Kinds::REAL | Kinds::STR | Kinds::BYTES | Kinds::OTHER;
    Some(match name {
        "len" => Kinds::SIZED,
        "list" | "tuple" | "set" | "frozenset" | "sum" | "sorted" | "enumerate" | "all" | "any" | "iter" => {
            Kinds::ITERABLE
        }
        "max" | "min" if arguments == 1 => Kinds::ITERABLE,
        "reversed" => (Kinds::ITERABLE).difference(Kinds::SET | Kinds::ITERATOR),
        "int" | "float" if arguments == 1 => text_or_number,
        "range" | "chr" | "hex" | "oct" | "bin" => Kinds::WHOLE | Kinds::OTHER,
        "abs" => Kinds::NUMBERS | Kinds::OTHER,
        "round" | "divmod" => Kinds::REAL | Kinds::OTHER,
        // With a base.
        "int" | "ord" => Kinds::STR | Kinds::BYTES | Kinds::OTHER,
        "next" => Kinds::ITERATOR | Kinds::OTHER,
        _ => return None,
    })
}

/// What a builtin function gives; `None` for one that is none of these. `result` is what the function gives that `map`
/// calls.
pub(super) fn given(name: &str, arguments: &[Type], result: Option<Type>) -> Option<Type> {
    let first = || arguments.first().cloned().unwrap_or_default();
    let element = || if arguments.is_empty() { Type::default() } else { first().element() };
    Some(match name {
        "input" | "str" | "repr" | "chr" | "hex" | "oct" | "bin" | "format" | "ascii" => Kinds::STR.into(),
        "int" | "len" | "ord" | "hash" | "id" => Kinds::INT.into(),
        "float" => Kinds::FLOAT.into(),
        "complex" => Kinds::COMPLEX.into(),
        "bool" | "isinstance" | "all" | "any" | "callable" | "hasattr" | "issubclass" => Kinds::BOOL.into(),
        "bytes" => Kinds::BYTES.into(),
        "print" => Kinds::NONE.into(),
        "range" => Kinds::RANGE.into(),
        "dict" => Kinds::DICT.into(),
        "list" | "sorted" => Type::of(Kinds::LIST, element()),
        "tuple" => Type::of(Kinds::TUPLE, element()),
        "set" | "frozenset" => Type::of(Kinds::SET, element()),
        "reversed" | "iter" => Type::of(Kinds::ITERATOR, element()),
        "filter" => Type::of(Kinds::ITERATOR, arguments.get(1).map(Type::element).unwrap_or_default()),
        "map" => Type::of(Kinds::ITERATOR, result.unwrap_or_else(Type::unknown)),
        "enumerate" => Type::of(Kinds::ITERATOR, Type::tuple(vec![Kinds::INT.into(), element()])),
        "zip" => Type::of(Kinds::ITERATOR, Type::tuple(arguments.iter().map(Type::element).collect())),
        "next" => element(),
        "max" | "min" if arguments.len() == 1 => element(),
        "max" | "min" => arguments.iter().fold(Type::default(), Type::join),
        "abs" if first().is_within(Kinds::REAL) => match first().kinds {
            kinds if Kinds::WHOLE.contains(kinds) => Kinds::INT.into(),
            kinds => kinds.into(),
        },
        "round" if arguments.len() == 1 && first().is_within(Kinds::REAL) => Kinds::INT.into(),
        "sum" if arguments.len() == 1 && element().is_within(Kinds::REAL) => match element().kinds {
            kinds if Kinds::WHOLE.contains(kinds) => Kinds::INT.into(),
            kinds => (kinds | Kinds::INT).into(),
        },
        "abs" | "round" | "sum" | "pow" | "divmod" => Type::unknown(),
        _ => return None,
    })
}

/// What a method of a builtin type gives.
pub(super) fn given_by_method(kind: Kinds, name: &str, value: &Type) -> Type {
    let texts = |kind: Kinds| -> Type {
        match name {
            "split" | "rsplit" | "splitlines" => Type::of(Kinds::LIST, kind.into()),
            "partition" | "rpartition" => Type::tuple(vec![kind.into(), kind.into(), kind.into()]),
            "count" | "find" | "rfind" | "index" | "rindex" => Kinds::INT.into(),
            "encode" => Kinds::BYTES.into(),
            "decode" | "hex" => Kinds::STR.into(),
            "maketrans" => Type::unknown(),
            name if name.starts_with("is") || name.ends_with("swith") => Kinds::BOOL.into(),
            _ => kind.into(),
        }
    };
    match kind {
        Kinds::STR | Kinds::BYTES => texts(kind),
        Kinds::LIST | Kinds::TUPLE | Kinds::RANGE => match name {
            "count" | "index" => Kinds::INT.into(),
            "pop" => value.element(),
            "copy" => value.clone(),
            "append" | "extend" | "insert" | "remove" | "sort" | "reverse" | "clear" => Kinds::NONE.into(),
            _ => Type::unknown(),
        },
        Kinds::SET => match name {
            "add" | "discard" | "remove" | "clear" | "update" => Kinds::NONE.into(),
            "pop" => value.element(),
            name if name.starts_with("is") => Kinds::BOOL.into(),
            _ => Type::of(Kinds::SET, Type::unknown()),
        },
        Kinds::DICT => match name {
            "keys" | "values" | "items" | "get" | "pop" | "setdefault" | "popitem" | "fromkeys" => Type::unknown(),
            "copy" => Kinds::DICT.into(),
            _ => Kinds::NONE.into(),
        },
        _ => Type::unknown(),
    }
}

/// How many arguments a method of a container or text takes: at least, and at most.
pub(super) fn method_arity(kind: Kinds, name: &str) -> Option<(usize, usize)> {
    let is_text = matches!(kind, Kinds::STR | Kinds::BYTES);
    Some(match name {
        "append" | "extend" | "remove" | "count" if kind == Kinds::LIST => (1, 1),
        "add" | "remove" | "discard" if kind == Kinds::SET => (1, 1),
        "join" if is_text => (1, 1),
        "insert" if kind == Kinds::LIST => (2, 2),
        "pop" if kind == Kinds::LIST => (0, 1),
        "strip" | "lstrip" | "rstrip" if is_text => (0, 1),
        "replace" if is_text => (2, 3),
        "split" if is_text => (0, 2),
        "upper" | "lower" | "isdigit" | "isalpha" | "swapcase" | "title" | "capitalize" if is_text => (0, 0),
        "sort" | "reverse" if kind == Kinds::LIST => (0, 0),
        "keys" | "values" | "items" | "popitem" if kind == Kinds::DICT => (0, 0),
        "clear" | "copy" if matches!(kind, Kinds::LIST | Kinds::SET | Kinds::DICT) => (0, 0),
        _ => return None,
    })
}
