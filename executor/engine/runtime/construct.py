"""Instances of real classes, made by their own constructors: arguments of functions that run in their own modules.

Real code rejects stand-ins, so what an annotation or a class says a value is, is built, a few levels deep.
"""

import _signal
import builtins
import sys
from _io import BytesIO, StringIO
from types import ModuleType

from _surmise_instances import instance_of
from _surmise_literals import Expressions
from _surmise_signatures import Parameter, constructor_of, parameters_of, plain_base_of
from _surmise_snapshots import defining_module
from _surmise_standins import StandIn
from _surmise_values import PLAIN

DEPTH = 3  # of instances in instances
SECONDS = 0.5  # that a constructor may take
# Builtin classes of which a default says that any other value may be given, too.
PLAIN_OF_DEFAULTS = (bool, int, float, str)
CONTAINERS = (list, set, frozenset, tuple, dict)
# What is tried for parameters of which nothing is known, one after the other.
GUESSES = ("stand-in", "a", 1)
# Methods by which containers take up elements, with the arguments before the element.
FILLING = (("__setitem__", "a"), ("append",), ("add",), ("set", "a"), ("insert", 0), ("push",), ("put",))
KEYS = (str, int, bytes)  # of an argument that may be the key of an element
OPTIONAL = 3  # parameters with the default None that are given values, one after the other
# Names under which `typing` and `collections.abc` have what a list is.
LISTS = set("Iterable Iterator Sequence MutableSequence Collection Container Reversible".split())
MAPPINGS = set("Mapping MutableMapping".split())
SETS = set("Set MutableSet AbstractSet".split())
# Classes of files, and the modules that have them.
FILES = ("typing", "io", "_io")
TEXT_FILES = ("IO", "TextIO", "TextIOBase", "StringIO")
BINARY_FILES = ("BinaryIO", "BufferedIOBase", "BytesIO")


