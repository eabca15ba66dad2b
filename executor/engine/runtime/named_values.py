"""The part of all policies that looks up what names of the program stand for, and makes instances of the classes among it."""

import builtins
from types import ModuleType

from _surmise_instances import instance_of, is_class


class NamedValues:
    """Values that conditions ask for by name. Runs no code of the program."""

    def instance(self, kind, path):
        """An instance of a class that a condition asks for, or `NotImplemented`."""
        if kind is type:
            return self.of_class(kind, path)  # a class has the attributes that it is asked for
        value = instance_of(kind, self.namespace().get("__name__"))
        if value is NotImplemented and self.constructor is not None:
            value = self.constructor.instance(kind, path)
        return self.of_class(kind, path) if value is NotImplemented else value

    def of_class(self, kind, path):
        """A stand-in that is an instance of a class as far as `isinstance` says; `NotImplemented` for what is no class."""
        if not is_class(kind):
            return NotImplemented
        value = self.fresh(path)
        value._surmise_state.of_class = kind
        return value

    def keep_written(self, value, path, site):
        """Lets a value that was proposed be known as injected."""
        # Of an object of the program only its own code knows the hash.
        if self.frames.has_class_of(value) or not is_hashable(value):
            self.values.keep(value, path)
        else:
            self.values.keep_constant(value, site.number if site is not None else None)

    def of_name(self, name):
        """What a dotted name of the program stands for; `NotImplemented` where it has no value. Runs no code of the
        program."""
        root = name.split(".")[0]
        number = self.native.first_read(root) if self.known(root) is NotImplemented else None
        if number is not None and root not in self.named:
            self.named.add(root)  # a value may be made of itself
            self.variable(number)
            self.named.discard(root)
        return self.known(name)

    def known(self, name):
        """What a dotted name of the program stands for already."""
        root, *rest = name.split(".")
        value = self.namespace().get(root, self.variables.get(root, NotImplemented))
        if value is NotImplemented:
            value = self.late_names.get(root, getattr(builtins, root, NotImplemented))
        for part in rest:
            held = vars(value) if type(value) is ModuleType or issubclass(type(value), type) else {}
            members = held.get("_member_map_")  # of an enumeration
            value = (members if type(members) is dict and part in members else held).get(part, NotImplemented)
        return value

    def namespace(self):
        """The names of the module that runs, or whose function is about to be called."""
        frame = self.frames.innermost_of_file()
        return frame.f_globals if frame is not None else self.called_in


def is_hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True
