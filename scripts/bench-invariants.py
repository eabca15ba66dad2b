#!/usr/bin/env python3
"""Measures how many conditions hold each time that their places are reached while test suites run.

    scripts/bench-invariants.py --surmise target/release/surmise boltons/*.py -- python3 -m pytest -q tests/test_{stem}.py
    scripts/bench-invariants.py --work ../corpus-work --project flask --project jinja2

In the first form `surmise invariants --validate` runs one test command for each file (`{stem}` is the name of the file
without `.py`). In the second form the sources and environments of `corpora/build.py --stage fetch` are taken. The test
files of each project are halved. From calls that are recorded during one half, conditions are mined as Daikon does it
(mined_conditions.py), and they and the model's are checked during the other half, by one run. A condition that could not
be evaluated at its place did not hold there.

Printed are shares of the conditions that were reached: for the tenth with the least entropy, for the half, for all. The
second form needs pyarrow (corpora/requirements.txt).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from command_line import ROOT, add_surmise, check_surmise, parser_of, print_json

SHARES = {"tenth": 0.1, "half": 0.5, "all": 1.0}


def main() -> int:
    parser = parser_of(__doc__)
    add_surmise(parser)
    parser.add_argument("--entropy", default="4", help="entropy at most, in bits (default: 4)")
    parser.add_argument("--work", type=Path, metavar="DIR", help="work directory of corpora/build.py")
    parser.add_argument("--project", action="append", default=[], help="with --work: a project (repeatable)")
    parser.add_argument("--calls", type=int, default=5, help="least calls to mine from (default: %(default)s)")
    parser.add_argument("--limit-seconds", type=float, default=300, help="for half a suite (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="with --work: print the figures as JSON")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files, then `--` and the test command")
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:at]), arguments[at + 1 :]
    check_surmise(parser, options)
    if options.work:
        if not options.project or options.files or command:
            parser.error("--work takes projects (--project), and no files and no command")
        return suites(options)
    if not options.files or not command:
        parser.error("no files, or no test command: give it after `--`")
    found = []
    for file in options.files:
        found += validated(options, file, [word.replace("{stem}", file.stem) for word in command])
    reached = sorted((one for one in found if one[1] in ("held", "violated")), key=lambda one: one[0])
    print(f"conditions: {len(found)}, reached: {len(reached)}")
    print_shares([(entropy, status == "held") for entropy, status in reached])
    return 0


def print_shares(reached: list[tuple[float, bool]]) -> None:
    for name, (count, entropy, held) in shares(reached).items():
        print(f"{name}: {count} conditions up to {entropy:.2f} bits, held {held:.1f} %")


def shares(reached: list[tuple[float, bool]]) -> dict[str, tuple[int, float, float]]:
    """Of conditions by entropy: how many, the highest entropy, and the percentage that held."""
    reached = sorted(reached)
    parts = {name: reached[: round(len(reached) * share)] for name, share in SHARES.items()}
    held = {name: 100 * sum(held for _, held in part) / len(part) for name, part in parts.items() if part}
    return {name: (len(parts[name]), parts[name][-1][0], percent) for name, percent in held.items()}


def validated(options: argparse.Namespace, file: Path, command: list[str]) -> list[tuple[float, str]]:
    """Entropy and status of each condition of a file; none where it cannot be looked at."""
    limits = ["--entropy", options.entropy]
    line = [options.surmise, "invariants", "--json", *limits, "--validate", str(file), "--", *command]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        print(f"{file}: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return []
    report = json.loads(run.stdout)
    print(f"{file}: {len(report['invariants'])} conditions, suite {report['suite']}", file=sys.stderr, flush=True)
    return [(one["entropy"], one["validated"]["status"]) for one in report["invariants"]]


def suites(options: argparse.Namespace) -> int:
    """The second form."""
    sys.path.insert(0, str(ROOT / "corpora"))
    import manifest
    import suite_conditions
    from places import Places, finished

    places = Places(options.work.resolve())
    known = {project.name: project for project in manifest.load(draft=True)}
    rows = []
    for name in options.project:
        if name not in known or finished(places, known[name], "fetch") is None:
            hint = f"hint: python3 corpora/build.py --work {options.work} --stage fetch --only {name}"
            raise SystemExit(f"error: `{name}` is not in `{options.work}`\n{hint}")
        seconds = options.limit_seconds
        rows += suite_conditions.measured(options.surmise, known[name], places, options.entropy, options.calls, seconds)
    figures = {"all": summary(rows)}
    figures |= {name: summary([row for row in rows if row["project"] == name]) for name in options.project}
    if options.json:
        print_json({"projects": figures, "conditions": rows})
        return 0
    for name, figure in figures.items():
        print(f"\n{name}")
        for kind, own in figure.items():
            print(f"  {kind}: " + ", ".join(f"{key} {value}" for key, value in own.items()))
    return 0


def summary(rows: list[dict]) -> dict[str, dict]:
    """Shares of the model's conditions, of those of whole bodies, and of the mined ones, by template."""
    model = [row for row in rows if row["by"] == "model"]
    templates = [row for row in rows if row["by"] == "templates"]
    figures = {"model": by_entropy(model)}
    figures["model, preconditions"] = by_entropy([row for row in model if row["kind"] == "precondition"])
    figures["templates"] = of(templates)
    for name, is_of in TEMPLATES.items():
        figures[f"templates, {name}"] = of([row for row in templates if is_of(row["condition"])])
    said = {(row["files"][0], row["function"], row["condition"]) for row in model}
    held = [row for row in templates if is_reached(row) and held_always(row)]
    both = sum((row["files"][0], row["function"], row["condition"]) in said for row in held)
    figures["both"] = {"templates that held": len(held), "of these the model's": both}
    return figures


TEMPLATES = {
    "is not None": lambda condition: condition.endswith(" is not None"),
    "is None": lambda condition: condition.endswith(" is None"),
    "isinstance": lambda condition: condition.startswith("isinstance("),
    "truth or length": lambda condition: " " not in condition.removeprefix("not ") or condition.startswith("len("),
    ">= 0": lambda condition: condition.endswith(" >= 0"),
    "values": lambda condition: " == " in condition or " in (" in condition,
}


def is_reached(row: dict) -> bool:
    return sum(row["counts"]) > 0


def held_always(row: dict) -> bool:
    return row["counts"][1] == row["counts"][2] == 0


def of(rows: list[dict]) -> dict:
    reached = [row for row in rows if is_reached(row)]
    held = sum(map(held_always, reached))
    percent = round(100 * held / len(reached), 1) if reached else None
    return {"conditions": len(rows), "reached": len(reached), "held": percent}


def by_entropy(rows: list[dict]) -> dict:
    reached = [(row["entropy"], held_always(row)) for row in rows if is_reached(row)]
    found = of(rows)
    for name, (count, entropy, held) in shares(reached).items():
        found[name] = f"{held:.1f} of {count} up to {entropy:.2f} bits"
    return found


if __name__ == "__main__":
    sys.exit(main())
