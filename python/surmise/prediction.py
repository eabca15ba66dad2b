"""Asks the predictor what it expects, without running anything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from surmise import _surmise
from surmise.arguments import Path, options_of, settings_of, source_of
from surmise.errors import UsageError
from surmise.running import _OPTIONS, answered


@dataclass(frozen=True)
class ClassProbability:
    """A class of values, such as ``str-nonempty``, and how likely it is."""

    name: str
    probability: float
    """Between 0 and 1; the probabilities of one place add up to at most 1."""


@dataclass(frozen=True)
class Prediction:
    """A place where a value is read, and what the predictor expects there."""

    line: int
    """From 1."""
    column: int
    """Of the name, in characters, from 0."""
    kind: str
    """``variable``, ``attribute`` or ``return value``."""
    name: str
    """The name that is read, the attribute's, or the callee's."""
    classes: tuple[ClassProbability, ...]
    """The likeliest first."""

    def to_dict(self) -> dict[str, Any]:
        """The prediction as plain data."""
        classes = [{"name": entry.name, "probability": entry.probability} for entry in self.classes]
        place = {"line": self.line, "column": self.column, "kind": self.kind, "name": self.name}
        return {**place, "classes": classes}


def predict(
    code: Path,
    *,
    line: int | None = None,
    name: str | None = None,
    function: str | None = None,
    predictor: str | None = None,
    model: Path | None = None,
    values: Path | Sequence[Path] | None = None,
    python: Path | None = None,
    python_path: Path | Sequence[Path] | None = None,
    alone: bool = False,
    settings: Path | bool = True,
) -> list[Prediction]:
    """Ranks the classes of values at the places of a program where values are read, in the order of the source.

    Nothing is run.

    Args:
        code: source text, or the path of a file, as for `run`.
        line: only places on this line, from 1.
        name: only places with this name.
        function: only this function (``name`` or ``Class.method``), as it is run.
        predictor: ``model`` (default), ``frequency``, ``naive`` or ``random``.
        model: folder of another T5 model.
        values: folders with recorded values, as for `run`.
        python: environment whose packages can be imported.
        python_path: folders with packages to import.
        alone: without environment and package.
        settings: True for the ``surmise.toml`` or ``pyproject.toml`` that ``surmise run`` would use, False for none, or the
            path of such a file; what is given here goes first.

    Raises:
        UsageError: an argument is wrong, or a file cannot be read.
    """
    text, source = source_of(code)
    for value, kind, what in [(line, int, "line"), (name, str, "name")]:
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise UsageError(f"{what} must be of type {kind.__name__}, not {type(value).__name__}")
    given = {
        "function": function, "predictor": predictor, "model": model, "values": values, "python": python,
        "python_path": python_path, "alone": alone,
    }  # fmt: skip
    arguments = [*settings_of(settings), *options_of(given, _OPTIONS), "--", "-" if text is not None else source]
    places = json.loads(answered(_surmise.ranked, arguments, text, source))
    wanted = (
        place for place in places if (line is None or place["line"] == line) and (name is None or place["name"] == name)
    )
    return [
        Prediction(
            place["line"],
            place["column"],
            place["kind"],
            place["name"],
            tuple(ClassProbability(entry, probability) for entry, probability in place["classes"]),
        )
        for place in wanted
    ]
