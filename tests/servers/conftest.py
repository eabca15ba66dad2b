"""What the tests of both servers share: the binary, and a repository whose last commit differs from the file."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

BINARY = os.environ["SURMISE_BINARY"]

AT_HEAD = """\
def price(count, single):
    if count > 10:
        return count * single * 0.9
    return count * single


def untouched(text):
    return text.strip()
"""

NOW = AT_HEAD.replace("0.9", "0.8")


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> pathlib.Path:
    """A file in a Git repository, changed since the last commit."""
    folder = tmp_path / "repository"
    folder.mkdir()
    file = folder / "prices.py"

    def git(*arguments: str) -> None:
        settings = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)

    file.write_text(AT_HEAD)
    git("init", "--quiet")
    git("add", "prices.py")
    git("commit", "--quiet", "--message", "prices")
    file.write_text(NOW)
    return file


def descendants(process: int) -> set[int]:
    """The processes below one, as /proc has them."""
    parents: dict[int, int] = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name in parentheses may contain anything.
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
    found: set[int] = set()
    new = {process}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def is_running(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
