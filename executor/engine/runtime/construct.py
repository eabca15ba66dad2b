"""Instances of real classes, made by their own constructors: arguments of functions that run in their own modules.

Real code rejects stand-ins, so what an annotation or a class says a value is, is built, a few levels deep.
"""

import _signal
import sys

from _surmise_instances import instance_of
from _surmise_signatures import Parameter, parameters_of
from _surmise_standins import StandIn

DEPTH = 3  # of instances in instances
SECONDS = 0.5  # that a constructor may take
PLAIN = {bool: True, int: 1, float: 1.0, complex: 1j, str: "a", bytes: b"a", type(None): None}
CONTAINERS = (list, set, frozenset, tuple, dict)
# What is tried for parameters of which nothing is known, one after the other.
GUESSES = ("stand-in", "a", 1)
# Names under which `typing` and `collections.abc` have what a list is.
LISTS = set("Iterable Iterator Sequence MutableSequence Collection Container Reversible".split())
MAPPINGS = set("Mapping MutableMapping".split())
SETS = set("Set MutableSet AbstractSet".split())


class Constructor:
    """Makes instances; `fresh` makes a stand-in of a name."""

    def __init__(self, fresh):
        self.fresh = fresh

    def instance(self, kind, depth=0):
        """An instance of a class, or `NotImplemented` where its constructors do not give one in time."""
        if not isinstance(kind, type) or issubclass(kind, StandIn) or depth > DEPTH:
            return NotImplemented
        if kind in PLAIN:
            return PLAIN[kind]
        if kind in CONTAINERS:
            return kind()
        known = instance_of(kind, None)
        if known is not NotImplemented:
            return known
        members = getattr(kind, "__members__", None)
        if members and isinstance(members, type(type.__dict__)):
            return next(iter(members.values()))  # an enumeration has no others
        if kind.__module__ == "typing":
            return files().get(kind.__name__, NotImplemented)
        if getattr(kind, "__abstractmethods__", None) or getattr(kind, "_is_protocol", False):
            return NotImplemented
        return self.constructed(kind, depth)

    def constructed(self, kind, depth):
        """What a constructor gives for the first of the guesses that it takes."""
        before = _signal.signal(_signal.SIGALRM, self.stop)
        try:
            for guess in GUESSES:
                try:
                    positional, named = self.arguments(kind, guess, depth)  # each instance among them has its own time
                    _signal.setitimer(_signal.ITIMER_REAL, SECONDS, SECONDS / 10)
                    value = kind(*positional, **named)
                except BaseException as error:
                    if not isinstance(error, Exception) and not isinstance(error, (SystemExit, Late)):
                        raise
                    if isinstance(error, Late):
                        break
                    continue
                return value
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            _signal.signal(_signal.SIGALRM, before or _signal.SIG_DFL)
        return NotImplemented

    def stop(self, _signal, _frame):
        raise Late

    def arguments(self, kind, guess, depth):
        """Arguments for the parameters without a default."""
        positional, named = [], {}
        function = kind.__init__ if kind.__init__ is not object.__init__ else kind.__new__
        parameters = parameters_of(function if function is not object.__new__ else kind)
        hints, names = annotations_of(function), names_of(function)
        for parameter in parameters[1:] if function is not object.__new__ else parameters:
            if parameter.default is not Parameter.empty:
                continue
            if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                continue
            value = self.of_annotation(hints.get(parameter.name), names, depth + 1)
            if value is NotImplemented:
                value = self.fresh(parameter.name) if guess == GUESSES[0] else guess
            if parameter.kind == Parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        return positional, named

    def of_annotation(self, annotation, names, depth=0):
        """A value that an annotation allows; `NotImplemented` where it says nothing of use."""
        if annotation is None or depth > DEPTH:
            return NotImplemented
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, names)
            except Exception:
                return NotImplemented  # what it names is only there for type checkers
        if type(annotation).__name__ == "ForwardRef":
            return self.of_annotation(annotation.__forward_arg__, names, depth)
        arguments = getattr(annotation, "__args__", None) or ()
        origin = getattr(annotation, "__origin__", None)
        name = getattr(origin, "__name__", None) or getattr(origin, "_name", None) or type(annotation).__name__
        if name in ("Union", "UnionType"):
            return self.first_of([one for one in arguments if one is not type(None)], names, depth)
        if name == "Literal":
            return arguments[0] if arguments else NotImplemented
        if name in ("Annotated", "ClassVar", "Final", "Required", "NotRequired") and arguments:
            return self.of_annotation(arguments[0], names, depth)
        if name == "_AnnotatedAlias":
            return self.of_annotation(origin, names, depth)
        if name == "type" and origin is type:
            return arguments[0] if arguments and isinstance(arguments[0], type) else NotImplemented
        if name == "NewType" or hasattr(annotation, "__supertype__"):
            return self.of_annotation(annotation.__supertype__, names, depth)
        if name == "TypeVar":
            bounds = [annotation.__bound__] if annotation.__bound__ is not None else annotation.__constraints__
            return self.first_of(bounds, names, depth)
        if origin is None:
            return self.instance(annotation, depth) if annotation is not object else NotImplemented
        return self.container(name, origin, arguments, names, depth)

    def first_of(self, annotations, names, depth):
        values = (self.of_annotation(one, names, depth) for one in annotations)
        return next((value for value in values if value is not NotImplemented), NotImplemented)

    def container(self, name, origin, arguments, names, depth):
        """`list[int]` with one element, and the like."""
        parts = [self.of_annotation(one, names, depth + 1) for one in arguments if one is not Ellipsis]
        parts = [self.fresh(name) if part is NotImplemented else part for part in parts]
        try:
            if origin is list or name in LISTS:
                return parts[:1]
            if origin is tuple:
                return tuple(parts)
            if origin in (set, frozenset) or name in SETS:
                return {*parts[:1]} if origin is not frozenset else frozenset(parts[:1])
            if origin is dict or name in MAPPINGS:
                return {parts[0]: parts[1]} if len(parts) == 2 else {}
        except TypeError:
            return NotImplemented  # no key
        return self.instance(origin, depth) if isinstance(origin, type) else NotImplemented


def files():
    """Instances of the classes of files that `typing` has."""
    import io  # CPython itself has loaded it

    return {"IO": io.StringIO("a"), "TextIO": io.StringIO("a"), "BinaryIO": io.BytesIO(b"a")}


class Late(BaseException):
    """Ends a constructor that takes too long."""


def annotations_of(function):
    found = getattr(function, "__annotations__", None)
    return found if type(found) is dict else {}


def names_of(function):
    """The names that the annotations of a function may read; a copy, to which `eval` adds the builtins."""
    namespace = getattr(function, "__globals__", None) or {}
    module = sys.modules.get("typing")
    return {**(vars(module) if module is not None else {}), **namespace}
