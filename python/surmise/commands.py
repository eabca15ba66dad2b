"""Work on many files, by the command in a process of its own, which uses all cores and reports progress."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from surmise import _surmise
from surmise.arguments import Path, options_of, path_of, paths_of, settings_of, source_of
from surmise.errors import InternalError, SandboxError, SurmiseError, UsageError
from surmise.results import Comparison, Coverage

_COVER = {
    "functions": bool,
    "runs": int,
    "time": float,
    "timeout": float,
    "seed": int,
    "predictor": str,
    "model": os.PathLike,
    "values": list,
    "jobs": int,
    "out": os.PathLike,
    "python": os.PathLike,
    "python_path": list,
    "alone": bool,
    "sandbox": str,
}
_DIFF = {
    "values": list,
    "runs": int,
    "seed": int,
    "timeout": float,
    "python": os.PathLike,
    "python_path": list,
    "alone": bool,
    "sandbox": str,
}


def cover(
    paths: Path | Sequence[Path],
    *,
    functions: bool = False,
    runs: int | None = None,
    time: float | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    predictor: str | None = None,
    model: Path | None = None,
    values: Path | Sequence[Path] | None = None,
    jobs: int | None = None,
    out: Path | None = None,
    python: Path | None = None,
    python_path: Path | Sequence[Path] | None = None,
    alone: bool = False,
    sandbox: str | None = None,
    settings: Path | bool = True,
) -> Coverage:
    """Measures how much of many files can be executed, as ``surmise cover`` does, on all cores.

    Args:
        paths: files and folders.
        functions: every function of the files by itself.
        runs: maximum number of runs of each (default: 64).
        time: time limit for all runs of each, in seconds.
        timeout: time limit of one run, in seconds.
        seed: seed of random choices.
        predictor: as for `run`.
        model: folder of another T5 model.
        values: folders with recorded values, and which value stands for a class, as for `run`.
        jobs: how many run at once (default: the number of cores).
        out: folder for results, with which an interrupted call goes on.
        python: environment whose packages can be imported.
        python_path: folders with packages to import.
        alone: without environment and packages.
        sandbox: ``strict`` (default), ``best-effort`` or ``off``.
        settings: True for the ``surmise.toml`` or ``pyproject.toml`` that the command would use, False for none, or the
            path of such a file; what is given here goes first.

    Raises:
        UsageError: an argument is wrong, or a file cannot be read.
        SandboxError: this machine refuses a step of the sandbox.
        InternalError: Surmise itself failed.
    """
    given = {
        "functions": functions, "runs": runs, "time": time, "timeout": timeout, "seed": seed, "predictor": predictor,
        "model": model, "values": values, "jobs": jobs, "out": out, "python": python, "python_path": python_path,
        "alone": alone, "sandbox": sandbox,
    }  # fmt: skip
    options = ["cover", "--json", *settings_of(settings), *options_of(given, _COVER)]
    return Coverage._of(_documents([*options, "--", *paths_of(paths, "paths")]))


def diff(
    old: Path,
    new: Path,
    *,
    values: Path | Sequence[Path] | None = None,
    runs: int | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    python: Path | None = None,
    python_path: Path | Sequence[Path] | None = None,
    alone: bool = False,
    sandbox: str | None = None,
    repo: Path | None = None,
    settings: Path | bool = True,
) -> Comparison:
    """Runs both versions of every function that differs, under the same values, as ``surmise diff`` does.

    Args:
        old: source text, or the path of a file; with `repo` a revision.
        new: the same of the new version.
        values: folders with recorded values, and which value stands for a class, as for `run`.
        runs: maximum number of runs of each pair.
        seed: seed of random choices.
        timeout: time limit of one run, in seconds.
        python: environment whose packages can be imported.
        python_path: folders with packages to import.
        alone: without environment and packages.
        sandbox: ``strict`` (default), ``best-effort`` or ``off``.
        repo: folder of a Git repository, whose revisions `old` and `new` are compared.
        settings: True for the ``surmise.toml`` or ``pyproject.toml`` that the command would use, False for none, or the
            path of such a file; what is given here goes first.

    Raises:
        UsageError: an argument is wrong, or a file or revision cannot be read.
        SandboxError: this machine refuses a step of the sandbox.
        InternalError: Surmise itself failed.
    """
    given = {
        "values": values, "runs": runs, "seed": seed, "timeout": timeout, "python": python, "python_path": python_path,
        "alone": alone, "sandbox": sandbox,
    }  # fmt: skip
    options = ["diff", "--json", *options_of(given, _DIFF)]
    if settings is True and repo is None and source_of(old)[0] is not None:
        # The command would look above the temporary file, and not above the working folder.
        settings = _surmise.nearest_settings(".") or False
    options += settings_of(settings)
    if repo is not None:
        revisions = f"{path_of(old, 'old')}..{path_of(new, 'new')}"
        return Comparison._of(_documents([*options, f"--repo={path_of(repo, 'repo')}", revisions]))
    with _file(old, "old") as first, _file(new, "new") as second:
        return Comparison._of(_documents([*options, os.path.abspath(first), os.path.abspath(second)]))


@contextlib.contextmanager
def _file(code: Any, what: str) -> Iterator[str]:
    text, source = source_of(code)
    if text is None:
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="surmise-") as folder:
        path = os.path.join(folder, f"{what}.py")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        yield path


def _documents(arguments: list[str]) -> list[dict[str, Any]]:
    """The lines of JSON that a command prints."""
    command = [sys.executable, "-m", "surmise", *arguments]
    environment = {**os.environ, "PYTHONPATH": _path_of_package()}
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, encoding="utf-8", errors="replace", check=False)  # fmt: skip
    if ended.returncode in (0, 1):
        return [json.loads(line) for line in ended.stdout.splitlines()]
    message, hint = _error_of(ended.stderr)
    if ended.returncode < 0:
        message, hint = f"the command was ended by signal {-ended.returncode}", None
    kinds = {2: UsageError, 3: SurmiseError, 4: SandboxError}
    raise kinds.get(ended.returncode, InternalError)(message, hint)


def _path_of_package() -> str:
    """`PYTHONPATH` with this package on it, which the process may not find otherwise."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    before = os.environ.get("PYTHONPATH")
    return folder if not before else f"{folder}{os.pathsep}{before}"


def _error_of(stderr: str) -> tuple[str, str | None]:
    """The error that a command printed, and its hint."""
    message, hint = "the command failed", None
    for line in stderr.splitlines():
        if line.startswith("error: "):
            message = line[len("error: ") :]
        elif line.startswith("hint: "):
            hint = line[len("hint: ") :]
    return message, hint
