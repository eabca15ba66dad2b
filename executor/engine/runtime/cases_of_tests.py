"""The tests of a project as functions to call: those of pytest and `unittest` that mention some name.

Nothing is collected by pytest itself: it is only asked what it keeps of marks and fixtures. What a test needs that is not
known here, such as a fixture of a plugin, makes it a test that cannot be called.
"""

import importlib
import inspect
import itertools
import os
import sys
import types

from _surmise_fixtures import Fixtures, Unknown
from _surmise_like_pytest import provide

ROWS = 40  # of the parameters of a test
CASES = 300  # of all files
MISSING = 5  # modules that a file may lack, and as many attempts
# Assertions of `unittest` that call something; all others would end a test where a version gives something else.
CALLING = ("Raises", "Warns", "Logs")


def cases(files, folder):
    """(name, function without parameters) of the tests in some files.

    `files` say which of their functions those are, and which other tests are left out. `folder` is that of the project.
    """
    if not files:
        return []
    provide()
    sys.path.append(folder)  # behind a version's own modules
    found = []
    for file in files:
        try:
            module = load(file.path, file.text)
        except BaseException as error:  # pytest's own way to skip a file is none of `Exception`
            if isinstance(error, KeyboardInterrupt):
                raise
            continue  # it needs what is not there
        where, lines, first = os.path.relpath(file.path, folder), set(file.lines), file.first
        functions = [one for one in functions_of(module) if inspect.unwrap(one[2]).__code__.co_firstlineno in lines]
        # Those that came with the change say most about it.
        for name, owner, function in sorted(functions, key=lambda one: one[2].__name__ not in first):
            for number, row in enumerate(rows_of(owner, function)):
                found.append((f"{where}::{name}[{number}]", Case(module, file.path, folder, owner, function, row)))
                if len(found) == CASES:
                    return found
    return found


def load(path, text):
    """Imports a file of tests under its own name, with what of it runs."""
    name = module_name(path)
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    code = compile(text, path, "exec", dont_inherit=True)
    for _attempt in range(MISSING):
        module = sys.modules[name] = types.ModuleType(name)
        module.__file__, module.__package__ = path, package
        try:
            exec(code, vars(module))
        except ModuleNotFoundError as error:
            if error.name is None or error.name in sys.modules:
                raise
            sys.modules[error.name] = Missing(error.name)  # most tests of the file may do without
        else:
            return module
    raise Unknown(path)


class Missing(types.ModuleType):
    """A module that is not installed; what it decorates is no test."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.__name__}.{name}")

    def __call__(self, *_args, **_kwargs):
        return self


def module_name(path):
    """The name of a file as a module, whose folder it is imported from."""
    folder, file = os.path.split(path)
    parts = [file.rpartition(".")[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    if folder not in sys.path:
        sys.path.append(folder)
    return ".".join(parts)


def functions_of(module):
    """(name, class or None, function) of the tests of a module."""
    for name, value in list(vars(module).items()):
        if name.startswith("test") and isinstance(value, types.FunctionType):
            yield name, None, value
        is_own = isinstance(value, type) and value.__module__ == module.__name__
        if is_own and (name.startswith("Test") or is_of_unittest(value)):
            for inner, function in inspect.getmembers(value, inspect.isfunction):
                if inner.startswith("test"):
                    yield f"{name}::{inner}", value, function


def is_of_unittest(owner):
    # It takes long to import: a file that does not has no such class.
    unittest = sys.modules.get("unittest")
    return unittest is not None and issubclass(owner, unittest.TestCase)


def rows_of(owner, function):
    """The parameters that marks give a test, by name: as many dictionaries as it is called times."""
    marks = [*getattr(function, "pytestmark", ()), *marks_of(owner)]
    if (
        any(mark.name == "skip" for mark in marks)
        or hasattr(function, "hypothesis")
        or inspect.iscoroutinefunction(function)
    ):
        return []
    columns = []
    for mark in marks:
        if mark.name != "parametrize":
            continue
        arguments = dict(zip(("argnames", "argvalues"), mark.args), **mark.kwargs)
        if arguments.get("indirect"):
            return []
        names = arguments.get("argnames", ())
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        columns.append([row_of(names, values) for values in itertools.islice(arguments.get("argvalues", ()), ROWS)])
    rows = itertools.islice(itertools.product(*columns), ROWS)
    return [{name: value for part in row for name, value in part.items()} for row in rows]


def marks_of(owner):
    marks = getattr(owner, "pytestmark", ())
    return marks if isinstance(marks, (list, tuple)) else [marks]


def row_of(names, values):
    """One row of parameters: `pytest.param` keeps the values as an attribute."""
    if type(values).__name__ == "ParameterSet":
        values = values.values
    elif len(names) == 1:
        values = (values,)
    return dict(zip(names, values))


class Case:
    """A test with its parameters, which may be called several times."""

    def __init__(self, module, path, folder, owner, function, row):
        self.module = module
        self.path = path
        self.folder = folder
        self.owner = owner
        self.function = function
        self.row = row

    def __call__(self):
        if self.owner is not None and is_of_unittest(self.owner):
            return self.call_unittest()
        made, instance = Fixtures(self), None
        try:
            if self.owner is not None:
                instance = self.owner()
                for name in ("setup_method", "setup"):
                    if hasattr(instance, name):
                        getattr(instance, name)()
            made.instance = instance
            made.use_automatic()
            parameters = list(inspect.signature(self.function).parameters.values())
            parameters = [one for one in parameters[instance is not None :] if one.default is one.empty]
            given = {one.name: made.value(one.name) for one in parameters}
            self.function(*() if instance is None else (instance,), **given)
        finally:
            made.close()

    def call_unittest(self):
        test = self.owner(self.function.__name__)
        for name in dir(test):
            if name.startswith("assert") and not any(part in name for part in CALLING):
                setattr(test, name, lambda *_args, **_kwargs: None)
        try:
            type(test).setUpClass()
            test.setUp()
            self.function(test)
        finally:
            test.doCleanups()


class Examples:
    """The sessions in a docstring, as one test."""

    def __init__(self, text, namespace):
        self.namespace, self.sources = dict(namespace), []
        if ">>>" not in text:
            return
        import doctest  # now: it takes long

        try:
            self.sources = [example.source for example in doctest.DocTestParser().get_examples(text)]
        except ValueError:
            pass  # doctest would refuse it

    def __call__(self):
        for source in self.sources:
            try:
                exec(compile(source, "<docstring>", "single", dont_inherit=True), self.namespace)
            except Exception:
                pass  # the next example may do without
