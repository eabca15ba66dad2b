"""Stand-ins: injected objects whose every operation is itself a missing value, answered by the engine."""

import sys

engine = None  # set by engine.py; the two modules need each other

_SUBSCRIPTS = {"BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "BINARY_OP"}


class State:
    """What is known about one stand-in. Kept apart so that no attribute name of the stand-in itself is taken."""

    __slots__ = (
        *("name", "kind", "parent", "origin", "attributes", "items", "elements"),
        *("callee", "arguments", "error", "length", "number"),
    )

    made = 0  # in this run

    def __init__(self, name, kind, parent, origin):
        State.made += 1
        self.number = State.made  # which one it is
        self.name = name
        self.kind = kind  # object, callable or resource
        self.parent = parent  # the stand-in that it was read from
        self.origin = origin  # the place that made it
        self.attributes = {}
        self.items = {}
        self.elements = None
        self.callee = None
        self.arguments = ()
        self.length = None  # elements, if a search said how many
        self.error = None  # the exception class it stands for, once it was raised or caught


class StandIn:
    """An injected object."""

    __slots__ = ("_surmise_state", "__weakref__")

    def __new__(cls, name="object", kind="object", parent=None, origin=None):
        self = object.__new__(cls)
        object.__setattr__(self, "_surmise_state", State(name, kind, parent, origin))
        return self

    def __init__(self, *arguments, **named):
        """What the code calls as `super().__init__(...)`, and what Python calls after `__new__`."""

    # -- attributes ---------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        state = self._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if name in ("__name__", "__qualname__"):
            return state.name.rpartition(".")[2]
        if name == "__all__":
            return []
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"{state.name!r} has no attribute {name!r}")
        return engine.attribute_of(self, name, None)

    def __setattr__(self, name, value):
        self._surmise_state.attributes[name] = value

    def __delattr__(self, name):
        self._surmise_state.attributes.pop(name, None)

    def __dir__(self):
        return sorted(self._surmise_state.attributes)

    # -- calls --------------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        return engine.result_of(self, args, kwargs, None)

    def __mro_entries__(self, bases):
        return (engine.base_class(self, bases),)

    def __instancecheck__(self, instance):
        return engine.is_instance(self, instance)

    def __subclasscheck__(self, subclass):
        return engine.is_subclass(self, subclass)

    # -- truth, comparison --------------------------------------------------------------------------------------

    def __bool__(self):
        return engine.decide(self, "truth")

    def __eq__(self, other):
        return True if other is self else engine.decide(self, "comparison")

    def __ne__(self, other):
        return False if other is self else engine.decide(self, "comparison")

    def __lt__(self, other):
        return engine.decide(self, "comparison")

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self):
        # Not by address: sets have the same order in each run.
        return self._surmise_state.number * 0x9E3779B97F4A7C15 & 0x1FFFFFFFFFFFFFFF

    # -- containers ---------------------------------------------------------------------------------------------

    def __len__(self):
        return engine.length(self)

    def __contains__(self, item):
        return engine.decide(self, "membership")

    def __iter__(self):
        return engine.iterate(self)

    def __reversed__(self):
        return engine.iterate(self)

    def __next__(self):
        return engine.element(self)

    def __getitem__(self, key):
        return engine.item(self, key)

    def __setitem__(self, key, value):
        try:
            self._surmise_state.items[key] = value
        except TypeError:
            pass

    def __delitem__(self, key):
        try:
            self._surmise_state.items.pop(key, None)
        except TypeError:
            pass

    def keys(self):
        """Lets `**stand_in` spread: no keys, so that no call fails on an unexpected one."""
        engine.note(self, "mapping", "{}")
        return []

    # -- numbers and strings ------------------------------------------------------------------------------------

    def __int__(self):
        engine.note(self, "conversion", "1")
        return 1

    __trunc__ = __floor__ = __ceil__ = __int__

    def __index__(self):
        first = engine.caller_opcode() in _SUBSCRIPTS
        engine.note(self, "conversion", "0" if first else "2")
        return 0 if first else 2

    def __float__(self):
        engine.note(self, "conversion", "1.0")
        return 1.0

    def __complex__(self):
        engine.note(self, "conversion", "(1+0j)")
        return 1 + 0j

    def __repr__(self):
        return f"<{self._surmise_state.name}>"

    def __format__(self, spec):
        text = repr(self)
        for value in (text, 1, 1.0):
            try:
                return format(value, spec)
            except (ValueError, TypeError):
                continue
        return text

    def __bytes__(self):
        return b"a"

    def __fspath__(self):
        engine.note(self, "conversion", "'a'")
        return "a"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    # -- context managers and asynchrony ------------------------------------------------------------------------

    def __enter__(self):
        engine.note(self, "context", repr(self))
        return self

    def __exit__(self, kind, value, traceback):
        return None

    async def __aenter__(self):
        engine.note(self, "context", repr(self))
        return self

    async def __aexit__(self, kind, value, traceback):
        return None

    def __await__(self):
        return engine.awaited_value(self)
        yield  # makes this a generator that ends at once

    def __aiter__(self):
        return AsyncElements(engine.iterate(self))

    async def __anext__(self):
        return engine.element(self)


def _arithmetic(name):
    def operation(self, *_others):
        return engine.child(self, "arithmetic", name)

    operation.__name__ = name
    return operation


for _name in (
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or "
    "radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror "
    "neg pos abs invert round"
).split():
    setattr(StandIn, f"__{_name}__", _arithmetic(f"__{_name}__"))


class AsyncElements:
    """The elements of a stand-in under `async for`."""

    def __init__(self, elements):
        self.elements = elements

    def __aiter__(self):
        return self

    async def __anext__(self):
        for element in self.elements:
            return element
        raise StopAsyncIteration


class Awaitable:
    """A predicted concrete value where the code awaits."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        return self.value
        yield


class Module(type(sys)):
    """A missing module, imported as a stand-in."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        self.__all__ = []
        self.__file__ = None

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return engine.attribute_of_module(self, name, None)


class InjectedBase:
    """The class that a missing base class is replaced by: takes any arguments."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass


class InjectedObject(InjectedBase):
    """The same where no other base class is there to say what instances can do."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        return None

    def __call__(self, *args, **kwargs):
        return engine.fresh(type(self).__name__ + "()")

    def __getitem__(self, key):
        return engine.fresh(type(self).__name__ + "[]")

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter([engine.fresh(type(self).__name__ + "[]")])

    def __await__(self):
        return engine.fresh(type(self).__name__)
        yield


class InjectedError(Exception):
    """The class of exceptions that stand-ins turn into when raised."""


class AnyInstance(type):
    """The class of types that missing class patterns match against."""

    __match_args__ = tuple(f"field{number}" for number in range(32))

    def __instancecheck__(cls, instance):
        if type(instance) is StandIn:
            return engine.decide(instance, "comparison")
        return type.__instancecheck__(cls, instance)


class Dict(dict):
    """A predicted dictionary, which answers the key asked for."""

    __slots__ = ()

    def __missing__(self, key):
        return engine.missing_key(self, key)


Dict.__name__ = Dict.__qualname__ = "dict"
