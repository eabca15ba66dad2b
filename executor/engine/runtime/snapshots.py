"""What a namespace holds before a run, to tell what the run changes of it."""

from types import FunctionType, MethodType, ModuleType

PLAIN = frozenset({type(None), bool, int, float, complex, bytes, str})
DEFINITIONS = (ModuleType, type, FunctionType, MethodType)


class Snapshot:
    """The values of a namespace.

    Of a large one it is made once, before the runs are forked: to read a value counts a reference to it, and each run would
    copy the memory in which the value lies. Whatever is no name is left out: to compare it with one may run code.
    """

    def __init__(self, namespace):
        self.namespace = namespace
        self.held = {name: value for name, value in namespace.items() if type(name) is str}
        counted = [(name, value) for name, value in self.held.items() if counts(name, value)]
        self.changing = {name: value for name, value in counted if not is_unchanging(value)}


def counts(name, value):
    """True for the state of a module: what it defines and imports is none. Runs no code of the program."""
    return not name.startswith("__") and not issubclass(type(value), DEFINITIONS)


def is_unchanging(value):
    """True for values that stay what they are as long as they are the same object."""
    kind = type(value)
    if kind in (tuple, frozenset):
        return all(map(is_unchanging, value))
    if kind in PLAIN:
        return True
    module = defining_module(kind)
    return module == "typing" or module == "re" and kind.__name__ == "Pattern"


def defining_module(kind):
    """The name of the module that defines a class."""
    return namespace_of(kind).get("__module__")


def namespace_of(kind):
    """What a class defines, without running code of its metaclass."""
    return type.__dict__["__dict__"].__get__(kind)
