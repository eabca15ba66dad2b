#!/usr/bin/env python3
"""Writes the examples that `surmise train --predictor plausibility` learns from: runs of functions, and how real they are.

    scripts/plausibility-examples.py --work ../corpus-work --out ../plausibility -o examples.jsonl

Records the test suites of projects of the splits `train` and `dev`, draws functions, and runs each up to --runs times, as
scripts/bench-fidelity.py does. A line of the result is one function: of its runs with different lines, in their order,
the features (value-model/src/plausibility) and the share of the recorded calls that ran the same lines of its body.
--out keeps recordings and runs: the same command continues after an interruption.

Needs pyarrow (corpora/requirements.txt). Exit code: 0, or 1 if a suite could not be recorded, or 2 for bad usage.
"""

import json
import subprocess
import sys
from pathlib import Path

from command_line import ROOT, add_surmise, check_positive, check_surmise, parser_of, progress, report
from recorded_functions import add_options, check_options, choose, draw, record_lines

sys.path.insert(0, str(ROOT / "corpora"))

import manifest  # noqa: E402
import run  # noqa: E402

SPLITS = ("train", "dev")


def parse_arguments():
    parser = parser_of(__doc__)
    add_options(parser)
    parser.add_argument(
        "--projects", nargs="+", metavar="NAME", help="these (default: all that the work directory has)"
    )
    parser.add_argument("--runs", type=int, default=16, help="of each function (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="where to write the examples")
    add_surmise(parser)
    arguments = parser.parse_args()
    check_surmise(parser, arguments)
    check_options(parser, arguments)
    check_positive(parser, arguments, "limit", "jobs", "runs")
    return parser, arguments


def example(project, row, function, candidates):
    """One line of the result."""
    calls = [frozenset(call) for call in row["calls"]]
    found = {}
    for candidate in candidates:
        lines = frozenset(function.sequence(candidate["covered_lines"]))
        share = sum(call == lines for call in calls) / len(calls)
        found.setdefault(lines, {"features": candidate["features"], "share": share})
    place = {"split": project.split, "project": project.name, "file": row["file"], "function": row["function"]}
    return {**place, "candidates": list(found.values())}


def examples(arguments, project, drawn):
    """The examples of a project's functions, by file and name."""
    paths = sorted({key.split("::")[0] for key in drawn})
    command = [
        str(arguments.surmise),
        "cover",
        "--functions",
        "--alone",
        "--json",
        "--candidates",
        "--predictor",
        "model",
    ]
    command += ["--runs", str(arguments.runs), "--seed", str(arguments.seed), "--jobs", str(arguments.jobs)]
    command += ["--out", str(arguments.out / "guided" / project.name), *paths]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if ended.returncode:
        raise SystemExit(ended.returncode)
    documents = {document.get("file"): document for document in map(json.loads, ended.stdout.splitlines())}
    for key, (function, row) in sorted(drawn.items()):
        if "candidates" in documents.get(key, {}):
            yield example(project, row, function, documents[key]["candidates"])


def main():
    parser, arguments = parse_arguments()
    places, projects = choose(parser, arguments, SPLITS)
    if refused := sorted(project.name for project in projects if project.split not in SPLITS):
        parser.error(f"of another split than {' and '.join(SPLITS)}: {', '.join(refused)}")
    lines, failures = [], []
    for project in projects:
        try:
            record_lines(arguments, places, project)
        except (run.RunError, OSError) as error:
            failures.append(f"{project.name}: {error}")
            continue
        progress(f"{project.name}: its functions")
        drawn, _ = draw(arguments, places, project)
        found = list(examples(arguments, project, drawn)) if drawn else []
        print(f"{project.name} ({project.split}): {len(found)} functions", flush=True)
        lines += [json.dumps(one) for one in found]
    manifest.replace(arguments.output, "\n".join(lines) + "\n")
    return report(failures)


if __name__ == "__main__":
    sys.exit(run.resumable(main))
