"""Names of modules by which code runs under Python 2 and 3 alike (`six`, `compat.py` of a project), and what they are under
Python 3: where such a module is missing, they are no guess."""

import builtins
import sys
from types import FunctionType, resolve_bases

import _surmise_standins as standins
from _surmise_standins import Module, StandIn

# The last part of the name of such a module.
MODULES = {"six", "_six", "compat", "_compat", "compatibility", "py2compat", "py3compat", "pycompat", "python_compat"}
# Builtin functions and classes that have other names under Python 2, and those that do there what others do.
BUILTINS = {
    **{"text_type": "str", "unicode": "str", "unicode_type": "str", "native_str": "str", "basestring": "str"},
    **{"binary_type": "bytes", "bytes_type": "bytes", "long": "int", "unichr": "chr"},
    **{"xrange": "range", "izip": "zip", "imap": "map", "ifilter": "filter", "raw_input": "input", "print_": "print"},
    **{name: name for name in "range zip map filter input next callable open chr str bytes".split()},
    "advance_iterator": "next",
}
# What moved to another module, with its name there.
MOVED = {
    "reduce": "functools.reduce",
    "wraps": "functools.wraps",
    "lru_cache": "functools.lru_cache",
    "intern": "sys.intern",
    "izip_longest": "itertools.zip_longest",
    "zip_longest": "itertools.zip_longest",
    "ifilterfalse": "itertools.filterfalse",
    "filterfalse": "itertools.filterfalse",
    "StringIO": "io.StringIO",
    "BytesIO": "io.BytesIO",
    "Decimal": "decimal.Decimal",
    "OrderedDict": "collections.OrderedDict",
    "Counter": "collections.Counter",
    **{
        name: f"collections.abc.{name}" for name in "Callable Hashable Iterable Mapping MutableMapping Sequence".split()
    },
    **{name: f"urllib.parse.{name}" for name in "urlencode urljoin urlparse urlsplit urlunparse urlunsplit".split()},
    **{name: f"urllib.parse.{name}" for name in "quote quote_plus unquote unquote_plus parse_qs parse_qsl".split()},
}
# Modules of Python 2, with those that have what was in them.
OUTDATED_MODULES = {
    "ConfigParser": "configparser",
    "Cookie": "http.cookies",
    "HTMLParser": "html.parser",
    "Queue": "queue",
    "StringIO": "io",
    "__builtin__": "builtins",
    "cPickle": "pickle",
    "cStringIO": "io",
    "htmlentitydefs": "html.entities",
    "urlparse": "urllib.parse",
}
# Modules of both that lack names of Python 2.
LACKING = {"itertools": {"imap", "ifilter", "izip", "ifilterfalse", "izip_longest"}}
# Modules that have other names, below `six.moves`.
MOVED_MODULES = {
    "builtins": "builtins",
    "cPickle": "pickle",
    "configparser": "configparser",
    "html_entities": "html.entities",
    "html_parser": "html.parser",
    "http_client": "http.client",
    "http_cookiejar": "http.cookiejar",
    "http_cookies": "http.cookies",
    "queue": "queue",
    "socketserver": "socketserver",
    "urllib": "urllib",
    "urllib.error": "urllib.error",
    "urllib.parse": "urllib.parse",
    "urllib.request": "urllib.request",
    "urllib_error": "urllib.error",
    "urllib_parse": "urllib.parse",
    "xmlrpc_client": "xmlrpc.client",
}
MOVES = "six.moves"


def method_of(mapping, name):
    """A method of a mapping; what is made up has it, as far as the policy of the run says."""
    try:
        return getattr(mapping, name)
    except AttributeError:
        answers = standins.answers
        if type(mapping) is StandIn:
            return answers.fresh(f"{mapping!r}"[1:-1] + f".{name}", mapping)
        if not answers.values.is_made(mapping) or not answers.repairs_attribute_of(mapping):
            raise
        return answers.fresh(f"{type(mapping).__name__}.{name}")


def iterator_of(view):
    def iterator(mapping, **named):
        return iter(method_of(mapping, view)(**named))

    iterator.__name__ = iterator.__qualname__ = f"iter{view}"
    return iterator


