"""What a recorded run made up, as nodes that refer to each other by number: objects, and what they answered."""

import builtins
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from _surmise_compatible_names import name_of_function
from _surmise_preloaded_modules import is_standard
from _surmise_standins import Awaitable, InjectedBase, InjectedError, InjectedObject, Module, StandIn

LIMIT = 20_000  # answers; a script with more of them is of no use to anyone
CONSTANTS = (type(None), bool, int, float, complex, str, bytes)


class Nodes:
    """Everything that one recorded run made up."""

    def __init__(self, frames):
        self.frames = frames
        self.nodes = []
        self.numbers = {}  # id of an object -> its node
        self.kept = []  # so that no id is used twice
        self.used = set()
        self.raising = "Exception"
        self.missing = {}
        self.logs = 0
        self.absent = set()  # names, and (node, attribute), that the code found missing

    # -- nodes ------------------------------------------------------------------------------------------------------

    def node(self, value):
        """The number of what describes this object."""
        number = self.numbers.get(id(value))
        if number is not None:
            return number
        kind = type(value)
        number = self.numbers[id(value)] = len(self.nodes)
        self.kept.append(value)
        node = {"kind": "opaque"}
        self.nodes.append(node)
        if kind is StandIn:
            node.update(kind="stand-in", name=value._surmise_state.path, attributes={}, answers={})
            of_class = value._surmise_state.of_class
            if of_class is not None:
                self.used.add("class")
                node["answers"]["class"] = [ascii(f"{of_class.__module__}:{of_class.__qualname__}")]
        elif kind is Module:
            node.update(kind="module", name=value.__name__, attributes={})
        elif kind in (list, tuple, set):
            node.update(kind=kind.__name__, items=[self.reference(item) for item in value])
        elif isinstance(value, dict):
            pairs = [[self.reference(key), self.reference(item)] for key, item in value.items()]
            node.update(kind="dict", pairs=pairs, answers=[])
        elif kind is Awaitable:
            node.update(kind="awaitable", value=self.reference(value.value))
        elif isinstance(value, type) and issubclass(value, InjectedError):
            node.update(kind="error", name=value.__name__, attributes={})
        elif isinstance(value, type) and issubclass(value, InjectedBase):
            busy = issubclass(value, InjectedObject)
            node.update(kind="base", name=value.__name__, attributes={}, busy=busy)
        elif (name := name_of_function(value)) is not None:
            node.update(kind="compatible", name=name)
        else:
            node.update(place_of(value) or {})
        return number

    def reference(self, value):
        """A node's number, or the text of a constant."""
        return ascii(value) if type(value) in CONSTANTS else self.node(value)

    def cannot(self, what):
        """Something that no prefix can express."""
        frame = self.frames.innermost()
        line = frame.f_lineno if frame is not None else 0
        self.missing.setdefault((line, what))

    # -- answers ----------------------------------------------------------------------------------------------------

    def log(self, stand_in, operation, answer):
        self.logs += 1
        if self.logs > LIMIT:
            self.cannot("too many answers of stand-ins to write down")
            return
        self.used.add(operation)
        answers = self.nodes[self.node(stand_in)].get("answers")
        if answers is not None:
            answers.setdefault(operation, []).append(answer)

    def logged(self, stand_in, operation, call):
        """What `call` returns or raises, written down as an answer."""
        try:
            value = call()
        except Exception as error:
            self.log(stand_in, operation, self.raised_by(error))
            raise
        self.log(stand_in, operation, self.reference(value))
        return value

    def raised_by(self, error):
        """A node that raises the same again."""
        name = type(error).__name__
        dotted = name if getattr(builtins, name, None) is type(error) else self.raising
        arguments = ", ".join(ascii(argument) for argument in error.args if type(argument) in CONSTANTS)
        self.nodes.append({"kind": "raises", "error": dotted, "arguments": arguments})
        self.kept.append(error)
        return len(self.nodes) - 1

    def has(self, owner, name, value):
        """An attribute that one object has from the start, in the script."""
        number, reference = self.node(owner), self.reference(value)
        if (number, name) in self.absent:
            self.cannot(f"`.{name}` is missing at first, and there later")
        if self.nodes[number]["attributes"].setdefault(name, reference) != reference:
            self.cannot(f"`.{name}` has several values")


def place_of(value):
    """A node for what a module of the standard library has under a name, or for such a module; None for all else."""
    if isinstance(value, ModuleType):
        module, name = value.__name__, ""
    elif isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        module, name = value.__module__, value.__name__
    else:
        return None
    found = sys.modules.get(module) if isinstance(module, str) else None
    if (
        found is None
        or not (module == "builtins" or is_standard(found))
        or (name and vars(found).get(name) is not value)
    ):
        return None
    return {"kind": "found", "module": module, "name": name}
