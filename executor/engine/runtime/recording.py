"""The policy of `--script`: writes down what a run injected, and what stand-ins answered, so that a script can give it.

Loaded only into the run that a script is made of. It stands in front of the policy and the engine of that run: each
method notes what theirs did.
"""

import sys

from _surmise_classes import Classes
from _surmise_compatible_names import compatible
from _surmise_imports import PACKAGE
from _surmise_nodes import Nodes
from _surmise_standins import ARITHMETIC, COMPARISONS, InjectedError, Module, StandIn

# Operations whose results are answers of their own.
ANSWERED = {
    *COMPARISONS.split(),
    *ARITHMETIC.split(),
    *"bool len contains int trunc floor ceil index float complex bytes fspath instancecheck subclasscheck keys".split(),
}
# Those that always do one thing, or whose answers are written down below.
USED = set(
    "enter exit aenter aexit format copy deepcopy setitem delitem delattr iter reversed next aiter anext getitem await".split()
)


def recorded(policy, engine):
    """A policy and an engine, with recording."""
    return type("RecordedPolicy", (RecordedAnswers, policy), {}), type("RecordedEngine", (RecordedEngine, engine), {})


class RecordedAnswers:
    """In front of a policy."""

    def __init__(self, native, frames, *parts):
        self.record = Recording(frames)
        self.indexed = set()  # (node, key) of items that the script has, too
        super().__init__(native, frames, *parts)
        self.classes = RecordedClasses(self)

    def operate(self, name, answering, value, *operands):
        def answer():
            return super(RecordedAnswers, self).operate(name, answering, value, *operands)

        if name in ANSWERED and not (name in ("eq", "ne") and operands[-1] is value):
            self.record.used.add(name)
            return self.record.logged(value, name, answer)
        if name in USED or name in ANSWERED:
            self.record.used.add(name)
        result = answer()
        if name == "getattr" and operands[0].startswith("__"):
            attributes = self.record.nodes[self.record.node(value)]["attributes"]
            if operands[0] not in attributes:
                attributes[operands[0]] = self.record.reference(result)
        return result

    def variable(self, number):
        site = self.native.site(number)
        name, value = site.name, super().variable(number)
        if value is NotImplemented:
            self.record.absent.add(name)
        elif site.local:
            self.record.cannot(f"`{name}` is a local variable without a value")
        elif self.native.implicit_import(name)[0] and type(value) is not StandIn:
            modules, attribute = self.native.implicit_import(name)
            self.record.imported[name] = [list(modules), attribute]
        else:
            self.record.roots[name] = self.record.reference(value)
        return value

    def attribute(self, value, name, number):
        known = name in value._surmise_state.attributes
        result = super().attribute(value, name, number)
        if not known:
            self.record.has(value, name, result)
        return result

    def method(self, value, name, number):
        result = super().method(value, name, number)
        self.record.has(value, name, result)
        return result

    def attribute_of_module(self, module, name, number):
        value = super().attribute_of_module(module, name, number)
        node = self.record.node(module)
        if (node, name) in self.record.absent:
            self.record.cannot(f"`.{name}` is missing at first, and there later")
        # Looking whether a handler names it may have made another one before, which nobody holds.
        self.record.nodes[node]["attributes"][name] = self.record.reference(value)
        return value

    def standard_input(self):
        value = super().standard_input()
        self.record.placed.append(["sys", "stdin", self.record.node(value)])
        return value

    def call(self, callee, args, kwargs, number):
        return self.record.logged(
            callee, "call", lambda: super(RecordedAnswers, self).call(callee, args, kwargs, number)
        )

    def super_of_nothing(self, number):
        self.record.cannot("a result of `super()`, which failed")
        return super().super_of_nothing(number)

    def iterate(self, value):
        elements = []
        answer = super().iterate
        self.record.logged(value, "iter", lambda: elements.extend(answer(value)) or elements)
        return iter(elements)

    def element(self, value):
        answer = super().element
        return self.record.logged(value, "next", lambda: answer(value))

    def item(self, value, key):
        place = (self.record.node(value), key)
        try:
            if place in self.indexed and key in value._surmise_state.items:
                return value._surmise_state.items[key]
            self.indexed.add(place)
        except TypeError:
            pass
        answer = super().item
        return self.record.logged(value, "getitem", lambda: answer(value, key))

    def set_item(self, value, key, new):
        super().set_item(value, key, new)
        try:
            self.indexed.add((self.record.node(value), key))
        except TypeError:
            pass

    def missing_key(self, mapping, key):
        node = self.record.nodes[self.record.node(mapping)]
        value = super().missing_key(mapping, key)
        node["answers"].append([self.record.reference(key), self.record.reference(value)])
        return value


