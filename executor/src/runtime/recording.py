"""Writes down what a run injected, and what each stand-in answered, so that a script can give the same again.

Loaded only into the run that a script is made of. Operations that the engine does not see one by one are observed by
wrapping the methods of the stand-ins, so nothing else pays for this.
"""

import sys

from _surmise_nodes import Nodes

# Methods of stand-ins whose results are answers of their own.
ANSWERED = (
    "bool eq ne lt le gt ge len contains int trunc floor ceil index float complex bytes fspath instancecheck "
    "subclasscheck add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or radd rsub rmul rmatmul "
    "rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror neg pos abs invert round"
).split()
# Those that are always the same, or that the engine answers.
USED = (
    "enter exit aenter aexit format copy deepcopy setitem delitem delattr iter reversed next aiter anext getitem await"
).split()


def recorder(engine_class, standins, package):
    """The engine's class, with recording."""
    wrap(standins)
    return type("Recorder", (Recording, engine_class), {"package": package})


def wrap(standins):
    for short in ANSWERED:
        method = getattr(standins.StandIn, f"__{short}__")
        setattr(standins.StandIn, f"__{short}__", answered(standins, short, method))
    for short in USED:
        method = getattr(standins.StandIn, f"__{short}__")
        setattr(standins.StandIn, f"__{short}__", used(standins, short, method))
    get = standins.StandIn.__getattr__

    def getattribute(self, name):
        value = get(self, name)
        standins.engine.read(self, name, value)
        return value

    standins.StandIn.__getattr__ = getattribute
    standins.StandIn.keys = answered(standins, "keys", standins.StandIn.keys)


def answered(standins, short, method):
    def wrapper(self, *others):
        if short in ("eq", "ne") and others[0] is self:
            standins.engine.used.add(short)
            return method(self, *others)
        return standins.engine.logged(self, short, lambda: method(self, *others))

    return wrapper


def used(standins, short, method):
    def wrapper(self, *others):
        standins.engine.used.add(short)
        return method(self, *others)

    return wrapper


