"""Shared parts of the command lines of the benchmarks."""

import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATASETS = ROOT.parent / "shared" / "datasets"


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


def check_surmise(parser, arguments):
    """Ends a script whose command is missing; its path is absolute afterwards, for runs in other folders."""
    if not os.access(arguments.surmise, os.X_OK):
        hint = "hint: build it (`cargo build --release`), or name it by --surmise"
        parser.error(f"no command at `{arguments.surmise}`\n{hint}")
    arguments.surmise = arguments.surmise.resolve()


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
