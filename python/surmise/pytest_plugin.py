"""The plugin for pytest: ``--surmise-trace=DIR --surmise-package=NAME`` records a normal run of the tests."""

from __future__ import annotations

from typing import Any, Optional

import pytest

from surmise.errors import SurmiseError
from surmise.recording import Trace, trace


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("surmise", "recording of values (surmise)")
    group.addoption(
        "--surmise-trace",
        metavar="DIR",
        help="record in DIR which values the packages of --surmise-package use while the tests run",
    )
    group.addoption(
        "--surmise-package",
        metavar="NAME",
        action="append",
        default=[],
        help="package or module to record, by the name under which it is imported (repeatable)",
    )
    group.addoption("--surmise-replace", action="store_true", help="overwrite the recording that the folder holds")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Starts before any conftest.py, which may import the packages."""
    options = early_config.known_args_namespace
    folder = getattr(options, "surmise_trace", None)
    packages = getattr(options, "surmise_package", [])
    if folder is None and packages:
        raise pytest.UsageError("--surmise-package needs --surmise-trace=DIR")
    # The workers of pytest-xdist have the recorder from the environment of the process that starts them.
    if folder is None or hasattr(early_config, "workerinput") or _is_worker():
        return
    if not packages:
        raise pytest.UsageError("--surmise-trace needs --surmise-package=NAME")
    try:
        early_config.stash[_STASH] = trace(folder, packages, replace=options.surmise_replace)
    except SurmiseError as error:
        raise pytest.UsageError(str(error)) from None


def _is_worker() -> bool:
    import os

    return "PYTEST_XDIST_WORKER" in os.environ


_STASH = pytest.StashKey[Optional[Trace]]()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: Any) -> None:
    """Writes the recording when everything is over, the workers of pytest-xdist included."""
    recording = config.stash.get(_STASH, None)
    if recording is None:
        return
    config.stash[_STASH] = None
    reporter = config.pluginmanager.getplugin("terminalreporter")
    try:
        summary = recording.finish()
        line = f"surmise: recorded {summary['sites_hit']} sites ({summary['events']} events) in {recording.folder}"
    except SurmiseError as error:
        # The tests' outcome stays what it is.
        line = f"surmise: {error}"
    if reporter is not None:
        reporter.write_line(line)
