"""Imports of a module that its surroundings fail: the project itself is not installed, so that nobody knows its version;
and, in comparisons alone, installed packages no longer have a name, or another module cannot be imported. All that is
missing instead of failing the import."""

import importlib
import re
import sys

from _surmise_compatible_names import compatible
from _surmise_standins import Module

MOST = 16  # things that one import may lack
METADATA = "metadata of "  # what is reported as lacking begins so for a distribution that is not installed
KNOWN = "a known name"  # what is missing has another name under Python 3
VERSION = "0.0.0"  # of a distribution that is not installed
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


class Uninstalled:
    """Finds the metadata of distributions that are not installed, as `importlib.metadata` asks for it."""

    def __init__(self):
        self.names = set()

    def find_spec(self, _fullname, _path=None, _target=None):
        """No module is found here."""

    def find_distributions(self, context):
        if context.name not in self.names:
            return []
        from importlib.metadata import Distribution  # it is loaded: somebody has asked it

        class Unknown(Distribution):
            def read_text(self, filename):
                return f"Name: {context.name}\nVersion: {VERSION}\n" if filename in ("METADATA", "PKG-INFO") else None

            def locate_file(self, path):
                return path

        return [Unknown()]


def imported(engine, name, mends):
    """The module `name`, imported for real, and what had to be missing for that; raises what the import raises if nothing
    helps. Without `mends` only the project may be missing, among what is installed."""
    lacking, broken, uninstalled = [], Broken(), Uninstalled()
    sys.meta_path.append(uninstalled)
    sys.meta_path.insert(0, broken)
    engine.finder.wanted = set() if mends else None
    try:
        while True:
            try:
                return importlib.import_module(name), lacking
            except Exception as error:
                lack = without_metadata(error, uninstalled)
                if lack is None and mends:
                    lack = (
                        absent(engine, error) or failed(engine, name, error, broken) or refused(engine, error, broken)
                    )
                if lack is None or lack in lacking or len(lacking) == MOST:
                    raise
                if lack != KNOWN:
                    lacking.append(lack)
    finally:
        engine.finder.wanted = None
        sys.meta_path.remove(broken)
        if not uninstalled.names:
            sys.meta_path.remove(uninstalled)


def without_metadata(error, uninstalled):
    """Gives a distribution that is not installed a version, if that is what fails; says so, or None."""
    kind, resources = type(error).__name__, sys.modules.get("pkg_resources")
    if kind == "PackageNotFoundError":
        name = error.args[0] if error.args else None
    elif kind == "DistributionNotFound" and resources is not None:
        name = getattr(getattr(error, "req", None), "project_name", None)
    else:
        return None
    if not isinstance(name, str):
        return None
    if kind == "PackageNotFoundError":
        uninstalled.names.add(name)
    else:
        resources.working_set.add(resources.Distribution(project_name=name, version=VERSION))
    return f"{METADATA}{name}"


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
        known = compatible(owner, name)
        if known is not NotImplemented:
            setattr(module, name, known)
            return KNOWN
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


def refused(engine, error, broken):
    """Lets an installed package be missing that refuses what the project does with it as it is imported, as a decorator of
    another version may; its name, or None."""
    package, inside = None, error.__traceback__
    while inside is not None:
        frame = inside.tb_frame
        if engine.frames.is_of_project(frame.f_code.co_filename):
            package = None
        elif package is None and "/site-packages/" in frame.f_code.co_filename:
            package = frame.f_globals.get("__name__")
        inside = inside.tb_next
    package = package.partition(".")[0] if isinstance(package, str) else ""
    if not package or package in broken.folders:
        return None
    broken.folders[package] = []
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    return package


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
