"""The engine: decides what a missing value is, answers operations on stand-ins, and tells the parent about both.

Runs on cold paths only. The native hooks call the functions of `Engine` when a lookup failed or hit a stand-in; a
result of `NotImplemented` lets the original exception stand.
"""

import opcode
import sys

OPNAMES = opcode.opname
REPEATS = 3  # so many equal answers in a row at one place, then the other one: loops on stand-ins end
CHAIN = 5  # so many values made by one place out of each other (`node = node.next`), then the end of the chain
EXHAUSTED = 10  # so many results of one call site, then the empty value of the same type
ELEMENTS = 2  # elements of an iterated stand-in

VARIABLE, ATTRIBUTE, RETURN_VALUE = "variable", "attribute", "return value"

EMPTY = {
    "true": "false",
    "positive-int": "zero-int",
    "positive-float": "zero-float",
    "str": "empty-str",
    "list": "empty-list",
    "tuple": "empty-tuple",
    "set": "empty-set",
    "dict": "empty-dict",
}

CONSTANTS = {
    "none": None,
    "true": True,
    "false": False,
    "negative-int": -1,
    "zero-int": 0,
    "positive-int": 1,
    "negative-float": -1.0,
    "zero-float": 0.0,
    "positive-float": 1.0,
    "empty-str": "",
    "str": "a",
}


