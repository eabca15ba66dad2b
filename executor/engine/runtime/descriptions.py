"""How values are written down so that those which count as equal are the same text."""

import re
import sys
import types
import zlib
from _collections import deque
from _io import BytesIO, StringIO

from _surmise_lasting_state import ENUMERATIONS, attributes_of_class
from _surmise_snapshots import defining_module
from _surmise_standins import Awaitable, Dict, InjectedBase, Mapping, Module, StandIn
from _surmise_values import is_iterator

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# The same as programs write it out: `hex(id(x))`.
HEXADECIMAL = re.compile(r"0[xX][5-7][0-9a-fA-F]{11}(?![0-9a-fA-F])")
# What `id` gives for objects of CPython on Linux: texts and numbers are made of it, and it is another in each process.
IDENTITY = re.compile(r"(?<!\d)(?:9[3-9]|1[0-4]\d)\d{12}(?!\d)")
TEXT = 400  # characters of a description
ITEMS = 40  # elements of a container that are described
DEPTH = 5
FUNCTIONS = (types.FunctionType, types.MethodType)
ARGUMENTS = re.compile(r"\(.*\)", re.DOTALL)  # of the calls in a path
ATTRIBUTE = re.compile(r"\.(\w+)")
STREAMS = (StringIO, BytesIO)
TEXTS_AND_NUMBERS = (str, bytes, bytearray, int, float, complex)


