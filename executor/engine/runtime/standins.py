"""Stand-ins: injected objects whose every operation is itself a missing value, answered by the policy of the run.

Each special method hands its operation to `answers.operate`, so there is one place that answers and records.
"""

import sys
from types import FunctionType

answers = None  # the policy of this run; set by `engine.py`


class State:
    """What is known about one stand-in, apart from it, so that no attribute name of the stand-in is taken."""

    __slots__ = (
        *("path", "parent", "origin", "number", "attributes", "items", "position"),
        *("callee", "arguments", "error", "length", "reported_length", "sample", "of_class", "resized"),
    )

    made = 0  # in this run

    def __init__(self, path, parent, origin):
        State.made += 1
        self.number = State.made  # tells apart stand-ins of one access path
        self.path = path  # access path: `orders.pending()[0].total`
        self.parent = parent  # the stand-in that it was read from
        self.origin = origin  # what made it, as the policy tells makers apart: ends chains like `node.next.next`
        self.attributes = {}
        self.items = {}  # elements by index, and values by key
        self.position = 0  # of the next element for `next()`
        self.callee = None  # the stand-in that was called for it, and with what
        self.arguments = ()
        self.length = None  # elements, if that was decided
        self.reported_length = None  # what `len()` gave
        self.sample = None  # makes an object of its type, where that is known (`samples.py`)
        self.of_class = None  # a real class that it is an instance of, where no object of that can be made
        self.resized = False  # an item was taken away by a key that iterating it gave
        self.error = None  # the exception class it stands for, once it was raised or caught


class StandIn:
    """An injected object."""

    __slots__ = ("_surmise_state", "__weakref__")

    def __new__(cls, *_arguments, **_named):
        return stand_in("object", None, None, cls)

    def __init__(self, *arguments, **named):
        """What the code calls as `super().__init__(...)`, and what Python calls after `__new__`."""

    @property
    def __class__(self):
        """What `isinstance` asks for, beside the type."""
        return self._surmise_state.of_class or type(self)

    # -- attributes ---------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        return answers.operate("getattr", "unhooked_attribute", self, name)

    def __setattr__(self, name, value):
        answers.operate("setattr", "set_attribute", self, name, value)

    def __delattr__(self, name):
        answers.operate("delattr", "delete_attribute", self, name)

    def __dir__(self):
        return sorted(self._surmise_state.attributes)

    # -- calls and classes --------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        return answers.call(self, args, kwargs, None)

    def __mro_entries__(self, bases):
        return (answers.classes.base_class(self, bases),)

    def keys(self):
        """Lets `**stand_in` spread."""
        return answers.operate("keys", "keys", self)

    def __hash__(self):
        return answers.hash_of(self)

    def __repr__(self):
        return f"<{self._surmise_state.path}>"

    # -- iteration, context managers, asynchrony ----------------------------------------------------------------

    def __next__(self):
        return answers.operate("next", "element", self)

    def __aiter__(self):
        return asynchronous(answers.operate("aiter", "iterate", self))

    async def __anext__(self):
        try:
            return answers.operate("anext", "element", self)
        except StopIteration:
            raise StopAsyncIteration from None

    async def __aenter__(self):
        return answers.operate("aenter", "enter", self)

    async def __aexit__(self, kind, value, traceback):
        answers.operate("aexit", "exit", self, kind, value, traceback)

    def __await__(self):
        return answers.operate("await", "awaited", self)
        yield  # makes this a generator that ends at once


COMPARISONS = "eq ne lt le gt ge"
ARITHMETIC = (
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or "
    "radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror "
    "neg pos abs invert round"
)
# Special method -> the method of `Answers` that answers it.
ANSWERED_BY = {
    "bool": "truth",
    "len": "length",
    "contains": "contains",
    "iter": "iterate",
    "reversed": "iterate_reversed",
    "getitem": "item",
    "setitem": "set_item",
    "delitem": "delete_item",
    "int": "integer",
    "trunc": "integer",
    "floor": "integer",
    "ceil": "integer",
    "index": "as_index",
    "float": "real",
    "complex": "complex_number",
    "bytes": "as_bytes",
    "fspath": "as_file_name",
    "format": "formatted",
    "instancecheck": "is_instance",
    "subclasscheck": "is_subclass",
    "enter": "enter",
    "exit": "exit",
    "copy": "copied",
    "deepcopy": "copied",
}


def _operation(name, answering):
    def operation(self, *operands):
        return answers.operate(name, answering, self, *operands)

    return operation


def _named_operation(name, answering):
    def operation(self, *operands):
        return answers.operate(name, answering, self, name, *operands)

    return operation


for _name, _answering in ANSWERED_BY.items():
    setattr(StandIn, f"__{_name}__", _operation(_name, _answering))
