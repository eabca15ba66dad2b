"""What runs, coverage and comparisons come to. All types are frozen; `to_dict` gives the JSON of the command."""

from __future__ import annotations

import copy
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Comparison",
    "Coverage",
    "Dependence",
    "Error",
    "FileCoverage",
    "FunctionComparison",
    "Injection",
    "RunResult",
    "Verdict",
    "Witness",
]


class Verdict(str, enum.Enum):
    """How an error depends on what was injected."""

    CERTAIN = "certain"
    """Raised whatever was injected."""
    CONDITIONAL = "conditional"
    """Raised under some injected values, which could be real ones."""
    GUESS = "guess"
    """Raised because an injected value does not allow what is done with it; with another it is not."""

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Dependence:
    """An injected value that an error depends on."""

    name: str
    line: int
    """From 1."""
    column: int
    """In characters, from 0."""
    value: str
    """The value with which the error was raised."""


@dataclass(frozen=True)
class Error:
    """An error that the program raised."""

    type: str
    message: str
    line: int | None
    """From 1; None where no line raised it."""
    column: int | None
    """In characters, from 0, where Python knows it (3.11 and later)."""
    end_line: int | None
    end_column: int | None
    verdict: Verdict | None
    depends_on: tuple[Dependence, ...]
    function: str | None
    """The function that Surmise called, where the program does not."""
    passed_over: bool
    """A value was injected in its place: the program did not see it."""
    hint: str | None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        verdict = "" if self.verdict is None else f" ({self.verdict})"
        return f"{place}{self.type}: {self.message}{verdict}"


@dataclass(frozen=True)
class Injection:
    """A value that was injected, or an answer of an injected object."""

    line: int
    """From 1."""
    column: int
    """In characters, from 0."""
    kind: str
    """``variable``, ``attribute``, ``return value``, ``import``, or the operation that was answered."""
    name: str
    value: str
    """As the report shows it."""
    class_name: str | None
    """The class that was predicted; None for answers."""
    probability: float | None
    rank: int | None
    """1 for the likeliest class."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind} {self.name} = {self.value}"


@dataclass(frozen=True)
class RunResult:
    """What was observed in the runs of a program."""

    file: str
    outcome: str
    """How the run ended that covered most: completed, error, timeout, killed or syntax-error."""
    exit_code: int
    """The program's own."""
    error: Error | None
    """The error that ended the run that covered most."""
    errors: tuple[Error, ...]
    """All distinct errors of all runs, certain ones first."""
    runs: int
    lines: tuple[int, ...]
    """Lines that count, as CPython's line table has them, without docstrings."""
    covered_lines: tuple[int, ...]
    """Lines that some run reached."""
    injections: tuple[Injection, ...]
    stdout: str
    stderr: str
    time_ms: float
    """Time of all runs together, in milliseconds."""
    _document: Mapping[str, Any] = field(repr=False, compare=False)
    _rendered: Rendered = field(repr=False, compare=False)

    @classmethod
    def _of(cls, report: Any) -> RunResult:
        import json

        document = json.loads(report.json())
        lines = document["lines"]
        error = document["error"]
        return cls(
            file=document["file"],
            outcome=document["outcome"],
            exit_code=document["exit_code"],
            error=None if error is None else _error(error),
            errors=tuple(map(_error, document["errors"])),
            runs=document["runs"],
            lines=tuple(sorted({*lines["covered_lines"], *lines["missed_lines"]})),
            covered_lines=tuple(lines["covered_lines"]),
            injections=tuple(map(_injection, document["injections"])),
            stdout=document["stdout"],
            stderr=document["stderr"],
            time_ms=document["time_ms"]["total"],
            _document=document,
            _rendered=Rendered(report),
        )

    @property
    def missed_lines(self) -> tuple[int, ...]:
        """Lines that count and that no run reached."""
        covered = set(self.covered_lines)
        return tuple(line for line in self.lines if line not in covered)

    @property
    def coverage(self) -> float:
        """Part of the lines that some run reached, from 0 to 1."""
        return len(self.covered_lines) / len(self.lines) if self.lines else 1.0

    @property
    def certain_errors(self) -> tuple[Error, ...]:
        """Errors that are raised whatever is injected."""
        return tuple(error for error in self.errors if error.verdict is Verdict.CERTAIN)

    def to_dict(self) -> dict[str, Any]:
        """The document of ``surmise run --json`` (schema ``surmise.run/1``)."""
        return copy.deepcopy(dict(self._document))

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error={str(self.error)!r}"
        covered = f"{len(self.covered_lines)} of {len(self.lines)} lines"
        return f"<surmise.RunResult {self.file!r} {self.outcome}{error}, {covered}, {self.runs} runs>"

    def __str__(self) -> str:
        """The annotated source and the errors, as ``surmise run`` prints them."""
        return self._rendered.text

    def _repr_html_(self) -> str:
        """The report as a notebook shows it: the page of ``surmise run --html``, in a frame of its own."""
        import html

        height = min(120 + 22 * self._rendered.text.count("\n"), 800)
        page = html.escape(self._rendered.html, quote=True)
        style = f"width: 100%; height: {height}px; border: 1px solid #ddd"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'

    def save_html(self, path: Any) -> None:
        """Writes the page of ``surmise run --html``."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._rendered.html)


class Rendered:
    """A report as text and as a page, rendered when it is asked for, or when it is pickled."""

    def __init__(self, report: Any) -> None:
        self._report = report
        self._text: str | None = None
        self._html: str | None = None

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = str(self._report.text(False))
        return self._text

    @property
    def html(self) -> str:
        if self._html is None:
            self._html = str(self._report.html())
        return self._html

    def __getstate__(self) -> dict[str, Any]:
        return {"_report": None, "_text": self.text, "_html": self.html}

    def __deepcopy__(self, memo: dict[int, Any]) -> Rendered:
        return self


@dataclass(frozen=True)
class FileCoverage:
    """What the runs of one file or function covered."""

    file: str
    outcome: str
    """How the best run ended; ``unusable`` if there was none."""
    lines_total: int
    lines_covered: int
    errors: tuple[Error, ...]
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def coverage(self) -> float:
        """Part of the lines that some run reached, from 0 to 1."""
        if not self.lines_total:
            return 0.0 if self.outcome == "unusable" else 1.0
        return self.lines_covered / self.lines_total

    def to_dict(self) -> dict[str, Any]:
        """The file's document of ``surmise cover --json``."""
        return copy.deepcopy(dict(self._document))