class Descriptions:
    """Describes values, also those of the program's own classes, which are asked nothing."""

    def __init__(self, frames, drawing):
        self.frames = frames
        self.strict_messages = drawing.strict_messages
        self.alias = drawing.alias  # the name in the old version
        self.member = drawing.member  # the same of an attribute
        self.of_classes = drawing.of_classes
        self.internal = frozenset(drawing.internal)
        self.regrouped = frozenset(drawing.regrouped)
        self.root = drawing.root
        self.made_up = {}  # (id of an object, name of an attribute that it lacked) -> what that was described as

    def describe(self, value, depth=DEPTH):
        """A text that is equal for values that count as equal."""
        return self.shortened(self.description(value, depth))

    def shortened(self, text):
        """A description without what is another in each process, and not too long."""
        text = HEXADECIMAL.sub("<id>", IDENTITY.sub("<id>", text))
        if self.root:
            text = text.replace(self.root, "<project>")
        if len(text) <= TEXT:
            return text
        mark = zlib.crc32(text.encode("utf-8", "replace")) & 0xFFFFFF
        return f"{text[:TEXT]}... ({len(text)} characters, {mark:06x})"

    def description(self, value, depth):
        kind = type(value)
        if kind is StandIn:
            return repr(value)
        if value is None or kind in (bool, int, float, complex, bytes, str):
            return repr(value)
        if isinstance(value, (int, str)) and type(kind).__name__ in ENUMERATIONS:
            member = getattr(value, "__dict__", {}).get("_value_")
            if type(member) in (int, str):
                return repr(member)  # they are equal
        if depth == 0:
            return "<function>" if isinstance(value, FUNCTIONS) else f"<{self.alias(kind.__name__)}>"
        inner = depth - 1
        if kind is list:
            return f"[{self.items(value, inner)}]"
        if kind is tuple:
            return f"({self.items(value, inner)},)"
        if kind in (dict, Dict, Mapping):
            return f"{{{self.pairs(value, inner)}}}"
        if isinstance(value, (set, frozenset, dict)) and not self.frames.has_class_of(value):
            return f"{kind.__name__}{{{', '.join(self.held(value, inner))}}}"
        if kind in STREAMS:
            return f"{kind.__name__}({'closed' if value.closed else repr(value.getvalue())})"
        if kind is Module:
            return f"<module {value.__name__}>"
        if kind is Awaitable:
            return self.description(value.value, inner)
        if isinstance(value, BaseException):
            arguments = [self.description(value.args, inner)] if self.strict_messages else []
            arguments += [f"{name}={text}" for name, text in self.carried_by(value, inner)]
            return f"{self.alias(kind.__name__)}({', '.join(arguments)})"
        if isinstance(value, type):
            inside = self.pairs(attributes_of_class(value), inner) if is_made_by_call(value) else ""
            return f"<class {self.alias(value.__name__)}{f'({inside})' if inside else ''}>"
        if isinstance(value, FUNCTIONS):
            name = "<function>" if self.is_nameless(value) else f"<function {value.__qualname__}>"
            attributes = getattr(value, "__dict__", {}).items()
            inside = sorted(
                f"{key}={self.description(item, inner)}" for key, item in attributes if key != "__wrapped__"
            )
            return f"{name}{{{listed(inside)}}}" if inside else name
        if is_iterator(value):
            return "<iterator>"
        attributes = [one for one in attributes_of(value) if one[0] not in self.internal]
        # The `repr` of `object` says nothing of the object.
        is_silent = kind.__repr__ is object.__repr__ and attributes
        if self.frames.has_class_of(value) or isinstance(value, InjectedBase) or is_silent:
            own = {name for name, _item in attributes}
            attributes += [one for one in self.attributes_of_class(kind) if one[0] not in own]
            texts = [(name, self.attribute(name, item, inner)) for name, item in attributes]
            made_up = self.made_up
            inside = sorted(
                f"{self.member(name)}={text}" for name, text in texts if made_up.get((id(value), name)) != text
            )
            return f"{self.alias(kind.__name__)}({', '.join([*self.held(value, inner), *inside])})"
        try:
            return f"{kind.__name__}: {ADDRESS.sub('', repr(value))}"
        except Exception:
            return f"<{kind.__name__}>"

    def held(self, value, depth):
        """What an object holds as one of a builtin class from which its own derives; code of its own class is not run."""
        if isinstance(value, (tuple, list, deque)):
            base = next(one for one in (tuple, list, deque) if isinstance(value, one))
            items, fields = list(base.__iter__(value)), getattr(type(value), "_fields", None)
            if base is tuple and type(fields) is tuple and len(fields) == len(items):
                return [f"{name}={self.description(item, depth)}" for name, item in zip(fields, items)]
            return [self.items(items, depth)] if items else []
        if isinstance(value, (set, frozenset)):
            base = set if isinstance(value, set) else frozenset
            texts = sorted(self.description(item, depth) for item in base.__iter__(value))
            return [listed(texts)] if texts else []
        if isinstance(value, dict):
            return [self.pairs(value, depth)] if dict.__len__(value) else []
        base = next((one for one in TEXTS_AND_NUMBERS if isinstance(value, one)), None)
        return [base.__repr__(value)] if base is not None else []

    def carried_by(self, error, depth):
        """(name, description) of what an exception of the project's own classes has besides texts, which are its message, and
        `None`, which is as good as nothing."""
        if not self.frames.has_class_of(error):
            return []
        held = [one for one in attributes_of(error) if one[0] not in self.internal]
        held = [(name, value) for name, value in held if not isinstance(value, (type(None), str, BaseException))]
        return sorted((self.member(name), self.attribute(name, value, depth)) for name, value in held)

    def pairs(self, mapping, depth):
        """What a mapping holds; in order where that counts for whether two are equal."""
        texts = [
            f"{self.description(key, depth)}: {self.description(item, depth)}" for key, item in dict.items(mapping)
        ]
        is_in_order = type(mapping).__name__ == "OrderedDict" and type(mapping).__module__ == "collections"
        return listed(texts if is_in_order else sorted(texts))

    def content(self, path, value):
        """What a container or an object holds."""
        name = path.rpartition(".")[2]
        return self.shortened(self.attribute(name if "." in path else "", value, DEPTH))

    def attribute(self, name, value, depth):
        """The description of what an attribute holds. A private one is asked by its own class only, which may keep in a tuple
        what it had in a list, and so on."""
        if not self.member(name).startswith("_"):
            return self.description(value, depth)
        if self.member(name) in self.regrouped and type(value) in (list, tuple, set, frozenset, deque):
            return f"[{listed(sorted(self.description(item, depth - 1) for item in value))}]"
        if type(value) in (tuple, frozenset, deque):
            value = (set if type(value) is frozenset else list)(value)
        elif is_of_collections(value):
            value = dict(value)
        return self.description(value, depth)

    def is_settled(self, key):
        """True for the kind and name of a use of an attribute that is what a version's own constructor says."""
        kind, _, name = key.partition(":")
        return kind == "attribute" and (name in self.internal or self.member(name) in self.regrouped)

    def is_internal(self, path):
        """True for what only one version keeps, or is inside of that."""
        return bool(self.internal) and not self.internal.isdisjoint(ATTRIBUTE.findall(ARGUMENTS.sub("", path)))

    def attributes_of_class(self, kind):
        """(name, value) of plain values that a class has, and objects have by themselves in the other version."""
        for name in self.of_classes:
            held = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), NotImplemented)
            if held is None or type(held) in (bool, int, float, str, bytes, tuple):
                yield name, held

    def is_nameless(self, function):
        """True for functions whose names do not count: those of the program, and what other functions of the project make."""
        if self.frames.defines(function):
            return True
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        is_wrapper = "__wrapped__" in getattr(function, "__dict__", ())
        is_made = code is not None and ("<locals>" in function.__qualname__ or is_wrapper)
        return is_made and self.frames.is_of_project(code.co_filename)

    def items(self, values, depth):
        return listed([self.description(item, depth) for item in values[:ITEMS]], len(values))


def is_made_by_call(kind):
    """True for a class that is no attribute of its module: a function made it."""
    name, module = kind.__qualname__, sys.modules.get(defining_module(kind))
    return "<locals>" in name or "." not in name and getattr(module, "__dict__", {}).get(name) is not kind


def is_of_collections(value):
    """True for a mapping that does what a dictionary does, and more."""
    kind = type(value)
    return kind.__module__ == "collections" and kind.__name__ in ("OrderedDict", "defaultdict")


def attributes_of(value):
    """(name, value) of the attributes of an object, without running code of its class."""
    yield from getattr(value, "__dict__", {}).items()
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{kind.__name__.lstrip('_')}{name}"
            member = kind.__dict__.get(name)
            if type(member) is types.MemberDescriptorType:
                try:
                    yield name, member.__get__(value)
                except AttributeError:
                    pass  # it has no value


def listed(texts, total=None):
    """The first of some texts, with the number of all."""
    total = len(texts) if total is None else total
    return ", ".join(texts[:ITEMS]) + (f", ... {total}" if total > ITEMS else "")
