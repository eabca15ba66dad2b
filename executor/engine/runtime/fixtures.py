"""What fixtures give tests: those of the project, and some that tests have without defining them, of pytest and pytest-mock."""

import contextlib
import inspect
import os
import sys
import types
import warnings

FOLDERS = []  # those that were made: their names are the same in each run


class Unknown(Exception):
    """A test cannot be called: it asks for what is not known here."""


def folder(name="test"):
    """A folder of its own, in the scratch layer of the run."""
    import pathlib  # now: most tests do without, and they take long
    import tempfile

    path = pathlib.Path(tempfile.gettempdir(), "tests", f"{name}{len(FOLDERS)}")
    os.makedirs(path)
    FOLDERS.append(path)
    return path


def nothing():
    """What there is to do where a test ends, mostly."""


def tmp_path():
    return folder(), nothing


def tmp_path_factory():
    return types.SimpleNamespace(mktemp=lambda name, numbered=True: folder(name), getbasetemp=folder), nothing


def monkeypatch():
    import pytest

    patch = pytest.MonkeyPatch()
    return patch, patch.undo


def mocker():
    mock = mocking()
    mocks = types.SimpleNamespace(patch=Patch())
    for name in ("Mock", "MagicMock", "AsyncMock", "PropertyMock", "sentinel", "call", "ANY", "DEFAULT", "mock_open"):
        setattr(mocks, name, getattr(mock, name))
    mocks.spy = lambda of, name: Patch().object(of, name, side_effect=getattr(of, name), autospec=True)
    return mocks, mock.patch.stopall


def mocking():
    import unittest.mock  # now: most tests do without, and it takes long

    return unittest.mock


class Patch:
    """`unittest.mock.patch`, begun at once."""

    def __call__(self, *args, **kwargs):
        return mocking().patch(*args, **kwargs).start()

    def object(self, *args, **kwargs):
        return mocking().patch.object(*args, **kwargs).start()

    def dict(self, *args, **kwargs):
        return mocking().patch.dict(*args, **kwargs).start()

    def multiple(self, *args, **kwargs):
        return mocking().patch.multiple(*args, **kwargs).start()


def capsys():
    """Output is not captured: what a test does with it comes after the calls that count."""
    return types.SimpleNamespace(readouterr=lambda: types.SimpleNamespace(out="", err="")), nothing


def caplog():
    log = types.SimpleNamespace(text="", records=[], messages=[], record_tuples=[])
    log.clear = log.set_level = lambda *_args, **_kwargs: None
    log.at_level = lambda *_args, **_kwargs: contextlib.nullcontext()
    return log, nothing


def recwarn():
    caught = warnings.catch_warnings(record=True)
    return caught.__enter__(), lambda: caught.__exit__(None, None, None)


BUILT_IN = {one.__name__: one for one in (tmp_path, tmp_path_factory, monkeypatch, mocker, capsys, caplog, recwarn)}
BUILT_IN["capfd"] = capsys


class Fixtures:
    """What fixtures give one call of a test."""

    def __init__(self, case):
        self.case = case
        self.instance = None
        self.held = dict(case.row)
        self.open = []

    def sources(self):
        """The namespaces that may define a fixture, the nearest first."""
        for kind in () if self.case.owner is None else self.case.owner.__mro__:
            yield vars(kind)
        yield vars(self.case.module)
        folder = os.path.dirname(self.case.path)
        while folder.startswith(self.case.folder):
            path = os.path.join(folder, "conftest.py")
            if os.path.exists(path):
                yield vars(conftest(path))
            if folder == self.case.folder:
                break
            folder = os.path.dirname(folder)

    def value(self, name):
        if name in self.held:
            return self.held[name]
        for namespace in self.sources():
            for key, value in list(namespace.items()):
                found = fixture_of(value)
                if found is not None and (found[1].name or key) == name:
                    return self.keep(name, self.made(*found))
        if name == "request":
            return self.keep(name, self.request(None))
        if name not in BUILT_IN:
            raise Unknown(name)
        value, end = BUILT_IN[name]()
        self.open.append(end)
        return self.keep(name, value)

    def request(self, parameter):
        """What a test or a fixture may ask of itself."""
        node = types.SimpleNamespace(name=self.case.function.__name__)
        return types.SimpleNamespace(param=parameter, instance=self.instance, node=node, getfixturevalue=self.value)

    def keep(self, name, value):
        self.held[name] = value
        return value

    def made(self, function, marker):
        """What a fixture gives, with the first of its parameters."""
        params = list(marker.params or (None,))
        parameter = getattr(params[0], "values", params[:1])[0]
        names = list(inspect.signature(function).parameters)
        given = {}
        for name in names:
            if name == "request":
                given[name] = self.request(parameter)
            else:
                given[name] = self.instance if name == "self" else self.value(name)
        value = function(**given)
        if inspect.isgeneratorfunction(function):
            self.open.append(value.close)
            return next(value)
        return value

    def use_automatic(self):
        """Calls the fixtures that each test uses."""
        for namespace in list(self.sources()):
            for key, value in list(namespace.items()):
                found = fixture_of(value)
                if found is not None and found[1].autouse:
                    self.value(found[1].name or key)

    def close(self):
        for end in reversed(self.open):
            end()


def fixture_of(value):
    """(function, marker) of what `pytest.fixture` made, in old versions and in new ones; None for anything else."""
    marker = getattr(value, "_fixture_function_marker", None)
    if type(marker).__name__ == "FixtureFunctionMarker":
        return value._get_wrapped_function(), marker
    marker = getattr(value, "_pytestfixturefunction", None)
    if type(marker).__name__ == "FixtureFunctionMarker":
        return value.__pytest_wrapped__.obj, marker
    return None


def conftest(path):
    """The module of fixtures in a folder."""
    name = f"conftest of {os.path.dirname(path)}"
    if name not in sys.modules:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        module = sys.modules[name] = types.ModuleType(name)
        module.__file__ = path
        exec(code, vars(module))
    return sys.modules[name]
