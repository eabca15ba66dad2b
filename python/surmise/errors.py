"""Exceptions and warnings of the package. Errors of the code that runs are results, not exceptions."""

from __future__ import annotations


class SurmiseError(Exception):
    """Base class of the package's exceptions.

    ``hint`` says what to do about it, where that is known.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class UsageError(SurmiseError, ValueError):
    """An argument is wrong, or a file cannot be read."""


class SandboxError(SurmiseError):
    """This machine refuses a step of the sandbox; ``surmise doctor`` shows which."""


class RecordingError(SurmiseError):
    """A recording could not be made."""


class InternalError(SurmiseError):
    """Surmise itself failed."""


class SurmiseWarning(UserWarning):
    """Something that the user should know, after which work goes on."""
