#!/usr/bin/env python3
"""Trains all networks that predict errors alike, and measures them: the paper's table of networks, on our labels.

    scripts/bench-networks.py --labels labels-000.jsonl --labels labels-originals.jsonl --work ../networks
    scripts/bench-networks.py ... --only exception-ipa-gnn transformer --fusion docstring none

Each network is trained by the example `train-errors` (built with `--features torch`) from the same programs in the same
order with the same options, with descriptions as a docstring and without. What is done is not done again; a training
that was stopped goes on where it was.

Mutants: balanced programs of the part that chooses the weights, mutants among them. Balanced: the held-out programs
that people wrote, as many without an error as with one. Originals: all of these.

Exit code: 0, or 1 if a training failed.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from command_line import ROOT, check_positive, parser_of, print_json, report

NETWORKS = [
    "exception-ipa-gnn",
    "ipa-gnn",
    "ggnn",
    "lstm",
    "transformer",
    "mil-log-sum-exp",
    "mil-max",
    "mil-mean",
]
FUSIONS = ["docstring", "film", "cross-attention", "none"]
# Parts of the result, with the figures of each that the table has.
PARTS = {
    "dev_balanced": ["weighted_f1", "error_or_none", "localization"],
    "held_out_originals_balanced": ["accuracy", "weighted_f1", "error_or_none", "localization"],
    "held_out_originals": ["accuracy", "error_or_none"],
}
HEAD = [
    "mutants: F1",
    "error or none",
    "line",
    "balanced: accuracy",
    "F1",
    "error or none",
    "line",
    "originals: accuracy",
    "error or none",
]


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("--labels", action="append", required=True, type=pathlib.Path, help="labelled programs")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="where networks and results are kept")
    parser.add_argument("--only", nargs="+", choices=NETWORKS, default=NETWORKS, metavar="NETWORK", help="of them all")
    parser.add_argument("--fusion", nargs="+", choices=FUSIONS, default=["docstring", "none"], help="of descriptions")
    parser.add_argument(
        "--trainer",
        type=pathlib.Path,
        default=ROOT / "target" / "release" / "examples" / "train-errors",
        help="the example (default: %(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time, a core each (default: %(default)s)")
    parser.add_argument("--options", default="", help="further options of the trainer, in one text")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs")
    if not os.access(arguments.trainer, os.X_OK):
        hint = "cargo build --release -p surmise-errors --features torch --example train-errors"
        parser.error(f"no trainer at `{arguments.trainer}`\nhint: {hint}")
    return arguments


def train(arguments, network, fusion):
    """Trains and measures a network. Returns its figures, or what went wrong."""
    folder = arguments.work / f"{network}-{fusion}"
    result = folder / "figures.json"
    if not result.exists():
        folder.mkdir(parents=True, exist_ok=True)
        labels = [part for path in arguments.labels for part in ("--labels", path)]
        command = [arguments.trainer, *labels, "-o", folder, "--network", network, "--fusion", fusion]
        with (folder / "log").open("w") as log:
            done = subprocess.run([*command, *arguments.options.split()], stdout=log, stderr=log, check=False)
        if done.returncode != 0 or not result.exists():
            last = (folder / "log").read_text().strip().splitlines()[-1:]
            return None, f"{network}, {fusion}: {''.join(last)}"
    return json.loads(result.read_text()), None


def row(found):
    # Others say of the whole program whether it raises an error, and not where.
    has_lines = found["network"].endswith("ipa-gnn") or found["network"].startswith("mil-")
    share = lambda part, figure: f"{100 * found[part][figure]:.1f}" if figure != "localization" or has_lines else ""  # noqa: E731
    cells = [share(part, figure) for part, figures in PARTS.items() for figure in figures]
    return f"| {found['network']} | {found['fusion']} | " + " | ".join(cells) + " |"


def main():
    arguments = parse_arguments()
    jobs = [(network, fusion) for fusion in arguments.fusion for network in arguments.only]
    # Film and cross-attention are for networks with an instruction pointer.
    jobs = [job for job in jobs if job[1] in ("docstring", "none") or job[0].endswith("ipa-gnn")]
    rows, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for found, failure in pool.map(lambda job: train(arguments, *job), jobs):
            if failure:
                failures.append(failure)
                continue
            rows.append(found)
            print(row(found), file=sys.stderr, flush=True)
    if arguments.json:
        print_json(rows)
    else:
        print(f"| network | descriptions | {' | '.join(HEAD)} |")
        print(f"|---|---|{'---:|' * len(HEAD)}")
        print("\n".join(row(found) for found in rows))
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
