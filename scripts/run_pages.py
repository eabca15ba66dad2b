#!/usr/bin/env python3
"""Runs pages as they are written, each in an empty folder, and compares what they show with what happens.

A fenced block with a title, as in ```python title="shop.py", writes that file. In a `console` block each line that begins
with `$ ` is a command, and the lines up to the next one are what it prints; times in milliseconds may differ. Exit codes: 0
all pages are right; 1 one is not; 2 bad usage. With --update, pages are rewritten to show what happened.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\w*)(?: title=\"(?P<title>[\w./-]+)\")?\s*$")
MILLISECONDS = re.compile(r"\b\d[\d,]*(?:\.\d+)? ms\b")
SECONDS = 120


class Block:
    """A fenced block: the numbers of its lines, without the fences, and what its first line says."""

    def __init__(self, first, lines, language, title):
        self.first, self.lines, self.language, self.title = first, lines, language, title

    def commands(self):
        """Each command with what it is said to print."""
        commands = []
        for line in self.lines:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif commands:
                commands[-1][1].append(line)
            else:
                raise ValueError(f"line {self.first + 1}: the block does not begin with a command")
        return commands


def blocks(text):
    found, opened = [], None
    for number, line in enumerate(text.splitlines()):
        fence = FENCE.match(line)
        if opened is None and fence:
            opened = (fence, number + 1, [])
        elif opened is not None and line.rstrip() == opened[0]["fence"]:
            found.append(Block(opened[1], opened[2], opened[0]["language"], opened[0]["title"]))
            opened = None
        elif opened is not None:
            opened[2].append(line)
    if opened is not None:
        raise ValueError(f"line {opened[1]}: the block does not end")
    return found


def comparable(lines):
    return [MILLISECONDS.sub("N ms", line.rstrip()) for line in lines]


def printed(command, folder, environment):
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
    )
    return ran.stdout.decode().splitlines()


def as_run(page, environment):
    """The text of a page with what its commands print, and the differences from what it says."""
    text = page.read_text()
    lines, differences = text.splitlines(), []
    new = list(lines)
    with tempfile.TemporaryDirectory() as folder:
        shift = 0
        for block in blocks(text):
            if block.title is not None:
                file = pathlib.Path(folder, block.title)
                if pathlib.Path(folder).resolve() not in file.resolve().parents:
                    raise ValueError(f"line {block.first}: `{block.title}` lies outside of the page's folder")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("".join(f"{line}\n" for line in block.lines))
            if block.language != "console":
                continue
            rewritten = []
            for command, said in block.commands():
                happened = [line.rstrip() for line in printed(command, folder, environment)]
                if comparable(said) == comparable(happened):
                    happened = said
                else:
                    where = f"{page}: $ {command}"
                    differences += difflib.unified_diff(said, happened, f"{where} (the page)", where, lineterm="")
                rewritten += [f"$ {command}", *happened]
            start, end = block.first + shift, block.first + shift + len(block.lines)
            new[start:end] = rewritten
            shift += len(rewritten) - len(block.lines)
    return "".join(f"{line}\n" for line in new), differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path, metavar="PAGE", help="Markdown file, or folder of them")
    parser.add_argument(
        "--surmise", type=pathlib.Path, required=True, metavar="FILE", help="the binary that pages call"
    )
    parser.add_argument("--update", action="store_true", help="rewrite the pages to show what happened")
    arguments = parser.parse_args()
    environment = {
        "PATH": f"{arguments.surmise.resolve().parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
    }
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "reader", f"GIT_{who}_EMAIL": "reader@example.invalid"}
    pages = []
    for page in arguments.pages:
        if not page.exists():
            sys.exit(f"error: `{page}` does not exist")
        pages += sorted(page.rglob("*.md")) if page.is_dir() else [page]
    wrong = 0
    for page in pages:
        try:
            text, differences = as_run(page, environment)
        except (ValueError, subprocess.TimeoutExpired) as error:
            print(f"error: {page}: {error}", file=sys.stderr)
            wrong += 1
            continue
        if differences and arguments.update:
            page.write_text(text)
        elif differences:
            print("\n".join(differences))
            wrong += 1
    word = "updated" if arguments.update else "as written"
    print(f"{len(pages) - wrong} of {len(pages)} pages {word}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
