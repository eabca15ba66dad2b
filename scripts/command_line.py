"""Shared parts of the command lines of the benchmarks."""

import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATASETS = ROOT.parent / "shared" / "datasets"

# Options of the benchmarks that run `surmise run` for each record of data sets.
OPTIONS = {
    "files": dict(nargs="*", type=pathlib.Path, metavar="FILE", help="JSONL files"),
    "--field": dict(default="code", help="the key that holds the source (default: %(default)s)"),
    "--jobs": dict(type=int, default=2, help="runs at a time (default: %(default)s)"),
    "--timeout": dict(type=float, default=5.0, help="seconds for each run (default: %(default)s)"),
    "--time": dict(type=float, default=5.0, help="seconds for all runs of a program (default: %(default)s)"),
    "--seed": dict(type=int, default=0, help="seed of everything random (default: %(default)s)"),
    "--limit": dict(type=int, help="take only the first so many records or programs, to try things"),
}


def parser_of(doc, skipped=1):
    """A parser whose help is a script's doc comment: its first paragraph, and those after `skipped` paragraphs."""
    paragraphs = doc.split("\n\n", skipped)
    return argparse.ArgumentParser(
        description=paragraphs[0], epilog=paragraphs[skipped], formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_surmise(parser):
    parser.add_argument(
        "--surmise",
        type=pathlib.Path,
        default=ROOT / "target" / "release" / "surmise",
        help="the command (default: %(default)s)",
    )


def add_options(parser, *names):
    for name in names:
        parser.add_argument(name, **OPTIONS[name])


def check_positive(parser, arguments, *names):
    """Ends a script that was given a number which is not above 0."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value <= 0:
            parser.error(f"--{name} must be above 0")


def check_surmise(parser, arguments):
    """Ends a script whose command is missing; its path is absolute afterwards, for runs in other folders."""
    if not os.access(arguments.surmise, os.X_OK):
        hint = "hint: build it (`cargo build --release`), or name it by --surmise"
        parser.error(f"no command at `{arguments.surmise}`\n{hint}")
    arguments.surmise = arguments.surmise.resolve()


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def report(failures):
    """Ends the line of the progress and prints what failed; returns the exit code of the script."""
    progress("")
    for failure in failures:
        print(f"failure: {failure}", file=sys.stderr)
    return 1 if failures else 0


def print_json(document):
    print(json.dumps(document, indent=1))
