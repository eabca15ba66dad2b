"""Runs Python that cannot be run: what is missing is predicted by a model of real executions, and injected.

    >>> import surmise
    >>> result = surmise.run("print(greeting + name)")
    >>> result.outcome
    'completed'

The code runs in sandboxed processes of its own, never in this interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surmise._surmise import __version__
    from surmise.commands import cover, diff
    from surmise.errors import (
        InternalError,
        RecordingError,
        SandboxError,
        SurmiseError,
        SurmiseWarning,
        UsageError,
    )
    from surmise.prediction import ClassProbability, Prediction, predict
    from surmise.recording import Trace, trace
    from surmise.results import (
        Comparison,
        Coverage,
        Dependence,
        Error,
        FileCoverage,
        FunctionComparison,
        Injection,
        RunResult,
        Verdict,
        Witness,
    )
    from surmise.running import run

__all__ = [
    "ClassProbability",
    "Comparison",
    "Coverage",
    "Dependence",
    "Error",
    "FileCoverage",
    "FunctionComparison",
    "Injection",
    "InternalError",
    "Prediction",
    "RecordingError",
    "RunResult",
    "SandboxError",
    "SurmiseError",
    "SurmiseWarning",
    "Trace",
    "UsageError",
    "Verdict",
    "Witness",
    "__version__",
    "cover",
    "diff",
    "predict",
    "run",
    "trace",
]

_MODULES = {
    "_surmise": ["__version__"],
    "commands": ["cover", "diff"],
    "errors": ["InternalError", "RecordingError", "SandboxError", "SurmiseError", "SurmiseWarning", "UsageError"],
    "prediction": ["ClassProbability", "Prediction", "predict"],
    "recording": ["Trace", "trace"],
    "results": [
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
    ],
    "running": ["run"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a module of the package when something of it is first used: the import of the package stays fast."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'surmise' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"surmise.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """Adds the cell magic ``%%surmise``; called by ``%load_ext surmise``."""
    from surmise import notebook

    notebook.register(shell)