class Constructor:
    """Makes instances with what a policy has for their parts; `path` is the access path of what is made."""

    def __init__(self, answers, entered):
        self.answers = answers
        self.fresh = answers.fresh
        self.expressions = Expressions()
        self.parts = {}  # class -> the instance that is a part of others
        self.classes = entered.classes  # by name, for annotations whose imports only type checkers make
        self.names = dict(entered.names)  # id of a namespace -> (it, what annotations in it may read)
        self.given = None  # the path of a value that is not to be None: that is what leaving it out gives

    def instance(self, kind, path, depth=0):
        """An instance of a class, or `NotImplemented` where its constructors do not give one in time."""
        if not isinstance(kind, type) or issubclass(kind, StandIn) or depth > DEPTH:
            return NotImplemented
        if kind in PLAIN:
            return self.answers.plain_value(kind, path)
        if kind is dict:
            return self.answers.plain_mapping(path)
        if kind in CONTAINERS:
            return kind()
        if kind is type:
            made = type("A", (), {})
            self.answers.keep_instance(made, path)
            return made
        if issubclass(kind, dict) and hasattr(kind, "__total__"):
            return self.typed_dictionary(kind, path, depth)
        if kind.__module__ in FILES:
            made = self.file(kind.__name__, path)
            if made is not NotImplemented or kind.__module__ == "typing":
                return made
        known = instance_of(kind, None, *self.answers.parts_of_instance(path))
        if known is not NotImplemented:
            return known
        members = getattr(kind, "__members__", None)
        if members and isinstance(members, type(type.__dict__)):
            # An enumeration has no others.
            return list(members.values())[self.answers.first_alternative(path, len(members))]
        if getattr(kind, "__abstractmethods__", None) or getattr(kind, "_is_protocol", False):
            return NotImplemented
        # Parts of one class are mostly one object: the environment, the document, the session.
        if depth > 0 and kind in self.parts:
            return self.parts[kind]
        value = self.constructed(kind, path, depth)
        if value is not NotImplemented and self.answers.shares_parts():
            self.parts.setdefault(kind, value)
        return value

    def file(self, name, path):
        """A stream with some lines in it, by the name of its class; `NotImplemented` for other classes."""
        if name not in TEXT_FILES and name not in BINARY_FILES:
            return NotImplemented
        count = max(1, self.answers.count_of(path))
        lines = [self.answers.plain_value(str, f"{path}[{number}]") for number in range(count)]
        text = "\n".join(lines) + ("\n" if count > 1 else "")
        return StringIO(text) if name in TEXT_FILES else BytesIO(text.encode("utf-8", "replace"))

    def constructed(self, kind, path, depth):
        """What a constructor gives for the first of the guesses that it takes."""
        with InTime() as limit:
            for guess, chosen in self.guesses(kind):
                try:
                    # Each instance among the arguments has its own time.
                    positional, named = self.arguments(kind, guess, path, depth, chosen)
                    base = plain_base_of(kind) if not positional and not named else None
                    positional += [self.answers.plain_value(base, path)] if base is not None else []
                    arguments = self.expressions.arguments(positional, named)  # before the class changes them
                    limit.begin()
                    value = kind(*positional, **named)
                except (Exception, SystemExit):
                    continue
                self.expressions.made_by(value, kind, arguments)
                self.answers.keep_instance(value, path)
                return value
        return NotImplemented

    def fill(self, value, path, arguments):
        """Lets a container of a class of its own take up an element by one of its methods, as callers do; under the key that a
        method is asked for, if that may be one. What refuses that is filled as what it derives from is."""
        keys = [one for one in arguments if type(one) in KEYS or isinstance(one, StandIn)] or ["a"]
        with InTime() as limit:
            limit.begin()
            for element in (self.fresh(f"{path}[0]"), "a"):
                for name, *others in FILLING:
                    try:
                        others = keys[:1] if others == ["a"] else others
                        getattr(value, name)(*others, element)
                        if not hasattr(type(value), "__len__") or len(value):
                            return
                    except (Exception, SystemExit):
                        continue
        if isinstance(value, dict):
            dict.__setitem__(value, keys[0], self.fresh(f"{path}[0]"))
        elif isinstance(value, list):
            list.append(value, self.fresh(f"{path}[0]"))
        elif isinstance(value, set):
            set.add(value, "a")

    def guesses(self, kind):
        """(what parameters get of which nothing is known, the parameter that gets it in spite of its default)."""
        yield from ((guess, None) for guess in GUESSES)
        optional = [one.name for one in parameters_of(constructor_of(kind))[1:] if one.default is None]
        for name in optional[:OPTIONAL]:
            yield from ((guess, name) for guess in (*GUESSES, ["a"], {"a"}))

    def arguments(self, kind, guess, path, depth, chosen=None):
        """Arguments for the parameters without a default, and for others that the policy gives values."""
        positional, named, skipped = [], {}, False
        function = constructor_of(kind)
        parameters = parameters_of(function if function is not object.__new__ else kind)
        hints, names = annotations_of(function), self.names_of(function)
        for parameter in parameters[1:] if function is not object.__new__ else parameters:
            if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                continue
            has_default = parameter.default is not Parameter.empty
            is_given = chosen == parameter.name or not chosen and self.answers.gives_default(f"{path}.{parameter.name}")
            if has_default and not is_given:
                skipped = True
                continue
            inner = f"{path}.{parameter.name}"
            hint = hints.get(parameter.name) if self.answers.heeds_annotation_of(parameter.name) else None
            value = self.of_annotation(hint, names, inner, depth + 1)
            if value is NotImplemented and has_default and type(parameter.default) in PLAIN_OF_DEFAULTS:
                value = self.answers.plain_value(type(parameter.default), inner)
            if value is NotImplemented:
                value = self.fresh(inner) if guess == GUESSES[0] else copied(guess)
            if parameter.kind == Parameter.KEYWORD_ONLY or skipped and parameter.kind != Parameter.POSITIONAL_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        return positional, named

    def of_annotation(self, annotation, names, path, depth=0):
        """A value that an annotation allows; `NotImplemented` where it says nothing of use."""
        if annotation is None or depth > DEPTH:
            return NotImplemented
        if isinstance(annotation, str):
            try:
                annotation = evaluated(annotation, names, self.classes)
            except Exception:
                return NotImplemented  # what it names is only there for type checkers
        if type(annotation).__name__ == "ForwardRef":
            return self.of_annotation(annotation.__forward_arg__, names, path, depth)
        arguments = getattr(annotation, "__args__", None) or ()
        origin = getattr(annotation, "__origin__", None)
        name = getattr(origin, "__name__", None) or getattr(origin, "_name", None) or type(annotation).__name__
        if name in ("Union", "UnionType"):
            if type(None) in arguments and path != self.given and self.answers.may_be_none(path):
                return None
            return self.first_of([one for one in arguments if one is not type(None)], names, path, depth)
        if name == "Literal":
            return arguments[self.answers.first_alternative(path, len(arguments))] if arguments else NotImplemented
        if name in ("Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly") and arguments:
            return self.of_annotation(arguments[0], names, path, depth)
        if name == "_AnnotatedAlias":
            return self.of_annotation(origin, names, path, depth)
        if name == "type" and origin is type:
            return arguments[0] if arguments and isinstance(arguments[0], type) else self.answers.any_class(path)
        if name == "NewType" or hasattr(annotation, "__supertype__"):
            return self.of_annotation(annotation.__supertype__, names, path, depth)
        if name == "TypeVar":
            bounds = [annotation.__bound__] if annotation.__bound__ is not None else annotation.__constraints__
            return self.first_of(bounds, names, path, depth)
        if annotation is type:
            return self.answers.any_class(path)
        if origin is None:
            return self.instance(annotation, path, depth) if annotation is not object else NotImplemented
        return self.container(name, origin, arguments, names, path, depth)

    def first_of(self, annotations, names, path, depth=0):
        """The value of the first annotation that gives one; which comes first is the policy's choice."""
        first = self.answers.first_alternative(path, len(annotations)) if annotations else 0
        annotations = [*annotations[first:], *annotations[:first]]
        values = (self.of_annotation(one, names, path, depth) for one in annotations)
        return next((value for value in values if value is not NotImplemented), NotImplemented)

    def container(self, name, origin, arguments, names, path, depth):
        """`list[int]` with some elements, and the like."""
        if name == "IO" and arguments == (bytes,):
            return self.file("BinaryIO", path)
        if origin is dict or name in MAPPINGS:
            return self.mapping(arguments, names, path, depth) if arguments else self.answers.plain_mapping(path)
        is_list, is_set = origin is list or name in LISTS, origin in (set, frozenset) or name in SETS
        if arguments[1:] == (Ellipsis,) or (is_list or is_set) and len(arguments) == 1:
            arguments = arguments[:1] * self.answers.count_of(path)
        parts = [self.part(one, names, f"{path}[{number}]", depth) for number, one in enumerate(arguments)]
        try:
            if name in LISTS and parts and type(parts[0]) is str and self.answers.may_be_text(path):
                return parts[0]  # a text is a sequence of texts
            if is_list:
                return parts
            if origin is tuple:
                return tuple(parts)
            if is_set:
                return {*parts} if origin is not frozenset else frozenset(parts)
        except TypeError:
            return NotImplemented  # no element of a set
        return self.instance(origin, path, depth) if isinstance(origin, type) else NotImplemented

    def mapping(self, arguments, names, path, depth):
        """`dict[str, int]` with some keys."""
        found, keys = {}, self.answers.keys_read(path) if depth == 0 and len(arguments) == 2 else ()
        for key in keys if arguments[0] is str else ():
            found[key] = self.part(arguments[1], names, f"{path}[{key!r}]", depth)
        for number in range(self.answers.count_of(path) if len(arguments) == 2 and not found else 0):
            inner = f"{path}[{number}]"
            try:
                key = self.part(arguments[0], names, f"{inner}.key", depth)
                found[key] = self.part(arguments[1], names, inner, depth)
            except TypeError:
                return NotImplemented  # no key
        if depth == 0:
            self.answers.keep_keys(found)
        return found

    def typed_dictionary(self, kind, path, depth):
        """A dictionary with the keys that a class of `TypedDict` has; those that it may lack, it lacks in some runs."""
        module, optional = sys.modules.get(kind.__module__), getattr(kind, "__optional_keys__", ())
        names = self.names_in(vars(module) if type(module) is ModuleType else {})
        found = {}
        for key, annotation in kind.__annotations__.items():
            inner = f"{path}[{key!r}]"
            if key not in optional or not self.answers.may_be_none(inner):
                found[key] = self.part(annotation, names, inner, depth)
        if depth == 0:
            self.answers.keep_keys(found)
        return found

    def names_of(self, function):
        """The names that the annotations of a function may read."""
        return self.names_in(getattr(function, "__globals__", None) or {})

    def names_in(self, namespace):
        known = self.names.get(id(namespace))
        if known is None:
            known = self.names[id(namespace)] = namespace, with_typing(namespace)
        return known[1]

    def part(self, annotation, names, path, depth):
        """What a container holds."""
        value = self.of_annotation(annotation, names, path, depth + 1)
        if value is NotImplemented:
            value = self.answers.element_of(path)
        return value