class RecordedClasses(Classes):
    """In front of the classes that stand-ins turn out to be."""

    def __init__(self, answers):
        super().__init__(answers)
        self.record = answers.record

    def base_class(self, value, bases):
        base = super().base_class(value, bases)
        if issubclass(base, InjectedError):
            self.is_error(value, base)
        else:
            self.record.log(value, "mro_entries", self.record.node(base))
        return base

    def error_class(self, value):
        kind = super().error_class(value)
        self.is_error(value, kind)
        return kind

    def is_error(self, value, kind):
        """In the script this stand-in is the class itself: `except` takes nothing else."""
        node = self.record.nodes[self.record.node(value)]
        node.update(kind="error", name=kind.__name__)
        self.record.nodes[self.record.node(kind)]["attributes"] = node["attributes"]

    def caught(self, value, number):
        kind = super().caught(value, number)
        if kind is not value and type(value) is not tuple and type(value) is not StandIn:
            self.record.cannot("`except` with a value that is no class")
        return kind

    def raised(self, value, number):
        error = super().raised(value, number)
        if error is not value and type(value) is not StandIn:
            self.record.cannot("`raise` of a value that is no exception")
        return error

    def fail(self, dotted, number=None):
        self.record.raising = dotted or "Exception"
        return super().fail(dotted, number)

    def pattern_type(self, name):
        self.record.cannot(f"the class `{name}` of a pattern")
        return super().pattern_type(name)


class RecordedEngine:
    """In front of the engine."""

    def __init__(self, answers):
        self.record = answers.record
        super().__init__(answers)

    def emitted(self):
        return self.record.emitted()

    def attribute(self, number, value):
        try:
            return super().attribute(number, value)
        except AttributeError:
            self.record.absent.add((self.record.node(value), self.native.site(number).name))
            raise

    def attribute_failed(self, number, value, error):
        result = super().attribute_failed(number, value, error)
        if result is not NotImplemented:
            name = self.native.site(number).name
            self.record.place_on_class(value, name, result)
        return result

    def augmented(self, number, value):
        name = self.native.site(number).name
        before = getattr(value, "__dict__", {}).get(name)
        result = super().augmented(number, value)
        if type(value) not in (StandIn, Module) and before is None and name in getattr(value, "__dict__", {}):
            self.record.place_on_class(value, name, value.__dict__[name])
        return result

    def call_failed(self, number, callee, args, kwargs, error):
        result = super().call_failed(number, callee, args, kwargs, error)
        if isinstance(callee, type) or not holders(callee):
            if result is not NotImplemented and callee is not super:
                name = getattr(callee, "__name__", type(callee).__name__)
                self.record.cannot(f"a result of `{name}()`, which failed")
            return result
        # A function that modules hold: a script may replace it.
        answers = self.record.failing.setdefault(id(callee), (callee, []))[1]
        answers.append(None if result is NotImplemented else self.record.reference(result))
        return result

    def decorator(self, number, value):
        keep = super().decorator(number, value)
        if type(value) is StandIn:
            self.record.nodes.append({"kind": "same"})
            self.record.log(value, "call", len(self.record.nodes) - 1)
        return keep

    def import_from(self, number):
        error = super().import_from(number)
        statement = self.native.import_statement(number)
        if statement is None or error is not None:
            return error
        level, module, names, *_ = statement
        if level > 0:
            frame = self.frames.innermost()
            package = frame.f_globals.get("__package__") if frame is not None else None
            is_made_up = isinstance(package, str) and package.startswith(PACKAGE)
            self.record.parent_package = package if is_made_up else None
            return None
        found = sys.modules.get(module)
        if found is None or type(found) is Module:
            return None
        for name in names:
            value, place = found.__dict__.get(name), (module, name)
            is_known = value is not None and compatible(module, name) is value
            if (type(value) is StandIn or is_known) and place not in self.record.absent:
                self.record.absent.add(place)
                self.record.placed.append([*place, self.record.node(value)])
        return None

    def lets_import_fail(self, module):
        fails = super().lets_import_fail(module)
        if fails:
            self.record.halted.append(module)
        return fails

    def lets_argument_fail(self, what, kind):
        fails = super().lets_argument_fail(what, kind)
        self.record.reads_arguments |= not fails
        return fails

    def gave_variable(self, name, text):
        self.record.environment[name] = text

    def gave_arguments(self, texts):
        self.record.parsed = texts

    def bind_pattern(self, frame, number):
        before = set(frame.f_globals)
        super().bind_pattern(frame, number)
        for name in set(frame.f_globals) - before:
            if type(frame.f_globals[name]) is StandIn:
                self.record.roots[name] = self.record.node(frame.f_globals[name])
            else:
                self.record.cannot(f"the class `{name}` of a pattern")


