"""What a function in its imported module goes on with where real code refuses values that are made up, or leaves objects
as new as no caller has them."""

import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from _surmise_instances import is_class
from _surmise_standins import Module, StandIn
from _surmise_values import safe_repr

CONTAINERS = (list, dict, set, tuple)
EMPTY = (type(None), *CONTAINERS)
LIBRARY = getattr(sys, "stdlib_module_names", None) or {"inspect", "json", "os", "platform", "re", "typing"}
SETTINGS = (*EMPTY, bool, int, float, str)


OF_MACHINE = {"locale", "nt", "os", "platform", "posix", "posixpath", "shutil", "socket", "sys"}
# Errors that a handler catches because the installed version of a library lacks a name or a parameter.
OF_VERSIONS = {"AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError"}


def is_of_library(callee):
    """True for a function or class of a module of the standard library, but no builtin one: those follow from their arguments."""
    if not isinstance(callee, (FunctionType, BuiltinFunctionType)) and not is_class(callee):
        return False
    module = vars(callee).get("__module__") if isinstance(callee, type) else callee.__module__
    return isinstance(module, str) and module != "builtins" and module.partition(".")[0].lstrip("_") in LIBRARY


def is_of_machine(module, name):
    """True for a plain value of a module that says what the machine is like: `sys.platform`."""
    is_module = type(module) is ModuleType and module.__name__ in OF_MACHINE
    return is_module and type(vars(module).get(name)) in (bool, int, float, str)


def is_setting(kind, name):
    """True for a plain value of a class, which classes that derive from it may have otherwise."""
    held = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), NotImplemented)
    return type(held) in SETTINGS


class Tolerant:
    """An object to an attribute of which a value is assigned, or which is asked for a key: what was made up it may refuse."""

    __slots__ = ("_engine", "_value")

    def __init__(self, engine, value):
        object.__setattr__(self, "_engine", engine)
        object.__setattr__(self, "_value", value)

    def __setattr__(self, name, new):
        try:
            setattr(self._value, name, new)
        except Exception as error:
            if not self._engine.leaves_out(error):
                raise
            self._engine.answers.report(None, "assignment", safe_repr(new), name)

    def __getitem__(self, key):
        try:
            return self._value[key]
        except Exception as error:
            found = self._engine.absent_item(self._value, key, error)
            if found is NotImplemented:
                raise
            return found