@dataclass(frozen=True)
class Coverage:
    """How much of many files can be executed."""

    files: tuple[FileCoverage, ...]
    lines_total: int
    lines_covered: int
    mean_file_coverage: float
    """LExecutor's macro mean: every file counts the same; from 0 to 1."""
    fully_covered: int
    """Files of which every line was reached."""
    completed: int
    """Files whose best run ended without an error."""
    _summary: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def _of(cls, documents: list[dict[str, Any]]) -> Coverage:
        *files, last = documents
        summary = last["summary"]
        return cls(
            files=tuple(
                FileCoverage(
                    file=document["file"],
                    outcome=document.get("outcome", "unusable"),
                    lines_total=document["lines"]["total"] if "lines" in document else 0,
                    lines_covered=document["lines"]["covered"] if "lines" in document else 0,
                    errors=tuple(map(_error, document.get("errors", ()))),
                    _document=document,
                )
                for document in files
            ),
            lines_total=summary["lines_total"],
            lines_covered=summary["lines_covered"],
            mean_file_coverage=summary["mean_file_coverage"],
            fully_covered=summary["fully_covered"],
            completed=summary["completed"],
            _summary=last,
        )

    def to_dict(self) -> dict[str, Any]:
        """The last document of ``surmise cover --json``, with those of the files as ``files``."""
        return {"files": [file.to_dict() for file in self.files], **copy.deepcopy(dict(self._summary))}

    def __repr__(self) -> str:
        lines = f"{self.lines_covered} of {self.lines_total} lines"
        return f"<surmise.Coverage {len(self.files)} files, {lines}, mean {self.mean_file_coverage:.1%}>"


@dataclass(frozen=True)
class Witness:
    """A run in which two versions of a function differ."""

    kind: str
    """What differs: return, exception, output, call, state."""
    old: str
    new: str
    values: tuple[tuple[str, str], ...]
    """Access paths and the values that both versions were given."""


@dataclass(frozen=True)
class FunctionComparison:
    """Two versions of a function."""

    name: str
    path: str
    old_line: int | None
    new_line: int | None
    verdict: str
    """equal, different, possible, unknown, added or removed."""
    reason: str | None
    witness: Witness | None
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The function's document of ``surmise diff --json`` (schema ``surmise.diff/1``)."""
        return copy.deepcopy(dict(self._document))

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.path}:{self.new_line or self.old_line} {self.name} {self.verdict}{reason}"


@dataclass(frozen=True)
class Comparison:
    """The functions that differ between two versions of code."""

    functions: tuple[FunctionComparison, ...]
    _last: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def _of(cls, documents: list[dict[str, Any]]) -> Comparison:
        *functions, last = documents
        return cls(tuple(map(_function, functions)), last)

    @property
    def different(self) -> tuple[FunctionComparison, ...]:
        """Functions that behave differently."""
        return tuple(function for function in self.functions if function.verdict == "different")

    def to_dict(self) -> dict[str, Any]:
        """The last document of ``surmise diff --json``, with those of the functions as ``functions``."""
        return {"functions": [function.to_dict() for function in self.functions], **copy.deepcopy(dict(self._last))}

    def __repr__(self) -> str:
        counts = {verdict: count for verdict, count in self._last["summary"].items() if count}
        text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no functions differ"
        return f"<surmise.Comparison {text}>"


def _error(document: Mapping[str, Any]) -> Error:
    verdict = document["verdict"]
    return Error(
        type=document["type"],
        message=document["message"],
        line=document["line"],
        column=document["column"],
        end_line=document["end_line"],
        end_column=document["end_column"],
        verdict=None if verdict is None else Verdict(verdict),
        depends_on=tuple(Dependence(**entry) for entry in document["depends_on"]),
        function=document["function"],
        passed_over=document["passed_over"],
        hint=document["hint"],
    )


def _injection(document: Mapping[str, Any]) -> Injection:
    return Injection(
        line=document["line"],
        column=document["column"],
        kind=document["kind"],
        name=document["name"],
        value=document["value"],
        class_name=document["class"],
        probability=document["probability"],
        rank=document["rank"],
    )


def _function(document: Mapping[str, Any]) -> FunctionComparison:
    witness = document.get("witness")
    return FunctionComparison(
        name=document["name"],
        path=document["path"],
        old_line=document.get("old_line"),
        new_line=document.get("new_line"),
        verdict=document["verdict"],
        reason=document.get("reason"),
        witness=None
        if witness is None
        else Witness(
            kind=witness["kind"],
            old=witness["old"],
            new=witness["new"],
            values=tuple((entry["path"], entry["value"]) for entry in witness["values"]),
        ),
        _document=document,
    )
