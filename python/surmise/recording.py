"""Records which values the code of packages uses, in this process and the Python processes that it starts."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from surmise import _surmise
from surmise.arguments import Path, path_of, texts_of
from surmise.errors import RecordingError, SurmiseWarning


class Trace:
    """A recording, as `trace` starts it.

    Attributes:
        folder: where the recording is written.
        summary: what was recorded (``trace.json``), once the recording is finished.
    """

    def __init__(self, recording: Any, folder: str) -> None:
        self.folder = folder
        self.summary: dict[str, Any] | None = None
        self._recording = recording
        self._before: dict[str, str | None] = {}

    def _enter_environment(self) -> None:
        for name, value in self._recording.variables():
            before = os.environ.get(name)
            self._before[name] = before
            is_path = name == "PYTHONPATH" and before
            os.environ[name] = f"{value}{os.pathsep}{before}" if is_path else value

    def _leave_environment(self) -> None:
        for name, before in self._before.items():
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before
        self._before = {}

    def finish(self) -> dict[str, Any]:
        """Ends the recording and writes it. A second call changes nothing.

        Returns:
            The summary, as ``trace.json`` has it.

        Raises:
            RecordingError: it cannot be written; ``surmise trace recover`` does so once the cause is removed.
        """
        if self.summary is None:
            self._leave_environment()
            finished = self._recording.finish()
            if finished is None:
                raise RecordingError("the recording could not be written", "`surmise trace recover` writes it")
            text, failed, unseen = finished
            self.summary = json.loads(text)
            if failed:
                _warn(f"{failed} processes could not write all that was recorded")
            for package in unseen:
                _warn(f"package `{package}` was never imported while it was recorded: import it inside of the block")
        return dict(self.summary or {})

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.finish()

    def __repr__(self) -> str:
        if self.summary is None:
            return f"<surmise.Trace to {self.folder!r}, recording>"
        return f"<surmise.Trace in {self.folder!r}, {self.summary['sites_hit']} sites, {self.summary['events']} events>"


def trace(
    folder: Path,
    package: str | Sequence[str],
    *,
    exclude: str | Sequence[str] = (),
    literals: bool = True,
    project: str | None = None,
    replace: bool = False,
) -> Trace:
    """Starts to record which values the modules of packages use, as ``surmise trace`` does for a command.

        with surmise.trace("app.trace", package="app"):
            import app
            app.main()

    Modules that are imported from now on are recorded, in this process and in the Python processes that it starts. A
    process can be recorded once.

    Args:
        folder: where the recording is written; created if it does not exist.
        package: names of packages or modules, as they are imported.
        exclude: globs of files that are not recorded.
        literals: also records short values, not only their classes.
        project: name of the project in the tables (default: the first package's).
        replace: overwrites the recording that the folder holds.

    Raises:
        RecordingError: the folder is in use or holds something else, or the process was recorded before.
        UsageError: an argument is wrong.
    """
    path, packages = path_of(folder, "folder"), texts_of(package, "package")
    loaded = sorted(name for name in packages if name in sys.modules)
    command: list[str] = [sys.executable, *sys.argv]
    recording = _surmise.Recording(
        path, packages, texts_of(exclude, "exclude"), bool(literals), project, bool(replace), command
    )
    if loaded:
        _warn(f"`{', '.join(loaded)}` was imported before: only modules that are imported from now on are recorded")
    started = Trace(recording, path)
    started._enter_environment()
    return started


def _warn(message: str) -> None:
    warnings.warn(message, SurmiseWarning, stacklevel=3)
