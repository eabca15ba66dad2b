"""Modules that are imported before a program asks for them: by the zygote, for all programs to come, and by a template,
for the runs of its program. They lie out of `sys.modules` until a program imports them. That takes no time then, and a
program that does not import them sees nothing of them.
"""

import builtins
import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder

STANDARD = os.path.dirname(os.__file__)
ELSEWHERE = ("site-packages", "dist-packages")


class PreloadedModules:
    """Comes first on `sys.meta_path`, in runs and while modules are preloaded."""

    def __init__(self):
        self.modules = {}
        self.specs = {}
        self.asked = {}  # name -> modules that its import asks for
        self.bound = set()  # those that are attributes of their packages
        self.hooks = {}  # name -> what its import registers: (function, arguments, keyword arguments)
        self.filters = {}  # name -> filters of warnings that its import adds
        self.tried = set()
        self.given = set()
        self.stocking = False

    # -- before a program runs ----------------------------------------------------------------------------------

    def put(self, names):
        """Imports modules of the standard library, in the zygote."""
        sys.meta_path.insert(0, self)
        try:
            for name in names:
                if name not in self.modules and name not in sys.modules and name not in self.tried:
                    self.tried.add(name)
                    self.take(name, (), True, is_standard)
        finally:
            sys.meta_path.remove(self)

    def preload(self, name, names, strict):
        """Imports what a program imports, in its template; False if runs would notice that they did not do it."""
        if (name in self.modules or name in sys.modules) and not names:
            return True
        spec = importlib._bootstrap._find_spec(name.partition(".")[0], None)
        if spec is None:
            return True
        if is_standard_spec(spec):
            return self.take(name, names, strict, is_standard)
        before, flag = surroundings(), sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            fit = self.take(name, names, strict, bool)
        finally:
            sys.dont_write_bytecode = flag
        return fit and surroundings() == before

    def take(self, name, names, strict, is_wanted):
        """Imports a module and takes all that comes with it out of sight; False if more happened than that."""
        before, failed = set(sys.modules), False
        self.stocking = True
        with Observer(strict) as seen:
            try:
                __import__(name, {}, {}, names)  # the runtime's own, which nobody replaces
            except BaseException:
                failed = True
        self.stocking = False
        brought = {new: module for new, module in sys.modules.items() if new not in before}
        for new, module in brought.items():
            del sys.modules[new]
            package, _, last = new.rpartition(".")
            package = brought.get(package) or sys.modules.get(package)
            if package is not None and package.__dict__.get(last) is module:
                self.bound.add(new)
                del package.__dict__[last]  # what stands for a module in `sys.modules` may not let go of attributes
        self.given.clear()
        if failed:
            return not seen.loaded  # there was nothing to import
        fresh = [new for new in brought if new not in self.modules]
        specs = {new: getattr(brought[new], "__spec__", None) for new in fresh}  # None: `typing.io`, `__mp_main__`
        if seen.warned or not all(is_wanted(brought[new]) for new in fresh if specs[new] is not None):
            return False
        for new in fresh:
            self.modules[new] = brought[new]
            self.specs[new] = specs[new]
        for part, kept in ((self.asked, seen.asked), (self.hooks, seen.hooks), (self.filters, seen.filters)):
            for new, found in kept.items():
                part.setdefault(new, found)
        return True

    # -- as a finder and loader ---------------------------------------------------------------------------------

    def find_spec(self, fullname, path=None, target=None):
        known = self.specs.get(fullname)
        if known is None or fullname in self.given or not self.is_meant(fullname, known):
            return None
        spec = ModuleSpec(fullname, self, origin=known.origin, is_package=hasattr(self.modules[fullname], "__path__"))
        spec.has_location, spec.cached = known.has_location, known.cached
        return spec

    def is_meant(self, fullname, known):
        """False where another module of the name comes first."""
        package, _, last = fullname.rpartition(".")
        if package:
            found = sys.modules.get(package)
            return found is None or found is self.modules.get(package) or is_standard(found)
        standard = is_standard_spec(known)
        for entry in sys.path:
            if standard and entry == STANDARD:
                return True
            found = PathFinder.find_spec(last, [entry])
            if found is not None:
                return not standard and found.origin == known.origin
        return False

    def needed(self, name):
        """What has to be there with a module, itself among it, in the order in which it was imported."""
        needed, pending = set(), [name]
        while pending:
            name = pending.pop()
            if name in self.modules and name not in needed:
                needed.add(name)
                pending.extend(self.asked.get(name, ()))
                pending.append(name.rpartition(".")[0])
        return [name for name in self.modules if name in needed]

    def create_module(self, spec):
        """With what it needs. Each is given once: whoever takes one out of `sys.modules` wants a new one."""
        needs = [name for name in self.needed(spec.name) if name not in sys.modules and name not in self.given]
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
        if name in self.filters:
            import warnings

            warnings.filters[:0] = self.filters[name]
            mutated = getattr(warnings, "_filters_mutated", None) or warnings._filters_mutated_lock_held
            mutated()