def classes_of_project(frames):
    """The classes of a project's own modules by name; of several of one name the first."""
    classes = {}
    for module in [one for one in list(sys.modules.values()) if frames.is_of_project(file_of(one))]:
        for name, value in list(vars(module).items()):
            if issubclass(type(value), type) and defining_module(value) == module.__name__:
                classes.setdefault(name, value)
    return classes


def file_of(module):
    file = vars(module).get("__file__") if type(module) is ModuleType else None
    return file if isinstance(file, str) else ""


def copied(guess):
    """A guess as an object of its own."""
    return type(guess)(guess)


class Late(BaseException):
    """Ends a constructor or a method that takes too long."""


class InTime:
    """Ends what does not end by itself within some time after `begin`."""

    def __enter__(self):
        self.before = _signal.signal(_signal.SIGALRM, self.stop)
        return self

    def begin(self):
        # Again and again: a handler in the program may catch it.
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS, SECONDS / 10)

    def stop(self, _signal, _frame):
        raise Late

    def __exit__(self, kind, *_error):
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self.before or _signal.SIG_DFL)
        return kind is Late


def annotations_of(function):
    found = getattr(function, "__annotations__", None)
    return found if type(found) is dict else {}


def evaluated(annotation, names, classes):
    """What an annotation says that is a text; names that only type checkers know stand for any type."""
    code = compile(annotation, "<annotation>", "eval")
    missing = [name for name in code.co_names if not (name in names or name in classes or hasattr(builtins, name))]
    if missing and "TypeVar" in names:
        names = {**names, **{name: names["TypeVar"](name) for name in missing}}
    return eval(code, names, classes)


def with_typing(namespace):
    """A copy of a namespace, to which `eval` adds the builtins, with the names of `typing` that it lacks."""
    module = sys.modules.get("typing")
    return {**(vars(module) if module is not None else {}), **namespace}
