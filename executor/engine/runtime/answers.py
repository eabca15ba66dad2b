"""What operations on stand-ins give, and the values of access paths.

`Answers` holds what all runs have in common. Its subclasses are the policies: `predicted.py` for `run` and `cover`,
`drawn.py` for `diff`. They say which class a path has, what yes-or-no questions are answered, and how many elements
there are. What a search chose for this run (`native.choice`) goes before what a policy would say.
"""

import sys
from sys import _getframe
from types import FunctionType

from _surmise_classes import Classes
from _surmise_compatible_names import compatible
from _surmise_frames import OWN, column_of
from _surmise_imports import import_implicitly
from _surmise_lines import no_more_input, reader
from _surmise_named_values import NamedValues
from _surmise_operations import Operations
from _surmise_samples import method_of
from _surmise_standins import Awaitable, Dict, StandIn, stand_in
from _surmise_values import CONSTANTS, NO_LITERAL, PLAIN, RETURN_VALUE, last_name, member_of, safe_repr, written

OPTIMIZED = 0x01  # the flag of code objects of functions
CHAIN = 5  # so many values of one maker made out of each other (`node = node.next`), then the end of the chain
EXHAUSTED = 10  # so many results of one maker, then the empty value of the same type
CONTAINERS = {"non-empty list": list, "non-empty tuple": tuple, "non-empty set": set}
EMPTY_CONTAINERS = {"empty list": list, "empty tuple": tuple, "empty set": set, "empty dictionary": dict}


