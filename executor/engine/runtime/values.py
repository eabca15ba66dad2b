"""Values that the run made up. Objects are known again by identity.

A constant is known by type and value, and counts only where something that was made up may come from: `1` that the
program wrote itself is not the `1` that was injected elsewhere. Which expressions may give an operand its value is known
from the source (`native.is_fed`).
"""

from _surmise_standins import Awaitable, InjectedBase, InjectedError, Module, StandIn

RETURN_VALUE = "return value"
ORDERED = (str, int, float, bytes)  # types whose values are always ordered among each other
NO_LITERAL = ("", None)  # of a site whose class has its usual value

EMPTY = {
    "True": "False",
    "positive integer": "zero integer",
    "positive float": "zero float",
    "non-empty string": "empty string",
    "non-empty list": "empty list",
    "non-empty tuple": "empty tuple",
    "non-empty set": "empty set",
    "non-empty dictionary": "empty dictionary",
}

CONSTANTS = {
    "None": None,
    "True": True,
    "False": False,
    "negative integer": -1,
    "zero integer": 0,
    "positive integer": 1,
    "negative float": -1.0,
    "zero float": 0.0,
    "positive float": 1.0,
    "empty string": "",
    "non-empty string": "a",
}

# Of builtin classes, what an annotation with one of them gives.
PLAIN = {bool: True, int: 1, float: 1.0, complex: 1j, str: "a", bytes: b"a", type(None): None}


WRITTEN_TYPES = {kind.__name__: kind for kind in (set, frozenset, bytes, bytearray, range, list, dict, int)}
# Whose iterators are Python's own.
MODULES_OF_ITERATORS = ("builtins", "itertools", "collections", "_collections")
WRITTEN_MODULES = ("collections", "datetime", "decimal", "fractions", "pathlib", "types", "uuid")


def member_of(container):
    """The first element, key or character of a container, without running code of the program; of a set the smallest one of
    a plain type. `NotImplemented` where there is none."""
    kind = type(container)
    if issubclass(kind, type):
        members = vars(container).get("_member_map_")  # of an enumeration
        elements = iter(members.values() if type(members) is dict else ())
    elif issubclass(kind, (set, frozenset)):
        plain = [
            one for one in (set if issubclass(kind, set) else frozenset).__iter__(container) if type(one) in ORDERED
        ]
        elements = iter(sorted(plain, key=lambda one: (type(one).__name__, one)))
    else:
        base = next((base for base in (dict, list, tuple, str) if issubclass(kind, base)), None)
        elements = iter(()) if base is None else base.__iter__(container)
    return next(elements, NotImplemented)


def written(text):
    """The value of a text that the parent has found to be a literal or a constructor of a known type; `NotImplemented`
    where the constructor does not take its arguments."""
    # What a constructor imports by itself, as `date.today` does, it imports by this.
    names = {"__builtins__": {"__import__": __import__}, **WRITTEN_TYPES}
    for module in WRITTEN_MODULES:
        if f"{module}." in text:
            names[module] = __import__(module)
    try:
        return eval(text, names)
    except Exception:
        return NotImplemented