def _inexpressible(name, what):
    """The method `name` of the engine, noting that a script cannot express what it gave instead of its last operand."""

    def method(self, *operands):
        result = getattr(super(RecordedEngine, self), name)(*operands)
        if result is not operands[-1]:
            self.record.cannot(what)
        return result

    setattr(RecordedEngine, name, method)


_inexpressible("contains", "a stand-in looked for in a string")
_inexpressible("metaclass", "a metaclass that is missing")
_inexpressible("awaited", "`await` of a value that cannot be awaited")


class Recording(Nodes):
    """All that a script needs."""

    def __init__(self, frames):
        super().__init__(frames)
        self.roots = {}
        self.imported = {}
        self.placed = []
        self.failing = {}  # id of a real function -> (the function, its answers when it fails)
        self.halted = []
        self.parent_package = None
        self.reads_arguments = False
        self.parsed = []  # arguments that are read together
        self.environment = {}  # variables that were made up

    def place_on_class(self, value, name, new):
        """An attribute of an instance becomes one of the missing class that it has among its bases."""
        reference, what = self.reference(new), f"`.{name}` of a real object"
        kind = value.__self_class__ if isinstance(value, super) else value if isinstance(value, type) else type(value)
        for base in kind.__mro__:
            number = self.numbers.get(id(base))
            if number is not None and self.nodes[number]["kind"] in ("base", "error"):
                if self.nodes[number]["attributes"].setdefault(name, reference) != reference:
                    self.cannot(what)
                return
        self.cannot(what)

    def emitted(self):
        """All of it, as JSON."""
        import json

        for name in self.roots:
            if name in self.absent:
                self.missing.setdefault((0, f"`{name}` is missing at first, and there later"))
        modules = [module for module in list(sys.modules.values()) if type(module) is Module]
        failing = []
        for function, answers in self.failing.values():
            if any(answer is not None for answer in answers):
                failing.append({"name": function.__name__, "modules": holders(function), "answers": answers})
        return json.dumps(
            {
                "modules": [self.node(module) for module in modules],
                "nodes": self.nodes,
                "used": sorted(self.used),
                "names": self.roots,
                "imported": self.imported,
                "placed": self.placed,
                "failing": failing,
                "halted": [name for name in self.halted if name not in sys.modules],
                "package": self.parent_package,
                "arguments": self.reads_arguments,
                "parsed": self.parsed,
                "environment": self.environment,
                "missing": [[line, what] for line, what in self.missing],
                "folders": folders(),
            }
        )


def holders(function):
    """The real modules that hold a function under its own name."""
    name = getattr(function, "__name__", None)
    modules = [(key, module) for key, module in list(sys.modules.items()) if type(module) is type(sys)]
    return [key for key, module in modules if key != "__main__" and module.__dict__.get(name) is function]


def folders():
    """Where imported modules lie, as far as `sys.path` has them: a script needs those that are not Python's own."""
    import os

    modules = [module for name, module in list(sys.modules.items()) if name != "__main__"]
    files = [getattr(module, "__file__", None) for module in modules]
    names = [file for file in files if isinstance(file, str)]
    own = os.path.dirname(os.__file__)
    entries = [entry for entry in sys.path if isinstance(entry, str) and entry]
    entries = [entry for entry in entries if entry not in (own, os.path.join(own, "lib-dynload"))]
    return [entry for entry in entries if any(name.startswith(entry.rstrip("/") + "/") for name in names)]
