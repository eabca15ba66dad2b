"""The cell magic ``%%surmise`` for IPython and Jupyter."""

from __future__ import annotations

import shlex
from typing import Any

from surmise.errors import SurmiseError, UsageError
from surmise.results import RunResult
from surmise.running import run

_OPTIONS = {"runs": int, "seed": int, "time": float, "timeout": float, "predictor": str, "function": str}

HELP = """\
%%surmise [runs=N] [seed=N] [time=SECONDS] [timeout=SECONDS] [predictor=NAME] [function=NAME] [-> NAME]

Runs the cell with predicted values in place of those that are missing; nothing of the notebook is used or changed.
With `-> NAME` the result becomes the notebook's variable NAME."""


def register(shell: Any) -> None:
    """Adds the magic to an IPython shell."""

    def surmise(line: str, cell: str | None = None) -> RunResult | None:
        return _cell(shell, line, cell)

    surmise.__doc__ = HELP
    shell.register_magic_function(surmise, "line_cell", "surmise")


def _cell(shell: Any, line: str, cell: str | None) -> RunResult | None:
    import sys

    try:
        if cell is None:
            raise UsageError("%surmise runs no line", "write %%surmise at the top of a cell")
        options, target = _options(line)
        result = run(cell, name="<cell>", **options)
    except SurmiseError as error:
        # Without the traceback, which is of this package.
        print(f"error: {error}", file=sys.stderr)
        return None
    if target is not None:
        shell.user_ns[target] = result
    return result


def _options(line: str) -> Any:
    """Keyword arguments of `run`, and the variable for the result."""
    text, arrow, target = line.partition("->")
    target = target.strip()
    if arrow and not target.isidentifier():
        raise UsageError(f"`{target}` is no name of a variable", "write `-> NAME`")
    options = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or name not in _OPTIONS:
            raise UsageError(f"`{word}` is no option of %%surmise", f"options are {', '.join(_OPTIONS)}; see %surmise?")
        try:
            options[name] = _OPTIONS[name](value)
        except ValueError:
            raise UsageError(f"`{value}` is no value of {name}") from None
    return options, target if arrow else None
