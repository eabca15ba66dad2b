"""Fixtures that tests have without defining them: those of pytest, and the mocks of pytest-mock."""

import os
import pathlib
import tempfile
import types
import unittest.mock
import warnings

FOLDERS = []  # those that were made: their names are the same in each run


def folder(name="test"):
    """A folder of its own, in the scratch layer of the run."""
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
    mocks = types.SimpleNamespace(patch=Patch())
    for name in ("Mock", "MagicMock", "AsyncMock", "PropertyMock", "sentinel", "call", "ANY", "DEFAULT", "mock_open"):
        setattr(mocks, name, getattr(unittest.mock, name))
    mocks.spy = lambda of, name: Patch().object(of, name, side_effect=getattr(of, name), autospec=True)
    return mocks, unittest.mock.patch.stopall


class Patch:
    """`unittest.mock.patch`, begun at once."""

    def __call__(self, *args, **kwargs):
        return unittest.mock.patch(*args, **kwargs).start()

    def object(self, *args, **kwargs):
        return unittest.mock.patch.object(*args, **kwargs).start()

    def dict(self, *args, **kwargs):
        return unittest.mock.patch.dict(*args, **kwargs).start()

    def multiple(self, *args, **kwargs):
        return unittest.mock.patch.multiple(*args, **kwargs).start()


def capsys():
    """Output is not captured: what a test does with it comes after the calls that count."""
    return types.SimpleNamespace(readouterr=lambda: types.SimpleNamespace(out="", err="")), nothing


def caplog():
    log = types.SimpleNamespace(text="", records=[], messages=[], record_tuples=[])
    log.clear = log.set_level = lambda *_args, **_kwargs: None
    log.at_level = lambda *_args, **_kwargs: warnings.catch_warnings()
    return log, nothing


def recwarn():
    caught = warnings.catch_warnings(record=True)
    return caught.__enter__(), lambda: caught.__exit__(None, None, None)


BUILT_IN = {one.__name__: one for one in (tmp_path, tmp_path_factory, monkeypatch, mocker, capsys, caplog, recwarn)}
BUILT_IN["capfd"] = capsys
