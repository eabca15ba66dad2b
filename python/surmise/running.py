"""Runs one program."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Callable, TypeVar

from surmise import _surmise
from surmise.arguments import Path, options_of, path_of, settings_of, source_of, texts_of
from surmise.errors import InternalError, SurmiseWarning, UsageError
from surmise.results import RunResult

_OPTIONS = {
    "function": str,
    "body": bool,
    "predictor": str,
    "model": os.PathLike,
    "values": list,
    "seed": int,
    "timeout": float,
    "runs": int,
    "time": float,
    "no_drive": bool,
    "python": os.PathLike,
    "python_path": list,
    "alone": bool,
    "sandbox": str,
    "allow_read": list,
    "memory": str,
    "max_output": str,
}

_Answer = TypeVar("_Answer")

# The threads that run programs, and their worker processes, are those of the parent.
os.register_at_fork(after_in_child=_surmise.forget)


def run(
    code: Path,
    *,
    args: Sequence[str] = (),
    function: str | None = None,
    body: bool = False,
    runs: int | None = None,
    time: float | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    predictor: str | None = None,
    values: Path | Sequence[Path] | None = None,
    model: Path | None = None,
    drive: bool = True,
    stdin: str | bytes | os.PathLike[str] | None = None,
    python: Path | None = None,
    python_path: Path | Sequence[Path] | None = None,
    alone: bool = False,
    sandbox: str | None = None,
    allow_read: Path | Sequence[Path] | None = None,
    memory: str | None = None,
    max_output: str | None = None,
    name: str | None = None,
    settings: Path | bool = True,
) -> RunResult:
    """Runs a program with predicted values in place of those that are missing.

    The program runs many times, in sandboxed processes; each run injects other values, to reach lines and errors that
    no run has reached. The answers are those of ``surmise run`` with the options of the same names.

    Args:
        code: source text, or the path of a file. Text of one line that is the path of an existing file is a path.
        args: the program's arguments, ``sys.argv[1:]``.
        function: runs this function (``name`` or ``Class.method``) with injected arguments.
        body: with `function`, runs its body as a script, as LExecutor does.
        runs: maximum number of runs (default: 64).
        time: time limit of all runs together, in seconds (default: 10).
        timeout: time limit of one run, in seconds (default: 10).
        seed: seed of random choices (default: 0); the same seed gives the same runs.
        predictor: ``model`` (default), ``frequency``, ``naive``, ``random`` or ``none``.
        values: folders that `surmise.trace` or ``surmise trace`` wrote: what was observed there goes before what the model
            predicts. Or the value that stands for a class: ``fine`` (default), ``coarse`` or ``coarse-random``.
        model: folder of another T5 model.
        drive: calls functions that the program defines and never calls.
        stdin: standard input of the program: text, bytes, or the path of a file (default: empty).
        python: environment whose packages can be imported; an interpreter, or a virtual environment's folder.
        python_path: folders with packages to import.
        alone: without environment and package.
        sandbox: ``strict`` (default), ``best-effort`` or ``off``.
        allow_read: files and folders that the program may read.
        memory: memory of each process beyond the interpreter's own, such as ``"500M"`` (default: 4G).
        max_output: how much of each output stream is kept, such as ``"64K"`` (default: 1M).
        name: name of the source in messages, for text.
        settings: True for the ``surmise.toml`` or ``pyproject.toml`` that the command would use, False for none, or the
            path of such a file; what is given here goes first.

    Returns:
        What was observed. An error of the program is part of the result.

    Raises:
        UsageError: an argument is wrong, or a file cannot be read.
        SandboxError: this machine refuses a step of the sandbox.
        InternalError: Surmise itself failed.
    """
    text, source = source_of(code)
    given = {
        "function": function, "body": body, "predictor": predictor, "model": model, "values": values, "seed": seed,
        "timeout": timeout, "runs": runs, "time": time, "no_drive": not _truth(drive, "drive"), "python": python,
        "python_path": python_path, "alone": alone, "sandbox": sandbox, "allow_read": allow_read, "memory": memory,
        "max_output": max_output,
    }  # fmt: skip
    arguments = [*settings_of(settings), *options_of(given, _OPTIONS)]
    with _input(stdin) as file:
        arguments.append(f"--stdin={file}")
        arguments += ["--", "-" if text is not None else source, *texts_of(args, "args")]
        report = answered(_surmise.run, arguments, text, source if name is None else _name(name))
    problem = report.internal()
    if problem is not None:
        raise InternalError(problem, "this is a fault of Surmise, not of the code that it runs")
    return RunResult._of(report)


def answered(ask: Callable[..., tuple[_Answer, list[str]]], *arguments: Any) -> _Answer:
    """Asks the native module, and passes its warnings on."""
    answer, problems = ask(*arguments)
    for problem in problems:
        warnings.warn(problem, SurmiseWarning, stacklevel=3)
    return answer


def _truth(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{what} must be True or False, not a value of type {type(value).__name__}")
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError("name must be text that is not empty")
    return value


@contextlib.contextmanager
def _input(stdin: Any) -> Iterator[str]:
    """Path of a file with the program's standard input."""
    if stdin is None:
        yield os.devnull
    elif isinstance(stdin, (str, bytes)):
        with tempfile.NamedTemporaryFile("wb", prefix="surmise-stdin-") as file:
            file.write(stdin.encode() if isinstance(stdin, str) else stdin)
            file.flush()
            yield file.name
    else:
        yield path_of(stdin, "stdin")
