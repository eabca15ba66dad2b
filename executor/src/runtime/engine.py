"""The engine: the entry points of the native hooks.

Runs on cold paths only. The hooks call the functions of `Engine` when a lookup failed or hit a stand-in; a result of
`NotImplemented` lets the original exception stand.
"""

import sys

from _surmise_answers import Answers
from _surmise_values import safe_repr

MOST_ASKED = 100  # answers for one `input()`


class Engine(Answers):
    """One run's engine."""

    def __init__(self, native, standins, imports_module, filename, source, tries, imports, inject, inject_io):
        self.native, self.literals, self.choices = native
        self.types = standins
        self.imports_module = imports_module
        standins.engine = self
        self.filename = filename
        self.own_files = {filename}  # whose imports are answered
        self.own_modules = ["__main__"]
        self.source = source
        # file -> (first line, last line, line of the code object, [dotted names or None])
        self.tries = {filename: tries} if tries else {}
        self.imports, self.left_out = imports  # (level, module, names, line, column); name -> (modules, attribute)
        self.inject = inject
        self.inject_io = inject_io
        self.asked = {}  # how often there was an answer for `input()`, by site
        self.names = {}
        self.attributes = {}  # id of a real object -> (the object, {attribute: value})
        self.injected = {}  # id of an injected container -> the container
        self.constants = set()  # (type, value) of injected immutable values
        self.decorated = {}
        self.counts = {}
        self.results = {}
        self.bases = {}
        self.noted = set()
        self.patterns = {}

    def name(self, site):
        kind, name, assigned, _role, _count = self.assigned(site)
        if name in self.names:
            return self.names[name]
        if assigned is None or self.expects(NameError, site):
            return NotImplemented
        value = self.import_left_out(name) if name in self.left_out else NotImplemented
        if value is NotImplemented:
            value = self.make(site)
        self.names[name] = value
        return value

    def import_left_out(self, name):
        """What the code forgot to import; `NotImplemented` if this Python does not have it."""
        modules, attribute = self.left_out[name]
        try:
            for module in modules:
                __import__(module)
            value = sys.modules[modules[0]]
            value = value if attribute is None else getattr(value, attribute)
        except Exception:
            return NotImplemented
        frame = self.frame()
        shown = f"<module {name!r}>" if attribute is None else f"<{modules[0]}.{attribute}>"
        self.native.answered(frame.f_lineno if frame is not None else 0, -1, "left-out import", name, shown)
        return value

    def bound(self, site):
        _kind, name, assigned, _role, _count = self.assigned(site)
        if assigned is None:
            return True
        frame = sys._getframe(1)
        if name in frame.f_globals or name in frame.f_builtins:
            return True  # a `global` is missing: a bug of the code, not a missing value
        return name not in self.names and self.expects(UnboundLocalError, site)

    def attribute(self, site, value):
        name = self.assigned(site)[1]
        if type(value) is self.types.Module:
            if name in value.__dict__:
                return value.__dict__[name]
            if self.expects(AttributeError, site):
                return getattr_plain(value, name)
            return self.attribute_of_module(value, name, site)
        state = value._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if name.startswith("__") and name.endswith("__"):
            try:
                return getattr(value, name)
            except AttributeError:
                pass
        if self.expects(AttributeError, site):
            raise AttributeError(f"{state.name!r} object has no attribute {name!r}")
        return self.attribute_of(value, name, site)

    def attribute_failed(self, site, value, error):
        _kind, name, assigned, _role, _count = self.assigned(site)
        if assigned is None or self.from_snippet(error):
            return NotImplemented
        held = self.attributes.get(id(value))
        if held is not None and name in held[1]:
            return held[1][name]
        if not self.may_lack(value, name) or self.expects(AttributeError, site):
            return NotImplemented
        result = self.make(site, None, f"{type(value).__name__}.{name}")
        self.attributes.setdefault(id(value), (value, {}))[1][name] = result
        return result

    def may_lack(self, value, name):
        """True where a missing attribute is the fault of missing code rather than a bug of the code at hand."""
        types = self.types
        if isinstance(value, super):
            return any(issubclass(base, types.InjectedBase) for base in value.__self_class__.__mro__)
        if isinstance(value, type):
            return issubclass(value, (types.InjectedBase, types.InjectedError)) or id(value) in self.decorated
        if isinstance(value, (types.InjectedBase, types.InjectedError)) or self.is_injected(value):
            return True
        if id(value) in self.decorated:
            return True
        kind = type(value)
        if getattr(kind, "__module__", None) != "__main__" or isinstance(value, BaseException):
            return False
        assigned = find_assignment(self.source, name)
        return not assigned and not any(near(name, other) for other in dir(value))

    def call(self, site, callee, args, kwargs):
        return self.result_of(callee, args, kwargs, site)

    def call_failed(self, site, callee, args, kwargs, error):
        _kind, name, assigned, _role, _count = self.assigned(site)
        if assigned is None or self.from_snippet(error) or self.of_snippet(callee):
            return NotImplemented
        if isinstance(error, (OSError, EOFError)) or type(error).__name__ in ("CalledProcessError", "TimeoutExpired"):
            if not self.inject_io or self.expects(type(error), site):
                return NotImplemented
            return self.answer_io(site, callee, name)
        if isinstance(error, (StopIteration, StopAsyncIteration, MemoryError, RecursionError)):
            return NotImplemented
        made_up = self.is_made_up(args) or self.is_made_up(kwargs) or self.is_made_up(callee)
        if callee is super and not args and isinstance(error, RuntimeError):
            made_up = True  # a method was cut out of its class
        owner = getattr(callee, "__self__", None)
        if not made_up and not (owner is not None and self.is_made_up(owner)):
            return NotImplemented
        if self.expects(type(error), site):
            return NotImplemented
        return self.make(site, variant="object" if callee is super else self.result_class(callee))

    def result_class(self, callee):
        """What a builtin gives whatever it is given; None for others."""
        try:
            return RESULTS.get(callee)
        except TypeError:
            return None

    def of_snippet(self, callee):
        """True for functions and classes that the snippet defined: their failures are its own."""
        callee = getattr(callee, "__func__", callee)
        callee = getattr(callee, "__wrapped__", callee)
        code = getattr(callee, "__code__", None)
        if code is not None:
            return code.co_filename in self.own_files
        kind = callee if isinstance(callee, type) else type(callee)
        return kind.__dict__.get("__module__") in self.own_modules and not issubclass(kind, self.types.InjectedError)

    def answer_io(self, site, callee, name):
        if name in ("input", "raw_input"):
            self.asked[site] = self.asked.get(site, 0) + 1
            if self.asked[site] > MOST_ASKED:
                return NotImplemented  # what waits for another answer would never end
            kind, given = self.literals.get(site, (None, None))
            value = eval(given, {"__builtins__": {}}) if kind == "given" else given if kind == "text" else "1"
            self.constants.add((str, value))
            self.native.injected(site, "str", repr(value))
            return value
        return self.make(site)

    def decorator(self, site, value):
        if type(value) is not self.types.StandIn:
            return value
        self.note(value, "decorator", "the decorated object itself")

        def keep(decorated):
            self.decorated[id(decorated)] = decorated
            return decorated

        return keep

    def awaited(self, site, value):
        kind = type(value)
        if kind is self.types.StandIn or hasattr(kind, "__await__") or not self.is_injected(value):
            return value
        return self.types.Awaitable(value)

    def error_class(self, stand_in):
        state = stand_in._surmise_state
        if state.error is None:
            name = state.name.rpartition(".")[2].rstrip("()") or "Exception"
            base = self.bases.get(id(stand_in))
            if base is not None and issubclass(base[1], BaseException):
                state.error = base[1]
            else:
                state.error = type(name, (self.types.InjectedError,), {"__module__": "builtins"})
        return state.error

    def caught(self, site, value):
        if type(value) is tuple:
            return tuple(self.caught(site, item) for item in value)
        if type(value) is self.types.StandIn:
            return self.error_class(value)
        if not (isinstance(value, type) and issubclass(value, BaseException)) and self.is_injected(value):
            return self.types.InjectedError
        return value

    def raised(self, site, value):
        if type(value) is self.types.StandIn:
            callee = value._surmise_state.callee
            if callee is not None:
                return self.error_class(callee)(*value._surmise_state.arguments)
            return self.error_class(value)
        if value is None or isinstance(value, BaseException) or not self.is_injected(value):
            return value
        if isinstance(value, type):
            return value if issubclass(value, BaseException) else self.types.InjectedError(value.__name__)
        return self.types.InjectedError(safe_repr(value))

    def augmented(self, site, value):
        _kind, name, assigned, _role, _count = self.assigned(site)
        if assigned is None or type(value) is self.types.Module:
            return value
        kind = type(value)
        if kind is self.types.StandIn:
            self.attribute_of(value, name, site)
            return value
        if hasattr(kind, name) or hasattr(kind, "__getattr__") or name in getattr(value, "__dict__", {}):
            return value
        if kind.__getattribute__ is not object.__getattribute__ or hasattr(kind, "__slots__"):
            return value
        if self.may_lack(value, name) and not self.expected(AttributeError):
            try:
                setattr(value, name, self.make(site, None, f"{kind.__name__}.{name}"))
            except (AttributeError, TypeError):
                pass
        return value

    def import_from(self, number):
        if self.inject and 0 <= number < len(self.imports):
            level, module, names, line, column = self.imports[number]
            self.imports_module.prepare_from_import(self, level, module, names, line, column)

    def pattern(self, first, count, subject):
        frame = sys._getframe(1)
        for site in range(first, first + count):
            self.bind_pattern(frame, site)
        return subject

    def bind_pattern(self, frame, site):
        _kind, dotted, assigned, role, _count = self.assigned(site)
        if assigned is None:
            return
        if role != "caught":
            known = any(dotted in names for names in (frame.f_locals, frame.f_globals, frame.f_builtins))
            if not known and not self.expected(NameError):
                frame.f_globals[dotted] = self.name(site)
            return
        root, *rest = dotted.split(".")
        for namespace in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if root in namespace:
                value = namespace[root]
                break
        else:
            if self.expected(NameError):
                return
            if rest:
                value = frame.f_globals[root] = self.names.setdefault(root, self.fresh(root))
            else:
                frame.f_globals[root] = self.pattern_type(root)
                self.native.injected(site, "object", f"<class {root}>")
                return
        for position, part in enumerate(rest):
            if type(value) not in (self.types.StandIn, self.types.Module):
                return
            last = position == len(rest) - 1
            known = value._surmise_state.attributes if type(value) is self.types.StandIn else value.__dict__
            if last and type(known.get(part)) in (self.types.StandIn, type(None)):
                known[part] = self.pattern_type(part)
                self.native.injected(site, "object", f"<class {part}>")
            value = known.get(part) or getattr(value, part)
        if not rest and type(value) is self.types.StandIn:
            frame.f_globals[root] = self.pattern_type(root)

    def pattern_type(self, name):
        if name not in self.patterns:
            self.patterns[name] = self.types.AnyInstance(name, (self.types.InjectedObject,), {})
        return self.patterns[name]

    def metaclass(self, value):
        if type(value) is self.types.StandIn:
            self.note(value, "metaclass", "<class 'type'>")
            return type
        return value

    def contains(self, item, container):
        """`stand_in in "text"`, which CPython refuses."""
        return self.decide(item, "membership")

    def base_class(self, stand_in, bases):
        held = self.bases.get(id(stand_in))
        if held is None:
            name = stand_in._surmise_state.name.rpartition(".")[2]
            kinds = (self.types.InjectedObject,)
            if any(isinstance(base, type) and base is not object for base in bases):
                kinds = (self.types.InjectedBase,)  # the real bases have their own operations
            if self.is_error_name(name):
                kinds = (self.types.InjectedError,)
            base = type(name, kinds, {"__module__": "builtins"})
            held = self.bases[id(stand_in)] = (stand_in, base)
            self.note(stand_in, "base class", repr(base))
        return held[1]

    def is_error_name(self, name):
        """A base class is an exception if it is called like one, or a class derived from it is raised or caught."""
        import re

        if name.endswith(("Error", "Exception", "Warning", "Interrupt", "Exit")):
            return True
        derived = re.findall(rf"class\s+(\w+)\s*\([^)]*\b{re.escape(name)}\b", self.source)
        return any(re.search(rf"\b(?:raise|except)\b[^\n]*\b{derived_name}\b", self.source) for derived_name in derived)