for _name in COMPARISONS.split():
    setattr(StandIn, f"__{_name}__", _named_operation(_name, "compare"))
for _name in ARITHMETIC.split():
    setattr(StandIn, f"__{_name}__", _named_operation(_name, "arithmetic"))


def stand_in(path, parent=None, origin=None, kind=StandIn):
    """A new stand-in of an access path."""
    value = object.__new__(kind)
    object.__setattr__(value, "_surmise_state", State(path, parent, origin))
    return value


async def asynchronous(elements):
    """The elements of a stand-in under `async for`."""
    for element in elements:
        yield element


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

    def __repr__(self):
        return f"<module {self.__name__!r}>"

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return answers.attribute_of_module(self, name, None)


class InjectedBase:
    """The class that a missing base class is replaced by: takes any arguments."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass


class InjectedObject(InjectedBase):
    """A missing base class where no other base class is there to say what instances can do."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        return None

    def __call__(self, *args, **kwargs):
        return answers.fresh(type(self).__name__ + "()")

    def __getitem__(self, key):
        return answers.fresh(type(self).__name__ + "[]")

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter([answers.fresh(type(self).__name__ + "[]")])

    def __await__(self):
        return answers.fresh(type(self).__name__)
        yield


class Incomplete(InjectedObject):
    """The last base of the class of an object whose own class was cut: what its class does not define, it might."""

    def __len__(self):
        return answers.length(answers.fresh(f"len({type(self).__name__})"))

    def __contains__(self, item):
        return answers.decide(answers.fresh(type(self).__name__), "membership")


def _incomplete_operation(name):
    def operation(self, *operands):
        symbol = name[1:] if name[0] == "r" and name not in ("rshift", "round") else name
        return answers.fresh(f"{symbol}({type(self).__name__})")

    return operation


for _name in ARITHMETIC.split():
    setattr(Incomplete, f"__{_name}__", _incomplete_operation(_name))


def _incomplete_comparison(name):
    def operation(self, other):
        return NotImplemented if other is self else answers.decide(answers.fresh(type(self).__name__), "comparison")

    return operation


for _name in ("lt", "le", "gt", "ge"):
    setattr(Incomplete, f"__{_name}__", _incomplete_comparison(_name))


class InjectedError(Exception):
    """The class of exceptions that stand-ins turn into when raised."""


class AnyInstance(type):
    """The class of types that missing class patterns match against."""

    __match_args__ = tuple(f"field{number}" for number in range(32))

    def __instancecheck__(cls, instance):
        if type(instance) is StandIn:
            return answers.decide(instance, "comparison")
        return type.__instancecheck__(cls, instance)


class Dict(dict):
    """A predicted dictionary, which answers the key asked for."""

    __slots__ = ()

    def __missing__(self, key):
        return answers.missing_key(self, key)


class Mapping(Dict):
    """A predicted dictionary that answers all questions for one key alike: `m[k]`, `m.get(k)`, `k in m`, and the like."""

    __slots__ = ("gone",)  # keys that the program took away

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.gone = []

    def __contains__(self, key):
        return dict.__contains__(self, key) or key not in self.gone and answers.has_key(self, key)

    def __delitem__(self, key):
        self[key]  # raises where it is not there
        dict.__delitem__(self, key)
        self.gone.append(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def copy(self):
        return dict(self)

    __copy__ = copy

    def setdefault(self, key, default=None):
        return self[key] if key in self else dict.setdefault(self, key, default)

    def move_to_end(self, key, last=True):
        value = self.pop(key)
        others = {} if last else dict(self)
        for other in others:
            dict.__delitem__(self, other)
        dict.__setitem__(self, key, value)
        dict.update(self, others)

    def pop(self, key, *default):
        if not default or key in self:
            value = self[key]
            del self[key]
            return value
        return dict.pop(self, key, *default)


for _kind in (Dict, Mapping):
    _kind.__name__ = _kind.__qualname__ = "dict"
    _kind.__module__ = "builtins"
# What messages of Python and prints of the program call its type.
StandIn.__module__, StandIn.__name__, StandIn.__qualname__ = "builtins", "object", "object"
# What its layout is and what it is for says nothing of the value that is missing.
StandIn.__doc__ = None
del StandIn.__slots__


def leave_no_frames(method):
    """Lets what operations of stand-ins and of predicted dictionaries raise have no frames of theirs; `method` makes such a
    method of a function."""
    names = [*ANSWERED_BY, *COMPARISONS.split(), *ARITHMETIC.split(), "getattr", "call", "next"]
    for name in (*(f"__{name}__" for name in names), "keys"):
        setattr(StandIn, name, method(vars(StandIn)[name]))
    for kind in (Dict, Mapping):
        for name, value in list(vars(kind).items()):
            if type(value) is FunctionType and name != "__init__":
                setattr(kind, name, method(value))
