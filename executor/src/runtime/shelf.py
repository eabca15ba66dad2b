"""Modules of the standard library that the zygote imports ahead: they lie aside, out of `sys.modules`, until a program
asks for them. Importing one then takes no time, and a program that does not sees nothing of them.
"""

import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder

STANDARD = os.path.dirname(os.__file__)
ELSEWHERE = ("site-packages", "dist-packages")


class Shelf:
    """Comes first on `sys.meta_path`, in workers and while something is put on it."""

    def __init__(self):
        self.modules = {}
        self.specs = {}
        self.needs = {}  # name -> what its import brings along, itself among it
        self.bound = set()  # those that are attributes of their packages
        self.hooks = {}  # name -> what it registers: (function, arguments, keyword arguments)
        self.refused = set()
        self.given = set()
        self.stocking = False

    # -- in the zygote ------------------------------------------------------------------------------------------

    def put(self, names):
        sys.meta_path.insert(0, self)
        self.stocking = True
        try:
            for name in names:
                if name not in self.modules and name not in sys.modules and name not in self.refused:
                    self.refused.add(name)
                    ended = order(name)
                    for alone in (True, False):
                        for number, needed in enumerate(ended):
                            # A package brings the modules that it imports of itself.
                            if needed.rpartition(".")[0] not in ended[number:]:
                                self.put_one(needed, alone)
        finally:
            self.stocking = False
            sys.meta_path.remove(self)

    def put_one(self, name, alone):
        """Imports a module whose own imports lie here already, and takes all that came with it out of sight.

        Of modules that import each other `alone` takes none: what they have in common lies here first then.
        """
        import warnings

        if name in self.modules or name in sys.modules:
            return
        before, hooks, failed = set(sys.modules), [], False
        with warnings.catch_warnings(record=True) as caught, Registrations(hooks):
            warnings.simplefilter("always")
            try:
                importlib.import_module(name)
            except BaseException:
                failed = True
        brought = {new: module for new, module in sys.modules.items() if new not in before}
        for new, module in brought.items():
            del sys.modules[new]
            package, _, last = new.rpartition(".")
            package = brought.get(package) or sys.modules.get(package)
            if package is not None and package.__dict__.get(last) is module:
                self.bound.add(new)
                delattr(package, last)
        self.given.clear()
        fresh = [new for new in brought if new not in self.modules]
        # What warns must do so when the program imports it.
        specs = {new: getattr(brought[new], "__spec__", None) for new in fresh}  # None: `typing.io`, `__mp_main__`
        if failed or caught or not all(is_standard(brought[new]) for new in fresh if specs[new] is not None):
            return
        if alone and any(new.partition(".")[0] != name.partition(".")[0] for new in fresh if specs[new] is not None):
            return
        for new in fresh:
            self.modules[new] = brought[new]
            self.specs[new] = specs[new]
            self.needs[new] = list(brought)
        if hooks:
            self.hooks[name] = hooks

    # -- as a finder and loader ---------------------------------------------------------------------------------

    def find_spec(self, fullname, path=None, target=None):
        known = self.specs.get(fullname)
        if known is None or fullname in self.given or not self.is_meant(fullname):
            return None
        spec = ModuleSpec(fullname, self, origin=known.origin, is_package=hasattr(self.modules[fullname], "__path__"))
        spec.has_location, spec.cached = known.has_location, known.cached
        return spec

    def is_meant(self, fullname):
        """False where another module of the name comes first."""
        package, _, last = fullname.rpartition(".")
        if package:
            return package not in sys.modules or is_standard(sys.modules[package])
        for entry in sys.path:
            if entry == STANDARD:
                return True
            if PathFinder.find_spec(last, [entry]) is not None:
                return False
        return False

    def create_module(self, spec):
        """With what it needs. Each is given once: whoever takes one out of `sys.modules` wants a new one."""
        needs = [name for name in self.needs[spec.name] if name not in sys.modules and name not in self.given]
        self.given.update(needs)
        for name in needs:
            sys.modules[name] = self.modules[name]
        for name in needs:
            package, _, last = name.rpartition(".")
            if name in self.bound and package in sys.modules:
                setattr(sys.modules[package], last, self.modules[name])
            if not self.stocking:
                self.register(name)
        return self.modules[spec.name]

    def exec_module(self, module):
        module.__spec__ = self.specs[module.__spec__.name]

    def register(self, name):
        for register, arguments, named in self.hooks.get(name, ()):
            register(*arguments, **named)
            if "after_in_child" in named:
                named["after_in_child"]()  # there was a fork since it was imported


class Registrations:
    """Keeps what modules register while they are imported."""

    def __init__(self, kept):
        self.kept = kept

    def __enter__(self):
        import atexit

        self.atexit, self.open = atexit, True
        self.real = atexit.register, os.register_at_fork
        atexit.register, os.register_at_fork = self.at_exit, self.at_fork

    def __exit__(self, *_error):
        self.open = False
        self.atexit.register, os.register_at_fork = self.real

    def at_exit(self, function, *arguments, **named):
        if not self.open:
            return self.real[0](function, *arguments, **named)
        self.kept.append((self.real[0], (function, *arguments), named))
        return function

    def at_fork(self, **named):
        if not self.open:
            return self.real[1](**named)
        self.kept.append((self.real[1], (), named))


def is_standard(module):
    origin = getattr(getattr(module, "__spec__", None), "origin", None) or ""
    inside = origin.startswith(STANDARD + os.sep) and not any(part in origin for part in ELSEWHERE)
    return inside or origin in ("built-in", "frozen")


def order(name):
    """The modules that an import runs, those first that end first; none if it fails. Found out in a process of its own."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            import warnings

            warnings.simplefilter("ignore")
            bootstrap, ended = importlib._bootstrap, []
            load = bootstrap._load_unlocked

            def told(spec):
                module = load(spec)
                ended.append(spec.name)
                return module

            bootstrap._load_unlocked = told
            importlib.import_module(name)
            os.write(writable, ",".join(ended).encode())
        finally:
            os._exit(0)
    os.close(writable)
    with open(readable, "rb") as pipe:
        names = pipe.read().decode()
    os.waitpid(child, 0)
    return names.split(",") if names else []


SHELF = Shelf()