class Observer:
    """Keeps what happens while a module is imported: who asks for which modules, registers what, warns."""

    def __init__(self, strict):
        self.strict = strict  # a program that looks after warnings may see those that are ignored
        self.importing = [""]
        self.loaded = set()
        self.asked, self.hooks, self.filters = {}, {}, {}
        self.warned = False

    def __enter__(self):
        import atexit
        import warnings

        self.open, self.known = True, set(sys.modules)
        self.caught = warnings.catch_warnings(record=True)
        self.log = self.caught.__enter__()
        if self.strict:
            warnings.simplefilter("always")
        self.before = list(warnings.filters)
        bootstrap = importlib._bootstrap
        self.real = (
            (builtins, "__import__", builtins.__import__, self.ask),
            (bootstrap, "_gcd_import", bootstrap._gcd_import, self.ask_by_name),
            (bootstrap, "_load_unlocked", bootstrap._load_unlocked, self.load),
            (atexit, "register", atexit.register, self.at_exit),
            (os, "register_at_fork", os.register_at_fork, self.at_fork),
        )
        for module, name, _, observed in self.real:
            setattr(module, name, observed)
        return self

    def __exit__(self, *_error):
        self.open = False
        for module, name, real, _ in self.real:
            setattr(module, name, real)
        self.warned = self.warned or bool(self.log)
        self.caught.__exit__(None, None, None)

    def ask(self, name, namespace=None, local=None, names=(), level=0):
        module = self.real[0][2](name, namespace, local, names, level)
        if level:
            package = importlib._bootstrap._calc___package__(namespace).rsplit(".", level - 1)[0]
            name = f"{package}.{name}" if name else package
        self.note(name, *(f"{name}.{part}" for part in names or () if f"{name}.{part}" in sys.modules))
        return module

    def ask_by_name(self, name, package=None, level=0):
        module = self.real[1][2](name, package, level)
        self.note(importlib._bootstrap._resolve_name(name, package, level) if level else name)
        return module

    def note(self, *names):
        self.asked.setdefault(self.importing[-1], set()).update(names)

    def load(self, spec):
        before = len(sys.modules)
        self.note(spec.name)
        self.importing.append(spec.name)
        self.loaded.add(spec.name)
        try:
            return self.real[2][2](spec)
        finally:
            new = [name for name in list(sys.modules)[before:] if name not in self.known]
            self.note(*new)  # those that were put there, rather than imported
            self.known.update(new)
            self.known.add(spec.name)
            self.keep_filters(spec.name)
            self.importing.pop()

    def keep_filters(self, name):
        import warnings

        added = len(warnings.filters) - len(self.before)
        if warnings.filters != self.before:
            if added <= 0 or warnings.filters[added:] != self.before:
                self.warned = True  # it took some away
            self.filters.setdefault(name, []).extend(warnings.filters[: max(added, 0)])
            self.before = list(warnings.filters)

    def at_exit(self, function, *arguments, **named):
        return self.registered(3, (function, *arguments), named) or function

    def at_fork(self, **named):
        return self.registered(4, (), named)

    def registered(self, which, arguments, named):
        real = self.real[which][2]
        if not self.open:
            return real(*arguments, **named)
        self.hooks.setdefault(self.importing[-1], []).append((real, arguments, named))


def surroundings():
    """What an import may change that every program sees."""
    return process_state(), {name: dict(vars(module)) for name, module in sys.modules.items()}


def process_state():
    """What code may change of the process and of its interpreter, but for modules."""
    import _locale
    import _signal
    import _thread
    import gc

    mask = os.umask(0o77)
    os.umask(mask)
    return (
        (os.getcwd(), mask, dict(os.environ), _locale.setlocale(_locale.LC_ALL), _thread._count()),
        (list(sys.path), list(sys.path_hooks), list(sys.meta_path), list(sys.argv)),
        [_signal.getsignal(number) for number in sorted(_signal.valid_signals())],
        [_signal.getitimer(which) for which in range(3)],
        (sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(), sys.getswitchinterval()),
        (gc.isenabled(), gc.get_threshold(), list(gc.callbacks)),
    )


def is_standard(module):
    return is_standard_spec(getattr(module, "__spec__", None))


def is_standard_spec(spec):
    origin = getattr(spec, "origin", None) or ""
    return origin in ("built-in", "frozen") or not origin.startswith("<") and is_standard_file(origin)


def is_standard_file(name):
    """True for a file of the standard library, or code of no file."""
    inside = name.startswith(STANDARD + os.sep) and not any(part in name for part in ELSEWHERE)
    return inside or name.startswith("<")


PRELOADED = PreloadedModules()
