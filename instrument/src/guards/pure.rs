//! Calls that are taken to have no side effects, by their names (section A.1.2 of the paper has such a list for Java).

/// Builtin functions.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "abs", "all", "any", "bool", "bytes", "callable", "dict", "float", "frozenset", "getattr", "hasattr", "hash", "id",
    "int", "isinstance", "issubclass", "len", "list", "max", "min", "ord", "range", "repr", "round", "set", "sorted",
    "str", "sum", "tuple", "type",
];

/// Functions of modules, as they are usually called.
#[rustfmt::skip]
const MODULE_FUNCTIONS: &[&str] = &[
    "asyncio.iscoroutine", "asyncio.iscoroutinefunction", "inspect.isabstract", "inspect.isawaitable",
    "inspect.isclass", "inspect.iscoroutine", "inspect.iscoroutinefunction", "inspect.isfunction",
    "inspect.isgenerator", "inspect.ismethod", "inspect.ismodule", "inspect.isroutine", "math.isclose",
    "math.isfinite", "math.isinf", "math.isnan", "np.all", "np.allclose", "np.any", "np.array_equal", "np.iscomplexobj",
    "np.isfinite", "np.isinf", "np.isnan", "np.isscalar", "np.issubdtype", "np.ndim", "op.exists", "op.isdir",
    "op.isfile", "os.path.abspath", "os.path.basename", "os.path.dirname", "os.path.exists", "os.path.getsize",
    "os.path.isabs", "os.path.isdir", "os.path.isfile", "os.path.islink", "os.path.join", "os.path.lexists",
    "os.path.splitext", "path.exists", "path.isdir", "path.isfile", "re.fullmatch", "re.match", "re.search",
    "sys.platform.startswith",
];

/// Methods that ask their object something.
#[rustfmt::skip]
const METHODS: &[&str] = &[
    "all", "any", "as_posix", "casefold", "closed", "contains", "count", "done", "empty", "endswith", "equals", "exists",
    "find", "fullmatch", "get", "getvalue", "group", "groups", "has", "index", "intersection", "items", "keys", "lower",
    "lstrip", "match", "rfind", "rstrip", "search", "size", "split", "startswith", "strip", "title", "total_seconds",
    "upper", "values",
];

/// Beginnings of names of functions and methods that ask something.
const PREFIXES: &[&str] = &["can_", "get_", "has_", "is_", "needs_", "should_", "supports_", "uses_"];

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok() || asks(name.trim_start_matches('_'))
}

pub(super) fn is_module_function(path: &str) -> bool {
    MODULE_FUNCTIONS.binary_search(&path).is_ok()
}

pub(super) fn is_method(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    METHODS.binary_search(&name).is_ok() || asks(name)
}

/// True for `is_x`, `isalpha`, `has_x` and the like.
fn asks(name: &str) -> bool {
    let predicate = name.strip_prefix("is").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let camel = ["is", "has"]
        .iter()
        .any(|prefix| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())));
    predicate || camel || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(FUNCTIONS.is_sorted() && MODULE_FUNCTIONS.is_sorted() && METHODS.is_sorted());
    }

    #[test]
    fn what_asks_is_pure_and_what_acts_is_not() {
        for name in ["isdigit", "is_ready", "_has_key", "startswith", "isEnabled"] {
            assert!(is_method(name), "{name}");
        }
        for name in ["pop", "append", "close", "setdefault", "hash_all", "next", "__init__"] {
            assert!(!is_method(name), "{name}");
        }
        assert!(is_function("len") && !is_function("print") && !is_function("next") && is_function("_is_open"));
    }
}
