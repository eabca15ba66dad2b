//! Names that every supported CPython (3.9 to 3.14) finds without any binding in the source.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Builtins common to CPython 3.9-3.14, what `site` adds, and the module's own dunder names; sorted.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BlockingIOError", "BrokenPipeError",
    "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError", "ConnectionError",
    "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis",
    "EnvironmentError", "Exception", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError",
    "FutureWarning", "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented", "NotImplementedError",
    "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
    "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration",
    "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError",
    "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError",
    "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError", "Warning", "ZeroDivisionError",
    "__build_class__", "__builtins__", "__cached__", "__class__", "__debug__", "__doc__", "__file__",
    "__import__", "__loader__", "__name__", "__package__", "__spec__", "abs", "all", "any", "ascii", "bin", "bool",
    "breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright",
    "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter", "float", "format",
    "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance",
    "issubclass", "iter", "len", "license", "list", "locals", "map", "max", "memoryview", "min", "next", "object",
    "oct", "open", "ord", "pow", "print", "property", "quit", "range", "repr", "reversed", "round", "set",
    "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
];

/// Builtins whose calls are left alone: they look at their caller's frame, or an injected argument never makes
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

/// Modules that every supported CPython has, whatever it was built with.
#[rustfmt::skip]
const STANDARD_MODULES: &[&str] = &[
    "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bdb", "binascii", "bisect", "builtins",
    "cProfile", "calendar", "cmath", "cmd", "code", "codecs", "codeop", "collections", "colorsys", "compileall",
    "concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg", "csv", "dataclasses", "datetime",
    "decimal", "difflib", "dis", "doctest", "email", "encodings", "enum", "errno", "faulthandler", "fcntl",
    "filecmp", "fileinput", "fnmatch", "fractions", "ftplib", "functools", "gc", "genericpath", "getopt", "getpass",
    "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http", "imaplib",
    "importlib", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "linecache", "locale", "logging",
    "mailbox", "marshal", "math", "mimetypes", "mmap", "modulefinder", "multiprocessing", "netrc", "numbers",
    "opcode", "operator", "optparse", "os", "pathlib", "pdb", "pickle", "pickletools", "pkgutil", "platform",
    "plistlib", "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty", "pwd", "py_compile", "pyclbr",
    "pydoc", "pyexpat", "queue", "quopri", "random", "re", "reprlib", "resource", "rlcompleter", "runpy", "sched",
    "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal", "site", "smtplib", "socket",
    "socketserver", "sre_compile", "sre_constants", "sre_parse", "stat", "statistics", "string", "stringprep",
    "struct", "subprocess", "symtable", "sys", "sysconfig", "syslog", "tabnanny", "tarfile", "tempfile", "termios",
    "textwrap", "threading", "time", "timeit", "token", "tokenize", "trace", "traceback", "tracemalloc", "tty",
    "types", "typing", "unicodedata", "unittest", "urllib", "uuid", "warnings", "wave", "weakref", "webbrowser",
    "wsgiref", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zoneinfo",
];

/// True for the name of a top-level module that is always there.
pub(crate) fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.binary_search(&name).is_ok()
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
    /// Its calls are left alone.
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
    for name in BUILTINS {
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
pub(crate) fn is_builtin(name: &str) -> bool {
    !name.starts_with('_') && BUILTINS.binary_search(&name).is_ok()
}

pub(crate) fn builtin(name: &str) -> Builtin {
    BUILTIN_TABLE.get(name).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(BUILTINS.is_sorted());
        assert!(UNHOOKED_CALLS.is_sorted());
        assert!(STANDARD_MODULES.is_sorted());
    }
}
