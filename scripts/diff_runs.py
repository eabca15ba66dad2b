"""Shared parts of the benchmarks of `surmise diff`: their command line, and running it."""

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

from command_line import DATASETS, ROOT


def diff_parser(doc):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--binary", default=str(ROOT / "target/release/surmise"))
    parser.add_argument("--datasets", type=Path, default=DATASETS)
    parser.epilog = "What follows -- is for `surmise diff`."
    return parser


def parsed(parser):
    """The command line; `options` of `surmise diff` are those after `--`."""
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:at])
    given.options = words[at + 1 :]
    return given


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def documents(given, *words, files=()):
    """What `surmise diff --json` says of each function or record."""
    command = [given.binary, "diff", *map(str, words), "--json", "--jobs", "1", *given.options]
    command += ["--", *files] if files else []
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        raise SystemExit(f"error: the command ended with {ended.returncode}: {ended.stderr}")
    return [document for line in ended.stdout.splitlines() if "name" in (document := json.loads(line))]


def print_seconds(seconds):
    last = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"  seconds    median {statistics.median(seconds):.2f}, 95th percentile {last:.2f}")


def interval(hits, total):
    """95 % bootstrap interval of a share."""
    if not total:
        return "-"
    draw = random.Random(0)
    shares = sorted(sum(draw.random() < hits / total for _ in range(total)) / total for _ in range(2000))
    return f"{shares[50]:.1%} to {shares[1949]:.1%}"


def measure(title, labels, said, show):
    """Prints how what was said of each id fits its label; `unknown` and `possible` count as not different."""
    rows = [(name, label, said[name]) for name, label in labels]
    called = [(name, label) for name, label, found in rows if found["verdict"] == "different"]
    truly = [row for row in rows if row[1] == "different"]
    hits = sum(label == "different" for _name, label in called)
    unknown = sum(found["verdict"] == "unknown" for _name, _label, found in rows)
    equal = [row for row in rows if row[1] == "equal"]
    wrong = sum(found["verdict"] == "different" for _name, _label, found in equal)
    changed = [found["changed_lines"] for _name, _label, found in rows if found["changed_lines"]["total"]]
    covered = sum(row["covered"] for row in changed) / max(1, sum(row["total"] for row in changed))
    print(f"{title}: {len(rows)} cases, {len(truly)} different, {len(equal)} equal")
    print(f"  precision  {hits / max(1, len(called)):.1%} of {len(called)} ({interval(hits, len(called))})")
    print(f"  recall     {hits / max(1, len(truly)):.1%} of {len(truly)} ({interval(hits, len(truly))})")
    print(f"  equal cases called different  {wrong} of {len(equal)}")
    print(f"  unknown    {unknown}")
    print(f"  changed lines covered  {covered:.1%}, until a difference was found")
    print_seconds([found["time_ms"] / 1000 for _name, _label, found in rows])
    if show:
        for name, label, found in rows:
            if (found["verdict"] == "different") != (label == "different"):
                print(f"    {name}: {label}, said {found['verdict']}: {found['reason']}")
                if witness := found.get("witness"):
                    print(f"        old {witness['old']}\n        new {witness['new']}")