RESULTS = {
    int: "positive-int",
    len: "positive-int",
    ord: "positive-int",
    round: "positive-int",
    float: "positive-float",
    str: "str",
    repr: "str",
    chr: "str",
    list: "list",
    sorted: "list",
    tuple: "tuple",
    set: "set",
    dict: "dict",
    bool: "true",
    isinstance: "true",
    callable: "true",
}


def getattr_plain(value, name):
    """The AttributeError that a missing module gives where the code expects one."""
    raise AttributeError(f"module {value.__name__!r} has no attribute {name!r}")


def find_assignment(source, name):
    """True if the snippet itself gives some object this attribute."""
    import re

    return re.search(rf"\.\s*{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)", source) is not None


def near(name, other):
    """True for names that are one edit or one swap of neighbours apart: a likely typing error."""
    if len(name) < 4 or len(other) < 4 or abs(len(name) - len(other)) > 1 or name == other:
        return False
    if len(name) > len(other):
        name, other = other, name
    at = 0
    while at < len(name) and name[at] == other[at]:
        at += 1
    if len(name) < len(other):
        return name[at:] == other[at + 1 :]
    swapped = name[at : at + 2] == other[at : at + 2][::-1] and name[at + 2 :] == other[at + 2 :]
    return name[at + 1 :] == other[at + 1 :] or swapped
