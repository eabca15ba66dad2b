"""State that outlives a call and is no module's: attributes of classes, variables of the environment, what the process has."""

import os
import sys

from _surmise_snapshots import counts, defining_module, is_unchanging, namespace_of

ENUMERATIONS = ("EnumMeta", "EnumType")  # classes of enumerations, by the version of Python


class LastingState:
    """What it is before a call, to tell what the call changes of it. Runs no code of the program."""

    def __init__(self, describe, classes):
        self.describe = describe
        self.classes = [(kind, attributes_of_class(kind)) for kind in classes]
        self.texts = [self.texts_of(held) for _kind, held in self.classes]
        self.process = of_process()

    def texts_of(self, held):
        """What attributes hold that can change."""
        return {name: self.describe(value) for name, value in held.items() if not is_unchanging(value)}

    def changes(self):
        """(place, what it holds now) of what is not as it was."""
        for (kind, held), texts in zip(self.classes, self.texts):
            now = attributes_of_class(kind)
            for name in sorted(now):
                if now[name] is held.get(name, NotImplemented) and name not in texts:
                    continue
                text = self.describe(now[name])
                was = self.describe(held[name]) if name in held and name not in texts else texts.get(name)
                if text != was:
                    yield f"{kind.__name__}.{name}", text
        now = of_process()
        for place in sorted(now.keys() | self.process.keys()):
            if now.get(place) != self.process.get(place):
                yield place, self.describe(now.get(place))


def classes_used(namespace, uses, qualname):
    """The classes of a module that a function uses by name, and the one that it is a method of, with their bases beside them."""
    owner, found = qualname.partition(".")[0], {}
    for name, value in list(namespace.items()):
        if issubclass(type(value), type) and type(name) is str and (name == owner or uses(name)):
            package = package_of(value)
            found.update((id(kind), kind) for kind in type.mro(value) if package_of(kind) == package)
    return [
        kind for kind in found.values() if type(kind).__name__ not in ENUMERATIONS and package_of(kind) != "builtins"
    ]


def package_of(kind):
    """The first part of the name of the module that defines a class."""
    name = defining_module(kind)
    return name.partition(".")[0] if type(name) is str else ""


def attributes_of_class(kind):
    """The public attributes of a class by name, but for methods, properties and the like."""
    held = [one for one in namespace_of(kind).items() if type(one[0]) is str and not one[0].startswith("_")]
    return {name: value for name, value in held if counts(name, value) and not is_descriptor(value)}


def is_descriptor(value):
    return any("__get__" in namespace_of(kind) for kind in type.mro(type(value)))


def of_process():
    """What a process has, by place."""
    held = {f"os.environ[{name!r}]": value for name, value in os.environ.items()}
    return {**held, "os.getcwd()": working_directory(), "sys.path": list(sys.path), "sys.argv": list(sys.argv)}


def working_directory():
    try:
        return os.getcwd()
    except OSError:
        return None  # it was removed