class Answers(Operations, NamedValues):
    """A policy, without what policies differ in:

    - `class_of`, `constant`, `container_length`, `container_keys`, `part`, `sets_variable`, `outer_text`: values of paths;
    - `decide`, `is_of_real_class`, `compare`, `length`, `iteration_length`, `next_position`, `new_item`, `result`: operations;
    - `key_of`, `origin`, `hash_of`: what tells questions, makers and stand-ins apart;
    - `read_may_fail`, `usual_name`, `repairs_attribute_of`, `is_state`, `is_refused`, `doubts_nothing`, `repair_call`, `failing`,
      `keeps_unbound`: which failures stand, and which are made;
    - `changed`, `lacked`: attributes of objects that were made;
    - `given_with_default`, `star_arguments`, `named_arguments`, `thrown_at_yield`, `small_argument`, `calls_again`: harness
      calls;
    - `takes_hint`, `agreeing`, `shares_parts`, `keep_instance`, `plain_value`, `parts_of_instance`, `may_be_none`, `may_be_text`,
      `first_alternative`, `gives_default`, `count_of`, `plain_mapping`, `keys_read`, `element_of`, `keep_keys`,
      `any_class`, `uses_constructor`, `is_as_initialized`, `is_filled`, `leaves_defaults`,
      `calls_what_is_made`: what these give to functions in their imported modules.
    """

    mapping_class = Dict  # of injected dictionaries

    def __init__(self, native, frames, expectations, values, observer):
        self.native = native
        self.frames = frames
        self.expectations = expectations
        self.values = values
        self.observer = observer  # is notified of what the program does to stand-ins
        self.classes = Classes(self)
        self.variables = {}  # values of names
        self.named = set()  # those that are being made as what a name stands for
        self.results = {}  # how many results there were, by maker
        self.reported = set()
        self.input = None  # what is in place of standard input
        self.constructor = None  # makes instances of the classes of an imported module
        self.called_in = {}  # the names of the module of a harness call
        self.late_names = {}  # those that functions and type checkers import there

    def operate(self, name, answering, stand_in, *operands):
        """Answers the special method `__name__` of a stand-in. `recording.py` writes answers down here."""
        return getattr(self, answering)(stand_in, *operands)

    # -- values of access paths ---------------------------------------------------------------------------------

    def path(self, path):
        """The access path as both versions of a function have it, and not too long."""
        return self.native.path(path)

    def fresh(self, path, parent=None, origin=None):
        return stand_in(self.path(path), parent, origin)

    def variable(self, number):
        """The value of a name that is missing; `NotImplemented` where a handler waits for the NameError."""
        site = self.native.site(number)
        if site.name in self.variables:
            return self.variables[site.name]
        if self.lacks_name(site.name):
            return NotImplemented
        if site.assigned is None or self.expectations.expects(NameError, number, site.name):
            return NotImplemented
        value = import_implicitly(self.native, self.frames, site.name)
        if value is NotImplemented and self.native.is_type_parameter(site.name):
            value = self.type_parameter(site.name)
            self.native.injected(number, "type parameter", safe_repr(value), site.name)
        if value is NotImplemented:
            value = self.make(number)
        self.variables[site.name] = value
        return value

    def lacks_name(self, _name):
        """True for a name that the module of the program never binds, where the module was imported for real."""
        return False

    def type_parameter(self, name):
        """What `Generic` takes in its brackets, if it is the real one; `NotImplemented` otherwise."""
        typing = sys.modules.get("typing")
        return NotImplemented if typing is None else typing.TypeVar(name)

    def handler_class(self, name):
        """The class that a handler catches under a name that nothing defines; None where no site reads it."""
        number = self.native.first_read(name)
        value = self.variable(number) if number is not None else None
        return None if value is NotImplemented else value

    def make(self, number, parent=None, path=None, variant=None, key=None):
        """The value of a site, reported; `key` is the kind and name of another use that decides its class."""
        site = self.native.site(number)
        path = self.path(path or site.name)
        value, made = self.value(path, key or f"{site.kind}:{site.name}", variant, parent, site)
        if site.kind == RETURN_VALUE and site.role == "awaited" and type(value) is not StandIn:
            value = Awaitable(value)
        self.native.injected(number, made, safe_repr(value.value if type(value) is Awaitable else value), path)
        return value

    def value(self, path, key, variant=None, parent=None, site=None):
        """(value of an access path, its class); `key` is the kind and name of its use, `variant` a class instead."""
        made, (kind, given) = (variant, NO_LITERAL) if variant is not None else self.class_of(path, key, site)
        if kind in ("named", "instance"):
            value = self.of_name(given)
            if kind == "instance":
                value = self.instance(value, path)
            if value is not NotImplemented:
                if kind == "instance" and type(value) in PLAIN:
                    self.values.keep_constant(value, site.number if site is not None else None)
                elif kind == "instance":
                    self.values.keep(value, path)
                self.observer.made(path, value)
                return value, made
            kind = ""
        length = given if kind == "length" else site.count if site is not None else None
        if kind == "given":
            # Not one of those that are known as injected: what fails on it fails for real.
            return eval(given, {"__builtins__": {}, "set": set}), made
        if kind in ("written", "member"):
            value = written(given) if kind == "written" else member_of(self.known(given))
            if value is not NotImplemented:
                self.keep_written(value, path, site)
                self.observer.made(path, value)
                return value, made if kind == "written" or type(value) is str else "object"
            kind = ""
        if kind in ("text", "number") or (made == "non-empty string" and kind in ("length", "holds")):
            value = "a" * given if kind == "length" else given
            self.values.keep_constant(value, site.number if site is not None else None)
        elif made in CONSTANTS:
            value = self.constant(made, path)
            self.values.keep_constant(value, site.number if site is not None else None)
        else:
            value = self.container(made, path, parent, self.origin(key, site), length)
            if kind == "length" and type(value) is StandIn:
                value._surmise_state.length = length
            if kind == "holds":
                value = self.holding(value, given, path)
        self.observer.made(path, value)
        return value, made

    def container(self, made, path, parent, origin, length):
        """A container, or a stand-in for all other classes."""
        if made in CONTAINERS:
            length = self.container_length(path, parent, length)
            value = CONTAINERS[made](self.part(f"{path}[{number}]", parent, origin) for number in range(length))
        elif made == "non-empty dictionary":
            keys = self.container_keys(path)
            value = self.mapping_class((key, self.part(f"{path}[{key!r}]", parent, origin)) for key in keys)
        elif made in EMPTY_CONTAINERS:
            value = EMPTY_CONTAINERS[made]()
        else:
            return stand_in(path, parent, origin)
        self.values.keep(value, path)
        return value

    def holding(self, value, text, path):
        """An injected container with a text in it."""
        kind = type(value)
        if kind is list:
            value.append(text)
        elif kind is tuple:
            value = (*value, text)
            self.values.keep(value, path)
        elif kind is set:
            value.add(text)
        elif isinstance(value, dict):
            value[text] = self.fresh(f"{path}[{text!r}]")
        return value

    def chain(self, value, origin):
        """How many of a stand-in and its ancestors one maker made, up to `CHAIN`."""
        length = 0
        while value is not None and length < CHAIN:
            state = value._surmise_state
            length += state.origin == origin
            value = state.parent
        return length

    # -- reports ------------------------------------------------------------------------------------------------

    def report(self, value, operation, answer, name=None, key=None, choice=None):
        """Reports the answer to an operation that is no site of its own, once a place; `choice` may be changed by a
        search, under the key of the question."""
        frame = self.frames.innermost_of_file()
        if frame is None:
            return
        place = key or (frame.f_code, frame.f_lasti, operation)
        if place not in self.reported:
            self.reported.add(place)
            name = name or value._surmise_state.path
            self.native.answered(frame.f_lineno, column_of(frame), operation, name, answer)
            if choice is not None:
                self.native.chose(key, frame.f_lineno, choice)

    def chosen(self, value, operation, key):
        """What the search chose as the answer of this question, or None."""
        answer = self.native.choice(key) if key is not None else None
        if type(answer) is tuple:
            self.report(value, operation, f"raises {answer[0]}")
            self.classes.fail(answer[0])
            return None
        return answer

    # -- attributes ---------------------------------------------------------------------------------------------

    def attribute(self, value, name, number):
        """`value.name`, read at a site, or by something else than the program (None)."""
        state = value._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        path, key = self.path(f"{state.path}.{name}"), f"attribute:{name}"
        site = self.native.site(number) if number is not None else None
        ended = self.chain(value, self.origin(key, site)) >= CHAIN
        if number is None:
            result = self.attribute_without_site(value, name, path, ended)
        else:
            result = self.make(number, value, path, self.end_of_chain(site) if ended else None)
        state.attributes[name] = result
        return result

    def attribute_elsewhere(self, path, _name):
        """An attribute that code which is not rewritten reads, of an object of a real class that lacks it."""
        return self.fresh(path)

    def method(self, value, name, number):
        """A method of a stand-in whose type is known: it is nothing else, whatever is predicted."""
        state = value._surmise_state
        result = state.attributes[name] = self.fresh(f"{state.path}.{name}", value)
        result._surmise_state.sample = method_of(state.sample, name)
        self.native.injected(number, "real type", repr(result), result._surmise_state.path)
        return result

    def unhooked_attribute(self, value, name):
        """What `__getattr__` gives: reads by builtin functions and library code."""
        state = value._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if value is self.input and name == "readline":
            # A failure of `input()` is answered by itself.
            return no_more_input if self.frames.is_asked_by_program() else reader(self, value)
        if name in ("__name__", "__qualname__"):
            return last_name(state.path)
        if name == "__all__":
            return []
        if name == "__dict__" and self.frames.is_asked_by_program():
            return self.attribute(value, name, None)  # `vars(value)`
        if name.startswith("__") and name.endswith("__") and not self.has_special(name):
            raise AttributeError(f"{state.path!r} has no attribute {name!r}")
        return self.attribute(value, name, None)

    def has_special(self, name):
        """True for `getattr(value, "__name__", None)` of the program, if a search wants it: other code asks in the course of
        protocols."""
        if not self.frames.is_asked_by_program():
            return False
        key = f"special:{name}"
        chosen = self.native.choice(key) is True
        self.native.chose(key, self.frames.innermost().f_lineno, chosen)
        return chosen

    def set_attribute(self, value, name, new):
        state = value._surmise_state
        state.attributes[name] = new
        self.observer.wrote(f"{state.path}.{name}", new)

    def delete_attribute(self, value, name):
        state = value._surmise_state
        state.attributes.pop(name, None)
        self.observer.deleted(f"{state.path}.{name}")

    def attribute_of_module(self, module, name, number):
        path = self.path(f"{module.__name__}.{name}")
        value = compatible(module.__name__, name)
        if value is NotImplemented and self.native.is_type_parameter(name):
            value = self.type_parameter(name)
        if value is not NotImplemented:
            self.native.answered(self.frames.innermost().f_lineno, -1, "import", path, safe_repr(value))
        elif number is not None:
            value = self.make(number, None, path)
        else:
            value = self.value(path, f"attribute:{name}")[0]
            # One instruction imports all names of a statement.
            self.report(value, "attribute", safe_repr(value), name, key=("attribute", path))
        module.__dict__[name] = value
        return value

    def imported(self, path, name):
        """The value of a name that is imported from a real module, which lacks it."""
        value = compatible(path.rpartition(".")[0], name)
        if value is not NotImplemented:
            return value
        path = self.path(path)
        return self.value(path, f"attribute:{name}")[0] if self.native.imported(path) else self.fresh(path)

    # -- calls --------------------------------------------------------------------------------------------------

    def call(self, callee, args, kwargs, number):
        """`callee(*args, **kwargs)`."""
        if number is None and self.frames.folders and is_decorated(args, kwargs):
            return args[0]
        value = self.result(callee, args, kwargs, number)
        if type(value) is StandIn:
            value._surmise_state.callee = callee
            value._surmise_state.arguments = args
        return value

    def call_decorated(self, _callee, _args, _kwargs):
        """The result of a function under a missing decorator that got too few arguments, or `NotImplemented`."""
        return NotImplemented

    def super_of_nothing(self, number):
        """`super()` of a method that was cut out of its class: one object for the whole run."""
        if "super()" not in self.variables:
            self.variables["super()"] = self.fresh("super()")
        value = self.variables["super()"]
        self.native.injected(number, "object", repr(value))
        return value


def is_decorated(args, kwargs):
    """True where a module that is imported as it is puts a missing decorator on a function or class that it defines."""
    if kwargs or len(args) != 1 or not isinstance(args[0], (type, FunctionType)):
        return False
    frame = _getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    if frame is None or frame.f_code.co_flags & OPTIMIZED:
        return False
    names = (frame.f_globals.get("__name__"), frame.f_locals.get(args[0].__name__) is args[0])
    return names == (args[0].__module__, False)
