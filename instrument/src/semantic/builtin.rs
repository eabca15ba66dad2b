//! Names that every supported CPython (3.9 to 3.14) finds without any binding in the source.

use std::sync::LazyLock;

use ruff_python_stdlib::builtins::python_builtins;
use ruff_python_stdlib::sys::is_known_standard_library;
use rustc_hash::FxHashMap;

/// The oldest Python that is supported: what it has, all have.
const OLDEST: u8 = 9;
/// The newest Python that is supported.
const NEWEST: u8 = 14;

/// The module's own names, besides those that builtins have, too.
const MODULE_NAMES: [&str; 4] = ["__builtins__", "__cached__", "__class__", "__file__"];

/// Builtins whose calls are not hooked: they look at their caller's frame, or an injected argument never makes
/// them fail.
#[rustfmt::skip]
const UNHOOKED_CALLS: &[&str] = &[
    "bool", "callable", "dir", "eval", "exec", "globals", "hasattr", "id", "isinstance", "locals", "print", "range",
    "repr", "type", "vars",
];

/// Builtins that go over their only argument.
#[rustfmt::skip]
const ITERATING: &[&str] = &[
    "all", "any", "dict", "enumerate", "frozenset", "iter", "len", "list", "max", "min", "reversed", "set", "sorted",
    "sum", "tuple",
];
/// Builtins whose arguments are numbers.
const NUMERIC: &[&str] = &["abs", "bin", "chr", "divmod", "hex", "range", "round"];

/// Modules that a CPython may lack, by the platform or by what it was built with.
#[rustfmt::skip]
const OPTIONAL_MODULES: &[&str] = &[
    "antigravity", "bz2", "ctypes", "curses", "dbm", "ensurepip", "idlelib", "lzma", "msvcrt", "nt", "ntpath",
    "nturl2path", "pydoc_data", "readline", "sqlite3", "ssl", "this", "tkinter", "turtle", "turtledemo", "venv",
    "winreg", "winsound", "xx", "xxlimited", "xxsubtype", "zlib",
];

/// True for the name of a top-level module that every supported CPython has, whatever it was built with.
pub(crate) fn is_standard_module(name: &str) -> bool {
    let known = [OLDEST, NEWEST].into_iter().all(|version| is_known_standard_library(version, name));
    known && !name.starts_with('_') && OPTIONAL_MODULES.binary_search(&name).is_err()
}

/// What a builtin does with its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Arguments {
    #[default]
    Plain,
    /// They are numbers.
    Numbers,
    /// It goes over the only one.
    IteratesOne,
    /// It goes over each.
    IteratesAll,
}

/// What a name means where nothing binds it.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the name, in any combination")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Builtin {
    pub(crate) exists: bool,
    /// Its calls are not hooked.
    pub(crate) call_stays_plain: bool,
    /// The compiler makes the `__class__` cell where it sees the name.
    pub(crate) makes_cell: bool,
    /// Class bodies have it.
    pub(crate) in_classes: bool,
    pub(crate) arguments: Arguments,
}

/// Asked once for every name of a source.
static BUILTIN_TABLE: LazyLock<FxHashMap<&'static str, Builtin>> = LazyLock::new(|| {
    let mut table: FxHashMap<&'static str, Builtin> = FxHashMap::default();
    for name in python_builtins(OLDEST, false).chain(MODULE_NAMES) {
        table.entry(name).or_default().exists = true;
    }
    for name in UNHOOKED_CALLS {
        table.entry(name).or_default().call_stays_plain = true;
    }
    for name in ["super", "__class__"] {
        table.entry(name).or_default().makes_cell = true;
    }
    for name in ["__module__", "__qualname__"] {
        table.entry(name).or_default().in_classes = true;
    }
    for name in ITERATING {
        table.entry(name).or_default().arguments = Arguments::IteratesOne;
    }
    for name in ["zip", "next"] {
        table.entry(name).or_default().arguments = Arguments::IteratesAll;
    }
    for name in NUMERIC {
        table.entry(name).or_default().arguments = Arguments::Numbers;
    }
    table
});

/// True for the name of a builtin that code may take for its own.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    !name.starts_with('_') && builtin(name).exists
}

pub(crate) fn builtin(name: &str) -> Builtin {
    BUILTIN_TABLE.get(name).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_that_all_supported_versions_have() {
        assert!(OPTIONAL_MODULES.is_sorted());
        assert!(is_standard_module("json") && !is_standard_module("tkinter") && !is_standard_module("imp"));
        assert!(builtin("len").exists && !builtin("aiter").exists, "3.9 has no `aiter`");
    }
}
