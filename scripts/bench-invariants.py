#!/usr/bin/env python3
"""Measures how many predicted conditions hold while a test suite runs: see --help."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

DESCRIPTION = """\
Runs `surmise invariants --validate` on each file, with one test command for all of them or one for each (`{stem}` is the
name of the file without `.py`), and prints the share of conditions that held each time, of those that were reached: for
the tenth with the least entropy, for the half, for all.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="bench-invariants.py",
        description=DESCRIPTION,
        epilog="example:\n  scripts/bench-invariants.py --surmise target/release/surmise boltons/*.py --"
        " python3 -m pytest -q tests/test_{stem}.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--surmise", required=True, help="the binary")
    parser.add_argument("--entropy", default="4", help="entropy at most, in bits (default: 4)")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files, then `--` and the test command")
    arguments = sys.argv[1:]
    if "--" not in arguments:
        parser.error("no test command: give it after `--`")
    at = arguments.index("--")
    options, command = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    found = []
    for file in options.files:
        found += validated(options, file, [word.replace("{stem}", file.stem) for word in command])
    reached = sorted((one for one in found if one[1] in ("held", "violated")), key=lambda one: one[0])
    print(f"conditions: {len(found)}, reached: {len(reached)}")
    for name, share in [("tenth", 0.1), ("half", 0.5), ("all", 1.0)]:
        part = reached[: round(len(reached) * share)]
        held = sum(status == "held" for _, status in part)
        if part:
            print(f"{name}: {len(part)} conditions up to {part[-1][0]:.2f} bits, held {100 * held / len(part):.1f} %")
    return 0


def validated(options: argparse.Namespace, file: Path, command: list[str]) -> list[tuple[float, str]]:
    """Entropy and status of each condition of a file; none where it cannot be looked at."""
    line = [
        options.surmise,
        "invariants",
        "--json",
        "--entropy",
        options.entropy,
        "--validate",
        str(file),
        "--",
        *command,
    ]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        print(f"{file}: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return []
    report = json.loads(run.stdout)
    print(f"{file}: {len(report['invariants'])} conditions, suite {report['suite']}", file=sys.stderr, flush=True)
    return [(one["entropy"], one["validated"]["status"]) for one in report["invariants"]]


if __name__ == "__main__":
    sys.exit(main())
