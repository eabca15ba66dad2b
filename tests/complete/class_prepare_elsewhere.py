# Class bodies in namespaces that an imported, computed or inherited metaclass makes.
import sys
import types


class Supply(dict):
    def __init__(self):
        super().__init__()
        self.asked = []

    def __missing__(self, name):
        if name.startswith("__") or name in ("range", "print", "NameError"):
            raise KeyError(name)
        self.asked.append(name)
        self[name] = len(self.asked)
        return self[name]


def define(name):
    class Meta(type):
        @classmethod
        def __prepare__(mcs, name, bases, **named):
            return Supply()

        def __new__(mcs, name, bases, namespace, **named):
            made = super().__new__(mcs, name, bases, dict(namespace))
            made.asked = namespace.asked
            return made

    Meta.__name__ = name
    return Meta


module = types.ModuleType("namespaces")
module.Auto = define("Auto")
sys.modules["namespaces"] = module

import namespaces
import namespaces as spaces
from namespaces import Auto
from namespaces import Auto as ABCMetaLike


class Imported(metaclass=Auto):
    red
    green
    if red < green:
        blue
    for each in range(2):
        shade
    total = red + green + blue


class Dotted(metaclass=namespaces.Auto):
    one
    two
    pair = (two, one)


class Renamed(metaclass=spaces.Auto, keyword=3):
    first
    second = third

    def method(self):
        return self.first


class Aliased(metaclass=ABCMetaLike):
    alpha
    lambda: beta


class Computed(metaclass=define("Made")):
    x
    y
    z = [x, y]


class Child(Computed):
    w
    try:
        v
    except NameError as error:
        print("no", error)


makers = {"m": Auto}


class Looked(metaclass=makers["m"]):
    deep
    del deep
    deep


for made in (Imported, Dotted, Renamed, Aliased, Computed, Child, Looked):
    names = sorted(name for name in vars(made) if not name.startswith("__") and name != "asked")
    print(made.__name__, type(made).__name__, made.asked, names)
print(Imported.total, Dotted.pair, Renamed().method(), Computed.z)