def asking_for(view):
    def asking(mapping):
        return method_of(mapping, view)()

    asking.__name__ = asking.__qualname__ = f"view{view}"
    return asking


def same(value):
    return value


def encoded(text):
    return text.encode("latin-1")


def with_metaclass(meta, *bases):
    """A base class by which a class gets a metaclass, and its other bases."""
    if not isinstance(meta, type):
        return bases[0] if bases else object

    class Deferred(type):
        def __new__(cls, name, _bases, namespace):
            return meta(name, resolve_bases(bases), namespace)

        @classmethod
        def __prepare__(cls, name, _bases):
            return meta.__prepare__(name, resolve_bases(bases))

    return type.__new__(Deferred, "temporary_class", (), {})


def add_metaclass(meta):
    """A decorator that makes a class again, by a metaclass."""

    def made_again(cls):
        if not isinstance(meta, type):
            return cls
        namespace = dict(vars(cls))
        for name in ("__dict__", "__weakref__", *names_of_slots(namespace.get("__slots__", ()))):
            namespace.pop(name, None)
        return meta(cls.__name__, cls.__bases__, namespace)

    return made_again


def names_of_slots(slots):
    return (slots,) if isinstance(slots, str) else slots


def raise_from(error, cause):
    raise error from cause


def reraise(_kind, error, traceback=None):
    raise error.with_traceback(traceback)


def ensure_text(value, encoding="utf-8", errors="strict"):
    return value.decode(encoding, errors) if isinstance(value, bytes) else value


def ensure_binary(value, encoding="utf-8", errors="strict"):
    return value.encode(encoding, errors) if isinstance(value, str) else value


OTHERS = {
    "PY2": False,
    "PY3": True,
    "PY34": True,
    "IS_PY2": False,
    "IS_PY3": True,
    "string_types": (str,),
    "text_types": (str,),
    "integer_types": (int,),
    "class_types": (type,),
    "iterkeys": iterator_of("keys"),
    "itervalues": iterator_of("values"),
    "iteritems": iterator_of("items"),
    "viewkeys": asking_for("keys"),
    "viewvalues": asking_for("values"),
    "viewitems": asking_for("items"),
    "iterbytes": iter,
    "u": same,
    "b": encoded,
    "python_2_unicode_compatible": same,
    "implements_to_string": same,
    "ensure_str": ensure_text,
    "ensure_text": ensure_text,
    "ensure_binary": ensure_binary,
    "with_metaclass": with_metaclass,
    "add_metaclass": add_metaclass,
    "raise_from": raise_from,
    "reraise": reraise,
}


def compatible(module, name):
    """What a name of a missing module of this kind is; `NotImplemented` for other modules and names."""
    if f"{module}.".startswith(f"{MOVES}.") and module != MOVES:
        place = MOVED_MODULES.get(module[len(MOVES) + 1 :])
        return NotImplemented if place is None else attribute(place, name)
    if module in OUTDATED_MODULES:
        return attribute(OUTDATED_MODULES[module], name)
    if name in MODULES:
        return missing_module(f"{module}.{name}")
    if module != MOVES and module.rpartition(".")[2] not in MODULES and name not in LACKING.get(module, ()):
        return NotImplemented
    if (module, name) == ("six", "moves"):
        return missing_module(MOVES)
    if module == MOVES and name in MOVED_MODULES:
        return module_named(MOVED_MODULES[name])
    if name in OTHERS:
        return OTHERS[name]
    if name in BUILTINS:
        return getattr(builtins, BUILTINS[name], NotImplemented)
    place = MOVED.get(name, "")
    return attribute(*place.rsplit(".", 1)) if place else NotImplemented


def missing_module(name):
    """A module that is read as an attribute; who imports it gets the same."""
    return sys.modules.setdefault(name, Module(name))


def name_of_function(value):
    """The name of one of the functions that are defined here; None for anything else."""
    own = ((name, known) for name, known in OTHERS.items() if type(known) is FunctionType)
    return next((name for name, known in own if known is value), None)


def attribute(module, name):
    return getattr(module_named(module), name, NotImplemented)


def module_named(name):
    try:
        __import__("urllib.request" if name == "urllib" else name)
    except ImportError:
        return NotImplemented
    return sys.modules[name]
