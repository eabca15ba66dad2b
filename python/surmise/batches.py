"""Programs of a batch as rows of columns, for engines that hand out batches: Ray Data, Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from surmise.errors import UsageError
from surmise.results import RunResult
from surmise.running import run

# Arguments of `surmise.run` that are the same for every program of a batch.
_OPTIONS = frozenset(
    {"function", "body", "runs", "time", "timeout", "seed", "predictor", "values", "model", "drive", "python",
     "python_path", "alone", "sandbox", "allow_read", "memory", "max_output", "settings"}
)  # fmt: skip

COLUMNS = {
    "outcome": "string",
    "error": "string",
    "error_line": "long",
    "verdict": "string",
    "lines": "long",
    "covered": "long",
    "runs": "long",
    "problem": "string",
    "document": "string",
}
"""The columns that results have, with their types in Spark's words."""


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for `surmise.run`, without those that a batch cannot have."""
    for name in options:
        if name not in _OPTIONS:
            raise UsageError(f"`{name}` is no option of a batch", f"there is {', '.join(sorted(_OPTIONS))}")
    return dict(options)


def results(programs: Iterable[Any], options: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What the runs of each program come to, as columns.

    A program that cannot be run, for example because it is no text, has the reason in the column ``problem``. A failure
    of Surmise or of its sandbox is raised, so that the engine tries the batch again or ends with it.
    """
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for program in programs:
        for name, value in _row(program, options).items():
            columns[name].append(value)
    return columns


def _row(program: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        if not isinstance(program, str):
            raise UsageError(f"the program is a value of type {type(program).__name__}, not text")
        # A text is never the path of a file: those of the workers are not the data's.
        result = run(program if "\n" in program else program + "\n", **options)
    except UsageError as error:
        none: dict[str, Any] = dict.fromkeys(COLUMNS)
        return {**none, "outcome": "refused", "problem": str(error)}
    return _observed(result)


def _observed(result: RunResult) -> dict[str, Any]:
    error = result.error
    document = result.to_dict()
    # Times differ from run to run, and equal programs should have equal rows.
    document.pop("time_ms", None)
    return {
        "outcome": result.outcome,
        "error": None if error is None else error.type,
        "error_line": None if error is None else error.line,
        "verdict": None if error is None or error.verdict is None else error.verdict.value,
        "lines": len(result.lines),
        "covered": len(result.covered_lines),
        "runs": result.runs,
        "problem": None,
        "document": json.dumps(document, sort_keys=True),
    }
