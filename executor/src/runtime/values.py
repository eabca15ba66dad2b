"""What injected values are made of, and which values were."""

from _surmise_situation import Situation, look_up

ATTRIBUTE, RETURN_VALUE = "attribute", "return value"

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


class Values(Situation):
    """Makes values, tells the parent, and knows them again."""

    def assigned(self, site):
        """(kind, name, class or None, role, number to unpack) of a site."""
        return self.native.site(site)

    def make(self, site, parent=None, name=None, variant=None):
        """The value of a site's class, recorded."""
        kind, site_name, assigned, role, count = self.assigned(site)
        assigned = variant or assigned
        origin = site
        literal, given = self.literals.get(site, (None, None)) if variant is None else (None, None)
        if literal == "given":
            # Not one of those that are known as injected: what fails on it fails for real.
            value = eval(given, {"__builtins__": {}, "set": set})
        elif literal in ("text", "number") or (assigned == "str" and literal in ("length", "holds")):
            value = "a" * given if literal == "length" else given
            self.constants.add((type(value), value))
        elif assigned in CONSTANTS:
            value = CONSTANTS[assigned]
            self.constants.add((type(value), value))
        else:
            count = given if literal == "length" else count
            value = self.container_or_stand_in(assigned, name or site_name, parent, origin, count)
            if literal == "length" and type(value) is self.types.StandIn:
                value._surmise_state.length = given
            if literal == "holds":
                value = self.holding(value, given)
        if assigned != "none" and kind == RETURN_VALUE and role == "awaited" and type(value) is not self.types.StandIn:
            self.native.injected(site, assigned, repr(value))
            return self.types.Awaitable(value)
        self.native.injected(site, assigned, safe_repr(value))
        return value

    def holding(self, value, text):
        """An injected container with this text in it, too."""
        kind = type(value)
        if kind is list:
            value.append(text)
        elif kind is tuple:
            value = (*value, text)
            self.injected[id(value)] = value
        elif kind is set:
            value.add(text)
        elif isinstance(value, dict):
            value[text] = self.fresh(f"[{text!r}]")
        return value

    def fail(self, dotted, site=None):
        """Raises what a handler of the snippet waits for; nothing where its class needs arguments of its own."""
        frame = self.frame()
        kind = look_up(frame, dotted) if dotted is not None and frame is not None else Exception
        if kind is None:
            kind = self.missing_class(dotted)
        if type(kind) is tuple and kind:
            kind = kind[0]
        if type(kind) is self.types.StandIn:
            kind = self.error_class(kind)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return
        for arguments in (("a",), ()):
            try:
                error = kind(*arguments)
            except Exception:
                continue
            if site is not None:
                self.native.injected(site, "raises", f"raises {kind.__name__}")
            raise error

    def missing_class(self, dotted):
        """What a handler's class that nothing defines is going to be; None where it is not read by name."""
        root, *rest = dotted.split(".")
        if root not in self.names:
            site = self.first_read(root)
            if site is None or self.name(site) is NotImplemented:
                return None
        value = self.names[root]
        for part in rest:
            value = self.attribute_of(value, part, None) if type(value) is self.types.StandIn else None
        return value

    def first_read(self, name):
        """The first site that reads a variable of this name."""
        site = 0
        while True:
            try:
                kind, found = self.assigned(site)[:2]
            except IndexError:
                return None
            if kind == "variable" and found == name:
                return site
            site += 1

    def choice_key(self, operation):
        """What names the running instruction in every run of the same text."""
        frame = self.frame()
        if frame is None:
            return None
        code = frame.f_code
        return f"{code.co_name}:{code.co_firstlineno}:{frame.f_lasti}:{operation}"

    def chosen(self, stand_in, operation):
        """The answer that the parent chose for this operation, or None."""
        if not self.choices:
            return None
        answer = self.choices.get(self.choice_key(operation))
        if type(answer) is tuple:
            self.note(stand_in, operation, f"raises {answer[0]}")
            self.fail(answer[0])
            return None
        return answer

    def container_or_stand_in(self, assigned, name, parent, origin, count):
        stand_in = self.types.StandIn
        element = lambda: stand_in(f"{name}[]", "object", parent, origin)  # noqa: E731
        many = [element() for _ in range(1 if count is None else count)] if assigned in ("list", "tuple", "set") else []
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

    def note(self, stand_in, operation, answer, name=None, choice=None):
        """Tells about the answer to an operation that is no site of its own; `choice` is what a search may change."""
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
            if choice is not None:
                self.native.chose(self.choice_key(operation), frame.f_lineno, choice)

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


class _Probe:
    def method(self):
        """Gives the types of bound methods."""


BUILTIN_METHODS = (type([].append), type(_Probe().method), type("".__len__))


def safe_repr(value):
    """`repr` of a value, short, and without failing."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."