class Engine:
    """One run's engine."""

    def __init__(self, native, standins, imports_module, filename, source, tries, imports, inject, inject_io):
        self.native = native
        self.types = standins
        self.imports_module = imports_module
        standins.engine = self
        self.filename = filename
        self.source = source
        self.tries = tries  # (first line, last line, line of the code object, [dotted names or None])
        self.imports = imports  # (level, module, names, line, column)
        self.inject = inject
        self.inject_io = inject_io
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

    # -- who asks -----------------------------------------------------------------------------------------------

    def frame(self):
        """The innermost running frame of the snippet, or None."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame

    def place(self):
        """What identifies the running instruction of the snippet."""
        frame = self.frame()
        return (frame.f_code, frame.f_lasti) if frame is not None else None

    def opcode_at(self, frame):
        code, at = frame.f_code.co_code, frame.f_lasti
        if not 0 <= at < len(code):
            return "", 0
        return OPNAMES[code[at]], code[at + 1]

    def caller_opcode(self):
        """The instruction that the calling frame of the snippet is at."""
        frame = sys._getframe(2)
        return self.opcode_at(frame)[0] if frame.f_code.co_filename == self.filename else ""

    def expected(self, kind):
        """True if a handler of the snippet would catch an exception of this class."""
        if not self.tries:
            return False
        frame = sys._getframe(1)
        while frame is not None:
            code = frame.f_code
            if code.co_filename == self.filename:
                scope = 0 if code.co_name == "<module>" else code.co_firstlineno
                for first, last, scope_line, catches in self.tries:
                    if first <= frame.f_lineno <= last and scope_line == scope:
                        if any(self.catches(frame, name, kind) for name in catches):
                            return True
            frame = frame.f_back
        return False

    def catches(self, frame, dotted, kind):
        if dotted is None:
            return True
        root, *rest = dotted.split(".")
        for namespace in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if root in namespace:
                value = namespace[root]
                break
        else:
            return False
        for part in rest:
            if not isinstance(value, (type, type(sys))):
                return False
            value = getattr(value, part, None)
        for candidate in value if type(value) is tuple else (value,):
            if isinstance(candidate, type) and issubclass(candidate, BaseException) and issubclass(kind, candidate):
                return True
        return False

    def from_snippet(self, error):
        """True if the exception passed through a frame of the snippet."""
        traceback = error.__traceback__
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_code.co_filename == self.filename and frame is not self.frame():
                return True
            traceback = traceback.tb_next
        return False

    # -- making values ------------------------------------------------------------------------------------------

    def assigned(self, site):
        """(kind, name, class or None, role, number to unpack) of a site."""
        return self.native.site(site)

    def make(self, site, parent=None, name=None, variant=None):
        """The value of a site's class, recorded."""
        kind, site_name, assigned, role, count = self.assigned(site)
        assigned = variant or assigned
        origin = site
        if assigned in CONSTANTS:
            value = CONSTANTS[assigned]
            self.constants.add((type(value), value))
        else:
            value = self.container_or_stand_in(assigned, name or site_name, parent, origin, count)
        if assigned != "none" and kind == RETURN_VALUE and role == "awaited" and type(value) is not self.types.StandIn:
            self.native.injected(site, assigned, repr(value))
            return self.types.Awaitable(value)
        self.native.injected(site, assigned, safe_repr(value))
        return value

    def container_or_stand_in(self, assigned, name, parent, origin, count):
        stand_in = self.types.StandIn
        element = lambda: stand_in(f"{name}[]", "object", parent, origin)  # noqa: E731
        many = [element() for _ in range(count or 1)] if assigned in ("list", "tuple", "set") else []
        if assigned in ("list", "empty-list"):
            value = many
        elif assigned in ("tuple", "empty-tuple"):
            value = tuple(many)
        elif assigned in ("set", "empty-set"):
            value = set(many)
        elif assigned == "dict":
            value = self.types.Dict({"a": element()})
        elif assigned == "empty-dict":
            value = {}
        else:
            return stand_in(name, assigned, parent, origin)
        self.injected[id(value)] = value
        return value

    def fresh(self, name, parent=None, origin=None):
        return self.types.StandIn(name, "object", parent, origin)

    def note(self, stand_in, operation, answer, name=None):
        """Tells about the answer to an operation that is no site of its own."""
        frame = self.frame()
        if frame is None:
            return
        key = (frame.f_code, frame.f_lasti, operation)
        if key not in self.noted:
            self.noted.add(key)
            column = -1
            if hasattr(frame.f_code, "co_positions"):
                for at, position in enumerate(frame.f_code.co_positions()):
                    if at * 2 == frame.f_lasti:
                        column = -1 if position[2] is None else position[2]
                        break
            name = name or stand_in._surmise_state.name
            self.native.answered(frame.f_lineno, column, operation, name, answer)

    def child(self, stand_in, operation, name):
        """The result of an operation on a stand-in: another one."""
        value = self.fresh(f"{stand_in._surmise_state.name}", stand_in, self.place())
        self.note(stand_in, operation, repr(value))
        return value

    def is_injected(self, value):
        """True for values that this run made up."""
        kind = type(value)
        if kind is self.types.StandIn or kind is self.types.Module or kind is self.types.Awaitable:
            return True
        if id(value) in self.injected or isinstance(value, self.types.InjectedBase):
            return True
        if isinstance(value, type) and issubclass(value, (self.types.InjectedBase, self.types.InjectedError)):
            return True
        try:
            return (kind, value) in self.constants
        except TypeError:
            return False

    def is_made_up(self, value, depth=2):
        """True if an injected object is in the value, a few levels deep."""
        kind = type(value)
        if kind is self.types.StandIn or id(value) in self.injected or isinstance(value, self.types.InjectedBase):
            return True
        if depth and isinstance(value, (list, tuple, set, frozenset)):
            return any(self.is_made_up(item, depth - 1) for item in list(value)[:50])
        if depth and isinstance(value, dict):
            pairs = list(value.items())[:50]
            return any(self.is_made_up(part, depth - 1) for pair in pairs for part in pair)
        return self.is_injected(value) or self.is_made_up_iterator(value)

    def is_made_up_iterator(self, value):
        owner = getattr(value, "__self__", None) if isinstance(value, BUILTIN_METHODS) else None
        return owner is not None and owner is not value and self.is_made_up(owner, 1)

    # -- answers ------------------------------------------------------------------------------------------------

    def decide(self, stand_in, operation):
        """Yes; but after a few times at the same place once no, so that loops end and both branches run."""
        key = (self.place(), operation)
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        answer = count % (REPEATS + 1) < REPEATS
        self.note(stand_in, operation, str(answer))
        return answer

    def chain(self, stand_in, origin):
        """How many values among its ancestors the same place made."""
        length = 0
        while stand_in is not None and length < CHAIN:
            state = stand_in._surmise_state
            length += state.origin == origin
            stand_in = state.parent
        return length

    def length(self, stand_in):
        key = (self.place(), "length")
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        answer = ELEMENTS if count % (REPEATS + 1) < REPEATS else 0
        self.note(stand_in, "length", str(answer))
        return answer

    def iterate(self, stand_in):
        frame = self.frame()
        count = None
        if frame is not None:
            name, argument = self.opcode_at(frame)
            if name == "UNPACK_SEQUENCE":
                count = argument
            elif name == "UNPACK_EX":
                count = (argument & 255) + 1
        origin = ("element", frame.f_code, frame.f_lasti) if frame is not None else None
        state = stand_in._surmise_state
        if count is None:
            if self.chain(stand_in, origin) >= CHAIN:
                self.note(stand_in, "iteration", "empty")
                return iter(())
            count = ELEMENTS
        if state.elements is None:
            state.elements = []
        while len(state.elements) < count:
            state.elements.append(self.fresh(f"{state.name}[]", stand_in, origin))
        self.note(stand_in, "iteration", f"{count} elements")
        return iter(state.elements[:count])

    def element(self, stand_in):
        """`next(stand_in)`."""
        key = (self.place(), "next")
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        if count and count % EXHAUSTED == 0:
            frame = sys._getframe(1)
            raise StopAsyncIteration if frame.f_code.co_name == "__anext__" else StopIteration
        return self.child(stand_in, "iteration", "next")

    def item(self, stand_in, key):
        state = stand_in._surmise_state
        try:
            if key in state.items:
                return state.items[key]
        except TypeError:
            return self.child(stand_in, "index", "slice")
        value = self.fresh(f"{state.name}[{safe_repr(key)}]", stand_in, self.place())
        if not isinstance(key, slice):
            state.items[key] = value
        self.note(stand_in, "index", repr(value))
        return value

    def missing_key(self, mapping, key):
        if self.expected(KeyError):
            raise KeyError(key)
        value = mapping[key] = self.fresh(f"[{safe_repr(key)}]")
        self.note(value, "index", repr(value))
        return value

    def attribute_of(self, stand_in, name, site):
        state = stand_in._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if site is None:
            value = self.fresh(f"{state.name}.{name}", stand_in, self.place())
            self.note(value, ATTRIBUTE, repr(value), name)
        elif self.chain(stand_in, site) >= CHAIN:
            value = self.make(site, stand_in, f"{state.name}.{name}", self.end_of_chain(site))
        else:
            value = self.make(site, stand_in, f"{state.name}.{name}")
        state.attributes[name] = value
        return value

    def attribute_of_module(self, module, name, site):
        path = f"{module.__name__}.{name}"
        value = self.fresh(path) if site is None else self.make(site, None, path)
        module.__dict__[name] = value
        if site is None:
            self.note(value, ATTRIBUTE, repr(value), name)
        return value

    def end_of_chain(self, site):
        """What a chain of values of one place ends with: nothing, in a form that the code can use."""
        return {"": "none", "iterated": "empty-list"}.get(self.assigned(site)[3])

    def result_of(self, callee, args, kwargs, site):
        state = callee._surmise_state
        name = f"{state.name}()"
        if site is None:
            value = self.fresh(name, callee, self.place())
            self.note(value, RETURN_VALUE, repr(value), state.name.rpartition(".")[2])
        else:
            assigned = self.assigned(site)[2]
            count = self.results[site] = self.results.get(site, 0) + 1
            variant = None
            if count > EXHAUSTED and count % EXHAUSTED == 1:
                variant = EMPTY.get(assigned)
            elif self.chain(callee, site) >= CHAIN and assigned == "object":
                variant = self.end_of_chain(site)
            value = self.make(site, callee, name, variant)
        if type(value) is self.types.StandIn:
            value._surmise_state.callee = callee
            value._surmise_state.arguments = args
        return value

    def awaited_value(self, stand_in):
        value = self.fresh(stand_in._surmise_state.name, stand_in, self.place())
        value._surmise_state.attributes = stand_in._surmise_state.attributes
        self.note(stand_in, "await", repr(value))
        return value

    def is_instance(self, stand_in, instance):
        base = self.bases.get(id(stand_in))
        if base is not None and isinstance(instance, base[1]):
            return True
        if type(instance) is not self.types.StandIn:
            error = stand_in._surmise_state.error
            return error is not None and isinstance(instance, error)
        return self.decide(instance, "comparison")

    def is_subclass(self, stand_in, subclass):
        base = self.bases.get(id(stand_in))
        if base is not None and isinstance(subclass, type) and issubclass(subclass, base[1]):
            return True
        return type(subclass) is self.types.StandIn and self.decide(subclass, "comparison")

    # -- entry points of the hooks ------------------------------------------------------------------------------

    def name(self, site):
        kind, name, assigned, _role, _count = self.assigned(site)
        if name in self.names:
            return self.names[name]
        if assigned is None or self.expected(NameError):
            return NotImplemented
        value = self.names[name] = self.make(site)
        return value

    def bound(self, site):
        _kind, name, assigned, _role, _count = self.assigned(site)
        return assigned is None or (name not in self.names and self.expected(UnboundLocalError))

    def attribute(self, site, value):
        name = self.assigned(site)[1]
        if type(value) is self.types.Module:
            if name in value.__dict__:
                return value.__dict__[name]
            if self.expected(AttributeError):
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
        if self.expected(AttributeError):
            raise AttributeError(f"{state.name!r} object has no attribute {name!r}")
        return self.attribute_of(value, name, site)

    def attribute_failed(self, site, value, error):
        _kind, name, assigned, _role, _count = self.assigned(site)
        if assigned is None or self.from_snippet(error):
            return NotImplemented
        held = self.attributes.get(id(value))
        if held is not None and name in held[1]:
            return held[1][name]
        if not self.may_lack(value, name) or self.expected(AttributeError):
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
            if not self.inject_io or self.expected(type(error)):
                return NotImplemented
            return self.answer_io(site, callee, name)
        if isinstance(error, (StopIteration, StopAsyncIteration, MemoryError, RecursionError)):
            return NotImplemented
        made_up = self.is_made_up(args) or self.is_made_up(kwargs) or self.is_made_up(callee)
        owner = getattr(callee, "__self__", None)
        if not made_up and not (owner is not None and self.is_made_up(owner)):
            return NotImplemented
        if self.expected(type(error)):
            return NotImplemented
        return self.make(site)

    def of_snippet(self, callee):
        """True for functions and classes that the snippet defined: their failures are its own."""
        callee = getattr(callee, "__func__", callee)
        callee = getattr(callee, "__wrapped__", callee)
        code = getattr(callee, "__code__", None)
        if code is not None:
            return code.co_filename == self.filename
        kind = callee if isinstance(callee, type) else type(callee)
        return kind.__dict__.get("__module__") == "__main__" and not issubclass(kind, self.types.InjectedError)

    def answer_io(self, site, callee, name):
        if name in ("input", "raw_input"):
            value = "1"
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


class _Probe:
    def method(self):
        """Gives the types of bound methods."""


BUILTIN_METHODS = (type([].append), type(_Probe().method), type("".__len__))


def getattr_plain(value, name):
    """The AttributeError that a missing module gives where the code expects one."""
    raise AttributeError(f"module {value.__name__!r} has no attribute {name!r}")


def safe_repr(value):
    """`repr` of a value, short, and without failing."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


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