class Values:
    """Values that were injected in this run."""

    def __init__(self, native):
        self.native = native
        self.fed = set()  # numbers of sites that something made up reaches; that can only grow
        self.injected = {}  # id of a container or an instance -> (it, its access path)
        self.constants = {}  # (type, value) -> numbers of the sites that got it; None stands for any place
        self.fed_by = {}  # (number, type, value) -> True once one of these sites reaches that one
        self.of_true_type = {}  # (type, value) -> True, unless it was also injected as a guess

    def keep(self, value, path):
        self.injected[id(value)] = (value, path)

    def keep_constant(self, value, site=None, has_true_type=False):
        key = (type(value), value)
        self.constants.setdefault(key, set()).add(site)
        self.of_true_type[key] = has_true_type and self.of_true_type.get(key, True)

    def has_true_type(self, value):
        """True for a constant that was made up, but whose type is the real one, as that of what `input()` reads."""
        try:
            return self.of_true_type.get((type(value), value), False)
        except TypeError:
            return False

    def path_of(self, value, otherwise):
        return self.injected.get(id(value), (None, otherwise))[1]

    def is_injected(self, value, number):
        """True for values that this run made up, as the operand of a site."""
        if type(value) in (StandIn, Module, Awaitable) or id(value) in self.injected:
            return True
        if isinstance(value, (InjectedBase, InjectedError)) or is_injected_class(value):
            return True
        if type(value) is bool:  # objects may compare to other things than truth values, as arrays do
            return self.is_fed(number)
        try:
            sites = self.constants.get((type(value), value))
        except TypeError:
            return False
        return sites is not None and self.is_fed(number) and (None in sites or self.is_fed_by(number, value, sites))

    def is_made(self, value):
        """True for values that this run made up, whoever asks."""
        try:
            return id(value) in self.injected or (type(value), value) in self.constants
        except TypeError:
            return False

    def is_fed_by(self, number, value, sites):
        """True if one of the sites that got a constant may reach what another site works on."""
        key = (number, type(value), value)
        if not self.fed_by.get(key) and self.native.is_fed_by(number, list(sites)):
            self.fed_by[key] = True
        return self.fed_by.get(key, False)

    def is_fed(self, number):
        """True if something that was made up may reach what a site works on."""
        if number not in self.fed and self.native.is_fed(number):
            self.fed.add(number)
        return number in self.fed

    def holds_injected(self, value, number, depth=2):
        """True if an injected object is in the value, a few levels deep."""
        if type(value) is StandIn or id(value) in self.injected or isinstance(value, InjectedBase):
            return True
        if depth and isinstance(value, (list, tuple, set, frozenset)):
            return any(self.holds_injected(item, number, depth - 1) for item in list(value)[:50])
        if depth and isinstance(value, dict):
            pairs = list(value.items())[:50]
            return any(self.holds_injected(part, number, depth - 1) for pair in pairs for part in pair)
        return self.is_injected(value, number) or self.is_method_of_injected(value, number)

    def holds_injected_of(self, kind, value, number, depth=4):
        """True if an injected object whose type has this name is in the value, a few levels deep."""
        if depth and isinstance(value, (list, tuple, set, frozenset, dict)):
            parts = [part for pair in value.items() for part in pair] if isinstance(value, dict) else list(value)
            if any(self.holds_injected_of(kind, part, number, depth - 1) for part in parts[:100]):
                return True
        return type(value).__name__ == kind and self.holds_injected(value, number, 0)

    def is_method_of_injected(self, value, number):
        owner = getattr(value, "__self__", None) if isinstance(value, METHODS) else None
        return owner is not None and owner is not value and self.holds_injected(owner, number, 1)


def is_injected_class(value):
    return isinstance(value, type) and issubclass(value, (InjectedBase, InjectedError))


class _Probe:
    def method(self):
        """Gives the types of bound methods."""


METHODS = (type([].append), type(_Probe().method), type("".__len__))


def safe_repr(value):
    """`repr` of a value, short, and without failing."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


def is_iterator(value):
    """True for an iterator of Python's own, whichever of them it is: code may give a generator or what `map` gives."""
    kind = type(value)
    return kind.__module__ in MODULES_OF_ITERATORS and hasattr(kind, "__next__")


def last_name(path):
    """The last name of an access path, without arguments: `Error` of `module.Error('a.b')`."""
    depth, end = 0, len(path)
    for at in range(len(path) - 1, -1, -1):
        letter = path[at]
        if letter in ")]":
            depth += 1
        elif letter in "([":
            depth -= 1
            if depth == 0:
                end = at
        elif letter == "." and depth == 0:
            return path[at + 1 : end]
    return path[:end]
