#!/usr/bin/env python3
"""Assembles the pages of the documentation site, for MkDocs: those of the repository, and the references.

Pages keep their places, so that links between them hold in the repository and on the site. The reference of the command
line is what the commands say themselves; that of the Python package is left to mkdocstrings.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = [
    "README.md",
    "ARCHITECTURE.md",
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
    "corpora/diff/README.md",
    "python/README.md",
    "value-model/MODEL_CARD.md",
    "value-model/TRAINING.md",
]
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.M)

PYTHON = """\
# Python reference

::: surmise
    options:
      members: [run, cover, diff, predict, trace]

::: surmise.results

::: surmise.prediction

::: surmise.recording

::: surmise.errors
"""


def helped(binary, *command):
    """What a command says of itself, as wide as a page."""
    asked = [binary, *command, "--help"]
    return subprocess.run(asked, check=True, capture_output=True, text=True, env={"COLUMNS": "80"}).stdout.rstrip()


def command_line(binary):
    own = helped(binary)
    page = ["# Command line", "", "```text", own, "```"]
    commands = own.partition("Commands:")[2].partition("Options:")[0]
    for command in COMMAND.findall(commands):
        if command != "help":
            page += ["", f"## surmise {command}", "", "```text", helped(binary, command), "```"]
    return "\n".join(page) + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surmise", type=pathlib.Path, required=True, metavar="FILE", help="the binary")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR", help="folder for the pages")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    shutil.copytree(ROOT / "docs", arguments.out / "docs")
    for page in PAGES:
        target = arguments.out / page
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / page, target)
    write(arguments.out / "reference" / "command-line.md", command_line(arguments.surmise.resolve()))
    write(arguments.out / "reference" / "python.md", PYTHON)
    return 0


if __name__ == "__main__":
    sys.exit(main())