class Recording(Nodes):
    """In front of the engine: each method notes what the engine's own did."""

    package = None

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.roots = {}
        self.imported = {}
        self.placed = []
        self.failing = {}  # id of a real function -> (the function, its answers when it fails)
        self.halted = []
        self.parent_package = None
        self.reads_arguments = False

    # -- attributes ---------------------------------------------------------------------------------------------------

    def fail(self, dotted, site=None):
        self.raising = dotted or "Exception"
        return super().fail(dotted, site)

    def read(self, stand_in, name, value):
        attributes = self.nodes[self.node(stand_in)]["attributes"]
        if name not in attributes and name.startswith("__"):
            attributes[name] = self.reference(value)

    def attribute(self, site, value):
        try:
            return super().attribute(site, value)
        except AttributeError:
            self.absent.add((self.node(value), self.assigned(site)[1]))
            raise

    def attribute_of(self, stand_in, name, site):
        known = name in stand_in._surmise_state.attributes
        value = super().attribute_of(stand_in, name, site)
        if not known:
            self.has(stand_in, name, value)
        return value

    def attribute_of_module(self, module, name, site):
        value = super().attribute_of_module(module, name, site)
        number = self.node(module)
        if (number, name) in self.absent:
            self.cannot(f"`.{name}` is missing at first, and there later")
        # Looking whether a handler names it may have made another one before, which nobody holds.
        self.nodes[number]["attributes"][name] = self.reference(value)
        return value

    def result_of(self, callee, args, kwargs, site):
        return self.logged(callee, "call", lambda: super(Recording, self).result_of(callee, args, kwargs, site))

    def decorator(self, site, value):
        keep = super().decorator(site, value)
        if keep is not value:
            self.nodes.append({"kind": "same"})
            self.log(value, "call", len(self.nodes) - 1)
        return keep

    def iterate(self, stand_in):
        elements = []
        self.logged(stand_in, "iter", lambda: elements.extend(super(Recording, self).iterate(stand_in)) or elements)
        return iter(elements)

    def element(self, stand_in):
        try:
            return self.logged(stand_in, "next", lambda: super(Recording, self).element(stand_in))
        except StopIteration:
            if sys._getframe(1).f_code.co_name == "__anext__":
                raise StopAsyncIteration from None
            raise

    def item(self, stand_in, key):
        items = stand_in._surmise_state.items
        try:
            if key in items:
                return items[key]
        except TypeError:
            pass
        return self.logged(stand_in, "getitem", lambda: super(Recording, self).item(stand_in, key))

    def missing_key(self, mapping, key):
        node = self.nodes[self.node(mapping)]
        value = super().missing_key(mapping, key)
        node["answers"].append([self.reference(key), self.reference(value)])
        return value

    def awaited_value(self, stand_in):
        value = self.logged(stand_in, "await", lambda: super(Recording, self).awaited_value(stand_in))
        self.nodes[self.node(value)]["attributes"] = self.nodes[self.node(stand_in)]["attributes"]
        return value

    # -- classes ----------------------------------------------------------------------------------------------------

    def base_class(self, stand_in, bases):
        value = super().base_class(stand_in, bases)
        if issubclass(value, self.types.InjectedError):
            self.is_error(stand_in, value)
        else:
            self.log(stand_in, "mro_entries", self.node(value))
        return value

    def error_class(self, stand_in):
        value = super().error_class(stand_in)
        self.is_error(stand_in, value)
        return value

    def is_error(self, stand_in, value):
        """In the script this stand-in is the class itself: `except` takes nothing else."""
        node = self.nodes[self.node(stand_in)]
        node.update(kind="error", name=value.__name__)
        self.nodes[self.node(value)]["attributes"] = node["attributes"]

    def caught(self, site, value):
        kind = super().caught(site, value)
        if kind is not value and type(value) is not tuple and type(value) is not self.types.StandIn:
            self.cannot("`except` with a value that is no class")
        return kind

    def raised(self, site, value):
        error = super().raised(site, value)
        if error is not value and type(value) is not self.types.StandIn:
            self.cannot("`raise` of a value that is no exception")
        return error

    def place_on_class(self, value, name, reference, what):
        """An attribute of an instance becomes one of the missing class that it has among its bases."""
        kind = value.__self_class__ if isinstance(value, super) else value if isinstance(value, type) else type(value)
        for base in kind.__mro__:
            number = self.numbers.get(id(base))
            if number is not None and self.nodes[number]["kind"] in ("base", "error"):
                if self.nodes[number]["attributes"].setdefault(name, reference) != reference:
                    self.cannot(what)
                return
        self.cannot(what)

    # -- names and real objects -------------------------------------------------------------------------------------

    def name(self, site):
        name = self.assigned(site)[1]
        value = super().name(site)
        if value is NotImplemented:
            self.absent.add(name)
        elif self.native.is_local(site):
            self.cannot(f"`{name}` is a local variable without a value")
        elif name in self.left_out and type(value) is not self.types.StandIn:
            modules, attribute = self.left_out[name]
            self.imported[name] = [list(modules), attribute]
        else:
            self.roots[name] = self.reference(value)
        return value

    def attribute_failed(self, site, value, error):
        result = super().attribute_failed(site, value, error)
        if result is not NotImplemented:
            name = self.assigned(site)[1]
            self.place_on_class(value, name, self.reference(result), f"`.{name}` of a real object")
        return result

    def augmented(self, site, value):
        name = self.assigned(site)[1]
        before = getattr(value, "__dict__", {}).get(name)
        result = super().augmented(site, value)
        real = type(value) not in (self.types.StandIn, self.types.Module)
        if real and before is None and name in getattr(value, "__dict__", {}):
            self.place_on_class(value, name, self.reference(value.__dict__[name]), f"`.{name}` of a real object")
        return result

    def call_failed(self, site, callee, args, kwargs, error):
        result = super().call_failed(site, callee, args, kwargs, error)
        if not self.is_function(callee):
            if result is not NotImplemented:
                self.cannot(f"a result of `{getattr(callee, '__name__', type(callee).__name__)}()`, which failed")
            return result
        answers = self.failing.setdefault(id(callee), (callee, []))[1]
        answers.append(None if result is NotImplemented else self.reference(result))
        return result

    def is_function(self, callee):
        """True for functions that a script may replace: those that modules hold."""
        return not isinstance(callee, type) and bool(holders(callee))

    def import_from(self, number):
        super().import_from(number)
        if not 0 <= number < len(self.imports):
            return
        level, module, names, _line, _column = self.imports[number]
        if level > 0:
            frame = self.frame()
            package = frame.f_globals.get("__package__") if frame is not None else None
            self.parent_package = package if isinstance(package, str) and package.startswith(self.package) else None
            return
        found = sys.modules.get(module)
        if found is None or type(found) is self.types.Module:
            return
        for name in names:
            value = found.__dict__.get(name)
            if type(value) is self.types.StandIn and (module, name) not in self.absent:
                self.absent.add((module, name))
                self.placed.append([module, name, self.node(value)])

    def expects(self, kind, what):
        expected = super().expects(kind, what)
        if expected and kind is ModuleNotFoundError:
            self.halted.append(what.partition(":")[2])
        return expected

    def expected(self, kind):
        expected = super().expected(kind)
        if kind is IndexError and not expected and sys._getframe(1).f_code.co_name == "__getitem__":
            self.reads_arguments = True
        return expected

    def contains(self, item, container):
        self.cannot("a stand-in looked for in a string")
        return super().contains(item, container)

    def metaclass(self, value):
        result = super().metaclass(value)
        if result is not value:
            self.cannot("a metaclass that is missing")
        return result

    def awaited(self, site, value):
        result = super().awaited(site, value)
        if result is not value:
            self.cannot("`await` of a value that cannot be awaited")
        return result

    def bind_pattern(self, frame, site):
        before = set(frame.f_globals)
        super().bind_pattern(frame, site)
        for name in set(frame.f_globals) - before:
            if type(frame.f_globals[name]) is self.types.StandIn:
                self.roots[name] = self.node(frame.f_globals[name])
            else:
                self.cannot(f"the class `{name}` of a pattern")

    def pattern_type(self, name):
        self.cannot(f"the class `{name}` of a pattern")
        return super().pattern_type(name)

    # -- the end ----------------------------------------------------------------------------------------------------

    def told(self):
        """All of it, as JSON."""
        import json

        for name in self.roots:
            if name in self.absent:
                self.missing.setdefault((0, f"`{name}` is missing at first, and there later"))
        modules = [module for module in list(sys.modules.values()) if type(module) is self.types.Module]
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
