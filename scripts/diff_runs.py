"""Shared parts of the benchmarks of `surmise diff`: their command line, and running it."""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

from command_line import DATASETS, ROOT


def diff_parser(doc):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target/release/surmise"))
    parser.add_argument("--datasets", type=Path, default=DATASETS)
    parser.add_argument("options", nargs="*", help="for `surmise diff`, after --")
    return parser


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def documents(given, *words):
    """What `surmise diff --json` says of each function or record."""
    command = [given.binary, "diff", *map(str, words), "--json", "--jobs", "1", *given.options]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        raise SystemExit(f"error: the command ended with {ended.returncode}: {ended.stderr}")
    return [document for line in ended.stdout.splitlines() if "name" in (document := json.loads(line))]


def print_seconds(seconds):
    last = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"  seconds    median {statistics.median(seconds):.2f}, 95th percentile {last:.2f}")
