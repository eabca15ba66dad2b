"""Imports of the program: missing modules become stand-ins, and what it forgot to import is imported."""

import importlib.machinery
import os
import sys
from sys import _getframe

from _surmise_frames import OWN
from _surmise_preloaded_modules import is_standard
from _surmise_standins import Module
from _surmise_values import safe_repr

PACKAGE = "__package__"  # that of a program which belongs to none
# How modules get names that their sources do not have.
WAYS_TO_GET_NAMES = ("import *", "globals()", "vars(", "setattr(", "exec(", "__dict__", "sys.modules", "lazy")


class Finder:
    """Comes last on `sys.meta_path`: what nobody found, a stand-in is."""

    def __init__(self, engine):
        self.engine = engine
        self.preparing = None  # the module of the `from` import that is being prepared
        self.wanted = None  # while a module's import is mended: modules of real packages that are missing

    def find_spec(self, fullname, path=None, target=None):
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if type(parent) is not Module and not (self.imported_by_program() and self.is_module(fullname)):
            return None
        if type(parent) is not Module:
            if self.wanted is not None and parent is not None and fullname not in self.wanted:
                file = getattr(parent, "__file__", None) or ""
                if not self.engine.frames.is_of_project(file):
                    return None  # mostly a name of `from package import name`
            # What a package registers to find its modules by (`six.moves`) comes after this finder.
            for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
                find_spec = getattr(finder, "find_spec", None)  # before 3.12 finders may have another method
                spec = find_spec(fullname, path, target) if find_spec is not None else None
                if spec is None and find_spec is None and hasattr(finder, "find_module"):
                    loader = finder.find_module(fullname, path)
                    spec = importlib.machinery.ModuleSpec(fullname, loader) if loader is not None else None
                if spec is not None:
                    return spec
        if self.engine.lets_import_fail(fullname):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def imported_by_program(self):
        frame = _getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith(("<frozen importlib", OWN)):
                if name in self.engine.frames.own_files:
                    return True
                if self.engine.frames.is_of_project(name):
                    self.engine.expectations.learn(name)
                    return True
                return False
            frame = frame.f_back
        return False

    def is_module(self, fullname):
        """False for `name` of `from module import name` where the module is real: a name is no module."""
        return self.preparing is None or f"{self.preparing}.".startswith(f"{fullname}.")

    def create_module(self, spec):
        module = Module(spec.name)
        frame = self.engine.frames.innermost()
        if frame is not None:
            self.engine.native.answered(frame.f_lineno, -1, "import", spec.name, repr(module))
        return module

    def exec_module(self, module):
        """Nothing to run."""


def prepare_from_import(engine, number):
    """Makes `from module import names` succeed where the module or a name is missing.

    Returns the exception that the module itself raised: the statement must not run it a second time.
    """
    statement = engine.native.import_statement(number)
    frame = engine.frames.innermost()
    if statement is None or frame is None:
        return None
    level, module, names, line, column = statement
    namespace = frame.f_globals
    if engine.expectations.expects(ImportError, f"import:{module}"):
        return None
    if level > 0:
        if not namespace.get("__package__"):
            namespace["__package__"] = ".".join([PACKAGE] + ["parent"] * level)
        return None
    import_module = frame.f_builtins.get("__import__")
    if import_module is None:
        return None
    engine.finder.preparing = module
    try:
        found = import_module(module, namespace, frame.f_locals, names)
    except ModuleNotFoundError as error:
        if not is_of_dependency(engine, module, error):
            return error.with_traceback(error.__traceback__.tb_next)
        take_place_of(engine, module, line, column)
        return None
    except BaseException as error:
        # Without our own frames.
        return error.with_traceback(error.__traceback__.tb_next)
    finally:
        engine.finder.preparing = None
    if type(found) is Module:
        return None
    for name in names:
        if name == "*" or hasattr(found, name):
            continue
        value = engine.answers.imported(f"{module}.{name}", name)
        kind = "absent name" if is_whole(found) and not is_mentioned(name, found) else "import"
        engine.native.answered(line, column, kind, f"{module}.{name}", safe_repr(value))
        try:
            setattr(found, name, value)
        except (AttributeError, TypeError):
            return None
    return None


def is_whole(module):
    """True for a module that has all names that it ever will, but for those of other systems: one of the standard
    library, or an installed one, which is a file."""
    return is_standard(module) or bool(getattr(module, "__file__", None))


def is_mentioned(name, module):
    """True if the source of a module has a name in it: it defines it under some condition. Modules may also get names
    that their sources do not have."""
    try:
        with open(module.__file__, encoding="utf-8") as source:
            text = source.read()
    except (AttributeError, TypeError, OSError, ValueError):
        return False  # compiled or built in
    if not is_standard(module) and (any(way in text for way in WAYS_TO_GET_NAMES) or is_unbuilt(name, module)):
        return True
    pieces = text.split(name)
    return any(
        not f"{before[-1:]}a".isidentifier() and not f"a{after[:1]}".isidentifier()
        for before, after in zip(pieces, pieces[1:])
    )


def is_of_dependency(engine, module, error):
    """True if a module that is there cannot be imported for want of another one, which is not here."""
    missing = error.name or ""
    is_own = f"{module}.".startswith(f"{missing}.") or missing.partition(".")[0] == module.partition(".")[0]
    return bool(missing) and not is_own and not engine.lets_import_fail(missing)


def take_place_of(engine, module, line, column):
    """Puts a stand-in in the place of a module that cannot be imported, and of its packages where they cannot either."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if end < len(parts) and name in sys.modules:
            continue
        found = sys.modules[name] = Module(name)
        engine.native.answered(line, column, "import", name, repr(found))
        parent = sys.modules.get(name.rpartition(".")[0])
        if parent is not None:
            setattr(parent, parts[end - 1], found)


def is_unbuilt(name, module):
    """True if a package has the source of a module, which is not built: `_speedups.c`."""
    try:
        folders = [list(os.scandir(folder)) for folder in module.__path__]
    except (AttributeError, TypeError, OSError):
        return False
    return any(entry.name.partition(".")[0] == name for entries in folders for entry in entries)


def import_implicitly(native, frames, name):
    """A module, or an attribute of one, that the code uses without its import; `NotImplemented` if there is none."""
    modules, attribute = native.implicit_import(name)
    if not modules:
        return NotImplemented
    try:
        for module in modules:
            __import__(module)
        value = sys.modules[modules[0]]
        value = value if attribute is None else getattr(value, attribute)
    except Exception:
        return NotImplemented
    frame = frames.innermost()
    shown = f"<module {name!r}>" if attribute is None else f"<{modules[0]}.{attribute}>"
    native.answered(frame.f_lineno if frame is not None else 0, -1, "implicit import", name, shown)
    return value
