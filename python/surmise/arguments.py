"""Arguments of the functions as those of the command, which checks their values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from surmise.errors import UsageError

Path = Union[str, "os.PathLike[str]"]


def path_of(value: Any, what: str) -> str:
    """The path that an argument names."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{what} must be a path, not {_kind(value)}")
    path = os.fspath(value)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if "\0" in path:
        raise UsageError(f"{what} has a NUL character, which no path has")
    return path


def source_of(code: Any) -> tuple[str | None, str]:
    """Text and name of the code, or None and the path of its file.

    A `str` is the path of a file only if it is a single line and a file is there, or if it ends in `.py`.
    """
    if isinstance(code, os.PathLike):
        return None, path_of(code, "the code")
    if not isinstance(code, str):
        raise UsageError(
            f"the code must be text or a path, not {_kind(code)}", "pass the source as a str, or the path of a file"
        )
    if "\n" not in code and "\0" not in code and len(code) < 4096:
        if os.path.isfile(code):
            return None, code
        if code.endswith(".py"):
            raise UsageError(f"cannot read `{code}`: there is no such file", "end code with a line break")
    if "\0" in code:
        raise UsageError("the code has a NUL character", "give Python source text, not compiled code or an archive")
    return code, "<string>"


def options_of(given: Mapping[str, Any], known: Mapping[str, type]) -> list[str]:
    """Options of the command for keyword arguments; None leaves an option at its default."""
    options: list[str] = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        kind = known[name]
        if value is None:
            continue
        if kind is bool:
            if not isinstance(value, bool):
                raise UsageError(f"{name} must be True or False, not {_kind(value)}")
            options += [option] if value else []
        elif kind is list:
            options += [f"{option}={item}" for item in paths_of(value, name)]
        elif kind is os.PathLike:
            options.append(f"{option}={path_of(value, name)}")
        elif isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
            wanted = {int: "an integer", float: "a number", str: "text"}[kind]
            raise UsageError(f"{name} must be {wanted}, not {_kind(value)}")
        else:
            options.append(f"{option}={_text(value, name)}")
    return options


def settings_of(settings: Any) -> list[str]:
    """Options that say which file with settings counts: the nearest one, a given one, or none."""
    if settings is True:
        return []
    if settings is False:
        return ["--isolated"]
    if not isinstance(settings, (str, os.PathLike)):
        raise UsageError(f"settings must be True, False or the path of a file, not {_kind(settings)}")
    return [f"--config={path_of(settings, 'settings')}"]


def paths_of(value: Any, what: str) -> list[str]:
    """The paths of a sequence, or a single one."""
    if isinstance(value, (str, os.PathLike)):
        return [path_of(value, what)]
    return [path_of(item, what) for item in items_of(value, what)]


def texts_of(value: Any, what: str) -> list[str]:
    """The strings of a sequence, or a single one."""
    items = [value] if isinstance(value, str) else items_of(value, what)
    for item in items:
        if not isinstance(item, str):
            raise UsageError(f"{what} must be text, not {_kind(item)}")
    return [_text(item, what) for item in items]


def items_of(value: Any, what: str) -> Sequence[Any]:
    """The elements of an iterable."""
    try:
        return list(value)
    except TypeError:
        raise UsageError(f"{what} must be a sequence, not {_kind(value)}") from None


def _text(value: Any, what: str) -> str:
    text = str(value)
    if "\0" in text:
        raise UsageError(f"{what} has a NUL character")
    return text


def _kind(value: Any) -> str:
    return f"a value of type {type(value).__name__}"