class AmongRealCode:
    """The part of an engine that only functions in their imported modules ask."""

    def __init__(self):
        self.keeps_empty = True  # False where objects may have been filled by methods that were called before
        self.items = {}  # (id of a container, key) -> what it was said to have there
        self.of_nothing = {}  # number of a site that read an attribute of None -> its value

    # -- unlikely values ----------------------------------------------------------------------------------------

    def unlikely_attribute(self, number, value, found):
        """What an attribute of an object of the project is that is None or empty at first, or not what guards ask for."""
        site = self.native.site(number)
        if self.keeps_empty or isinstance(value, type) or not self.is_made_up(value):
            return NotImplemented
        _, held = self.lacking.setdefault(id(value), (value, {}))
        if site.name in held:
            return held[site.name]
        if not self.is_unlikely(number, found) or self.native.is_assigned_before(number):
            return NotImplemented  # the function itself may have made it so
        result = self.likely(site, found, f"{type(value).__name__}.{site.name}")
        if result is not NotImplemented:
            held[site.name] = result
        return result

    def unlikely_result(self, number, callee, found):
        """What a call of the project's code gives for objects that are made up, in place of None, of nothing, or of what
        guards refuse."""
        owner = getattr(callee, "__self__", None)
        is_of_object = owner is not None and type(owner) not in CONTAINERS and self.is_made_up(owner)
        is_of_object = is_of_object or self.answers.is_state(owner)
        site = self.native.site(number)
        if self.keeps_empty or not (is_of_object or self.frames.stands_beside(callee)) or self.of_program(callee):
            return NotImplemented
        if site.role == "unused" or not self.is_unlikely(number, found):
            return NotImplemented
        return self.likely(site, found, None)

    def likely(self, site, found, path):
        """What is predicted in place of a real value; `NotImplemented` where that is no other one."""
        if type(found) in EMPTY:
            return self.answers.filled(site.number, found, path)
        return NotImplemented if site.assigned is None else self.answers.make(site.number, None, path)

    def is_unlikely(self, number, found):
        """True for a real value that is empty, or that guards of the function refuse."""
        return type(found) in EMPTY and not found or self.is_empty_object(found) or self.breaks_guard(number, found)

    def breaks_guard(self, number, found):
        """True for a value with which the function raises in a guard."""
        for question, answer, other in self.native.guards(number):
            try:
                if question == "truth":
                    held = bool(found)
                elif question == "none":
                    held = found is None
                else:
                    named = self.answers.of_name(other) if other is not None else NotImplemented
                    held = found is named if named is not NotImplemented else answer
            except Exception:
                continue
            if held != answer:
                return True
        return False

    def is_empty_object(self, value):
        """True for an object of the project that holds nothing."""
        if not hasattr(type(value), "__len__") or not self.frames.has_class_of(value):
            return False
        try:
            return len(value) == 0
        except Exception:
            return False

    def replaced_attribute(self, number, value):
        """What a search puts in place of an attribute that a real object has which was made up."""
        name = self.native.site(number).name
        _, held = self.lacking.setdefault(id(value), (value, {}))
        if name in held:
            return held[name]
        is_class = isinstance(value, type) and self.frames.is_of_package(value) and is_setting(value, name)
        if (
            not is_class
            and not is_of_machine(value, name)
            and (isinstance(value, (type, Module)) or not self.is_made_up(value))
        ):
            return NotImplemented
        chosen = self.native.replacing(name)
        if chosen is None or self.native.site(chosen).assigned is None:
            return NotImplemented
        result = held[name] = self.answers.make(chosen, None, f"{type(value).__name__}.{name}")
        return result

    def replaced_call(self, number, callee, args, kwargs):
        """What a search puts in place of the result of a call of the project's own code with values that are made up, or of what
        the standard library makes of such values and says of the machine; in comparisons some of these calls fail."""
        owner = getattr(callee, "__self__", None)
        error = self.answers.failing(number)
        if error is not None:
            is_of_project = self.of_program(callee) or self.frames.stands_beside(callee)
            is_codec = type(owner) in (str, bytes) and self.native.site(number).name in ("encode", "decode")
            is_of_others = is_codec or is_of_library(callee) or is_of_library(type(owner))
            if is_of_project or is_of_others and error not in OF_VERSIONS:
                self.classes.fail(error, number)
            return NotImplemented
        is_beside = self.frames.stands_beside(callee) or owner is not None and self.is_made_up(owner)
        is_beside = is_beside or is_of_library(callee) and self.depends_on_caller(callee, args, kwargs, number)
        site = self.native.site(number)
        may_fail = site.literal[0] == "raises" and (is_of_library(callee) or is_of_library(type(owner)))
        if not (is_beside or may_fail) or self.of_program(callee) or site.assigned is None:
            return NotImplemented
        if site.literal[0] == "raises":
            self.classes.fail(site.literal[1], number)
        return self.answers.make(number)

    def depends_on_caller(self, callee, args, kwargs, number):
        """True for a call of the standard library with values that are made up, or that asks for the machine."""
        if not args and not kwargs:
            return callee.__module__ in OF_MACHINE
        return any(self.values.holds_injected(value, number) for value in (args, kwargs))

    def is_made_up(self, value):
        """True for injected objects, and for those of the project: whoever calls the function has made them otherwise."""
        return id(value) in self.values.injected or self.frames.has_class_of(value)

    def attribute_of_nothing(self, number):
        """An attribute of a None that the project's own code gave for values that are made up."""
        if not self.answers.doubts_nothing(number) or self.lets_read_fail(number, None, self.native.site(number).name):
            return NotImplemented
        if number not in self.of_nothing:
            self.of_nothing[number] = self.answers.make(number)
        return self.of_nothing[number]

    # -- refused values -----------------------------------------------------------------------------------------

    def is_instance(self, value, kinds):
        """`isinstance` of a stand-in: of real classes, too, it may be an instance."""
        if value._surmise_state.of_class is not None:
            return NotImplemented  # as Python answers
        return self.answers.is_of_real_class(value, kinds)

    def tolerant(self, value):
        """What takes an assignment to an attribute, or a key, for an object of the program's imported module."""
        return Tolerant(self, value)

    def absent_item(self, value, key, error):
        """What a real container has under a key that is made up; `NotImplemented` where the error stands."""
        is_refused = isinstance(error, LookupError) and self.is_made_up_key(key)
        inner = error.__traceback__.tb_next
        is_refused = is_refused or inner is not None and self.answers.is_refused(error, inner)
        if not is_refused or self.expectations.expected(type(error)):
            return NotImplemented
        place = (id(value), self.answers.described(key))
        if place not in self.items:
            found = self.answers.fresh(f"{type(value).__name__}[{place[1]}]")
            self.items[place] = found
            self.answers.report(found, "index", repr(found))
        return self.items[place]

    def is_made_up_key(self, key):
        """True for a stand-in, and a text or number like one that was injected."""
        try:
            return type(key) is StandIn or (type(key), key) in self.values.constants
        except TypeError:
            return False

    def leaves_out(self, error):
        """True for an assignment that the code around a function refuses because values are made up."""
        inner = error.__traceback__.tb_next
        if inner is None or not self.answers.is_refused(error, inner):
            return False
        return not self.expectations.expected(type(error))
