"""Classes that were cut: an excerpt has their headers, and of what is in them only the function that runs."""

from _surmise_standins import Incomplete, InjectedBase

HEAP = 1 << 9  # the flag of classes that Python code defined


class IncompleteClasses:
    """What a class lacks that was cut, it may have where it comes from."""

    def __init__(self, values):
        self.values = values
        self.lacking = None  # what code that is not rewritten reads of objects that their class did not initialize
        self.in_excerpt = False  # True if the program is one: all its classes were cut
        self.classes = {}  # a class that was cut -> what its instances are made of, or None

    def add(self, owner, is_whole=False):
        """Takes a class as one that was cut; of one that `is_whole` only an object lacks what its `__init__` gives it."""
        if not isinstance(owner, type) or owner in self.classes:
            return
        self.classes[owner] = None
        if is_whole:
            return
        try:
            owner.__abstractmethods__ = frozenset()
            if owner.__init__ is object.__init__ and owner.__new__ is object.__new__:
                owner.__init__ = InjectedBase.__init__  # the one that was cut takes arguments
        except (AttributeError, TypeError):
            pass

    def holds(self, kind):
        """True for a class that was cut, and one that is derived from it."""
        return any(base in self.classes for base in type.__dict__["__mro__"].__get__(kind))

    def instance(self, owner):
        """An object of the class, or None where none can be made."""
        kind = self.classes.get(owner)
        try:
            if kind is None:
                names = {"__module__": owner.__module__, "__qualname__": owner.__qualname__}
                if self.lacking is not None and not hasattr(owner, "__getattr__"):
                    names["__getattr__"] = self.lacking
                kind = self.classes[owner] = type(owner)(owner.__name__, (owner, Incomplete), names)
            value = allocated(kind)
        except Exception:
            return self.of_layout(owner)
        self.values.keep(value, owner.__name__)
        return value

    def of_layout(self, owner):
        """An object of a class to which nothing can be added: one with the layout of a builtin class, an enumeration."""
        try:
            value = owner.__new__(owner)
        except Exception:
            return None
        self.values.keep(value, owner.__name__)
        return value


def allocated(kind):
    """An object of a class, whose `__init__` does not run; a class that derives from a builtin one has its layout."""
    for base in type.__dict__["__mro__"].__get__(kind):
        if not base.__flags__ & HEAP:
            return base.__new__(kind)
    raise TypeError(f"{kind.__name__} derives from no builtin class")
