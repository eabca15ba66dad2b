"""Imports of a module whose surroundings are of another time: names that installed packages no longer have, and other
modules that cannot be imported, are missing instead of failing it. Only comparisons do this."""

import importlib
import re
import sys

from _surmise_standins import Module

MOST = 16  # things that one import may lack
ABSENT_NAME = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
ABSENT_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")


class Broken:
    """Finds modules that could not be imported, as stand-ins; the modules of a broken package are still found."""

    def __init__(self):
        self.folders = {}  # name of a module -> its folders, if it is a package

    def find_spec(self, fullname, _path=None, _target=None):
        if fullname not in self.folders:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        module = Module(spec.name)
        spec.submodule_search_locations.extend(self.folders[spec.name])
        return module

    def exec_module(self, module):
        """Nothing to run."""


def imported(engine, name):
    """The module `name`, imported for real, and what had to be missing for that; raises what the import raises if nothing
    helps."""
    lacking, broken = [], Broken()
    sys.meta_path.insert(0, broken)
    engine.finder.wanted = set()
    try:
        while True:
            try:
                return importlib.import_module(name), lacking
            except Exception as error:
                lack = absent(engine, error) or failed(engine, name, error, broken)
                if lack is None or lack in lacking or len(lacking) == MOST:
                    raise
                lacking.append(lack)
    finally:
        engine.finder.wanted = None
        sys.meta_path.remove(broken)


def absent(engine, error):
    """Gives a module outside of the project a name that it lacks; says which, or None if that is not the error."""
    if isinstance(error, ModuleNotFoundError):
        parent = sys.modules.get((error.name or "").rpartition(".")[0])
        if parent is None or error.name in engine.finder.wanted:
            return None
        engine.finder.wanted.add(error.name)
        return error.name
    if isinstance(error, ImportError):
        found = ABSENT_NAME.match(str(error))
        name, owner = found.groups() if found else (None, None)
    elif isinstance(error, AttributeError):
        found = ABSENT_ATTRIBUTE.match(str(error))
        owner, name = found.groups() if found else (None, None)
    else:
        return None
    module = sys.modules.get(owner)
    if module is None or name.startswith("__") or hasattr(module, name):
        return None
    if engine.frames.is_of_project(getattr(module, "__file__", None) or ""):
        return None
    path = f"{owner}.{name}"
    try:
        setattr(module, name, moved(owner, name) or engine.answers.fresh(path))
    except (AttributeError, TypeError):
        return None
    return path


def moved(owner, name):
    """What went into the module of abstract classes of a package: `collections.Mapping`."""
    classes = sys.modules.get(f"{owner}.abc")
    return getattr(classes, name, None)


def failed(engine, name, error, broken):
    """Lets the module that fails the import be missing, if it is another one than `name`; its name, or None."""
    culprit, file = failing(engine, error)
    if not isinstance(culprit, str) or culprit == name or culprit in broken.folders:
        return None
    broken.folders[culprit] = [file.rpartition("/")[0]] if file.endswith("/__init__.py") else []
    sys.modules.pop(culprit, None)
    return culprit


def failing(engine, error):
    """(name, file) of the module whose code fails: of the project the innermost one, else what the project imports."""
    if isinstance(error, SyntaxError) and error.filename:
        return name_of(error.filename), error.filename
    culprit, file, inside = None, None, error.__traceback__
    while inside is not None:
        frame = inside.tb_frame
        if frame.f_code.co_name == "<module>":
            is_own = engine.frames.is_of_project(frame.f_code.co_filename)
            if is_own or culprit is not None:
                culprit, file = frame.f_globals.get("__name__"), frame.f_code.co_filename
            if culprit is not None and not is_own:
                break
        inside = inside.tb_next
    return culprit, file


def name_of(file):
    """The name under which a file is imported."""
    for folder in sorted(set(sys.path), key=len, reverse=True):
        if folder and file.startswith(f"{folder}/") and file.endswith(".py"):
            parts = file[len(folder) + 1 : -3].split("/")
            if parts[-1] == "__init__":
                parts.pop()
            if parts and all(part.isidentifier() for part in parts):
                return ".".join(parts)
    return None
