#!/usr/bin/env python3
"""Measures which errors `surmise predict --verify` finds by running programs under inputs that fit a description.

Programs are those of codenet_errors_valid.jsonl: complete programs that read standard input, each with a description of
it. A program that is known to fail on a recorded input counts as found if the error that is named first is of the true
class on the true line; the recorded input is not shown to the command. A program labelled "No error" is a false alarm
if any error is named.

An error is named if the report says that the program has it on usual inputs (`typical`). --half keeps half of the
problems (programs of one problem stay together, by the checksum of `scripts/bench-blame.py`): the rules were chosen on
half 1 and on quarter 2, which is of half 2; what quarter 4, the other part of half 2, gives is what they are worth. The
labels "No error" of programs whose strings have lost their spaces in the data set are left out.

found      the first error that is named is of the true class on the true line
hybrid     the same of the report's `named`: where no run raised an error, that is the one that the network is sure of
line       an error that is named is on the true line, whatever its class
any        an error of the true class on the true line was raised under some input
alarms     share of programs without an error for which one is named

UnboundLocalError counts as NameError, which it is. In programs that import a module which is not installed,
that module is stood in for, and what happens after it was used is not named.

Exit code: 0, or 1 if Surmise itself failed on any program, or 2 for bad usage.
"""

import collections
import contextlib
import json
import pathlib
import random
import re
import sys
import tempfile
import time
import zlib

from command_line import (
    DATASETS,
    add_options,
    add_surmise,
    check_positive,
    check_surmise,
    parser_of,
    print_json,
    report,
)
from records import add_program, in_parallel, read_jsonl, report_of

CODENET = "codenet_errors_valid.jsonl"
AIMS = "aims: found >= 75 %, alarms <= 8 %"


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument(
        "--datasets", type=pathlib.Path, default=DATASETS, help="where the file is (default: %(default)s)"
    )
    parser.add_argument("--half", type=int, choices=[1, 2], help="programs of one half of the problems only")
    parser.add_argument(
        "--quarter", type=int, choices=[1, 2, 3, 4], help="programs of one quarter of the problems only"
    )
    parser.add_argument("--sample", type=int, help='"No error" programs to take (default: all)')
    parser.add_argument("--samples", type=int, default=16, help="inputs for each program (default: %(default)s)")
    parser.add_argument("--no-description", action="store_true", help="take what the code reads in place of it")
    add_options(parser, "--jobs", "--timeout", "--seed", "--limit")
    add_surmise(parser)
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="write a row for each program, as JSONL")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "limit", "samples")
    check_surmise(parser, arguments)
    return parser, arguments


def is_of_part(record, arguments):
    checksum = zlib.crc32((record.get("problem_id") or record["id"]).encode())
    return arguments.half in (None, checksum % 2 + 1) and arguments.quarter in (None, checksum % 4 + 1)


def is_damaged(record):
    """True where the data set has lost the spaces of a string: `split(" ")` became `split("")`, which always raises."""
    return re.search(r"""split\((""|'')\)""", record["code"]) is not None


def rows_of(parser, arguments):
    records = [record for _, record in read_jsonl(parser, arguments.datasets / CODENET, ["id", "error_class"])]
    records = [record for record in records if record.get("code") and is_of_part(record, arguments)]
    buggy = [record for record in records if record.get("reproduced")]
    right = [record for record in records if record["error_class"] == "No error" and not is_damaged(record)]
    if arguments.sample is not None:
        right = random.Random(arguments.seed).sample(right, min(arguments.sample, len(right)))
    chosen = buggy[: arguments.limit] + right[: arguments.limit]
    return [
        {
            "id": record["id"],
            "kind": "buggy" if record.get("reproduced") else "right",
            "true_class": record["error_class"],
            "true_line": record["error_line"],
            "description": record.get("description") or "",
            "code": record["code"],
        }
        for record in chosen
    ]


def run(arguments, row, folder):
    add_program(folder, "program.py", row["code"])
    (folder / "description.txt").write_text(row["description"], encoding="utf-8")
    described = [] if arguments.no_description else ["--stdin-description", "description.txt"]
    command = [arguments.surmise, "predict", "--json", "--seed", str(arguments.seed), *described]
    command += [f"--verify={arguments.samples}", "--timeout", str(arguments.timeout)]
    begin = time.monotonic()
    code, found, failure = report_of([*command, "program.py"], folder, arguments.timeout * (arguments.samples + 2))
    row |= {
        "exit": code,
        "failure": failure,
        "errors": [],
        "first": None,
        "input": None,
        "ms": (time.monotonic() - begin) * 1000,
    }
    if found is not None:
        row |= {"errors": found["found"], "first": found["named"], "input": found["inputs"]}
    return row


def same_class(one, other):
    names = [name.replace("UnboundLocalError", "NameError") for name in (one, other)]
    return names[0] == names[1]


def named(row):
    return [error for error in row["errors"] if error["typical"]]


def judge(row):
    errors = named(row)

    def is_true(error):
        return error["line"] == row["true_line"] and same_class(error["type"], row["true_class"])

    return {
        "alarm": bool(errors),
        "found": bool(errors) and is_true(errors[0]),
        "hybrid": row["first"] is not None and is_true(row["first"]),
        "line": any(error["line"] == row["true_line"] for error in errors),
        "any": any(is_true(error) for error in row["errors"]),
    }


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def summarize(rows):
    buggy = [judge(row) for row in rows if row["kind"] == "buggy"]
    right = [row for row in rows if row["kind"] == "right"]
    alarms = [row for row in right if judge(row)["alarm"]]
    by_class = collections.defaultdict(list)
    for row in rows:
        if row["kind"] == "buggy":
            by_class[row["true_class"]].append(judge(row)["found"])
    return {
        "buggy": len(buggy),
        "found": mean(hit["found"] for hit in buggy),
        "hybrid": mean(hit["hybrid"] for hit in buggy),
        "line": mean(hit["line"] for hit in buggy),
        "any": mean(hit["any"] for hit in buggy),
        "right": len(right),
        "alarms": mean(judge(row)["alarm"] for row in right),
        "hybrid_alarms": mean(row["first"] is not None for row in right),
        "alarms_by_class": dict(collections.Counter(named(row)[0]["type"] for row in alarms).most_common()),
        "by_class": {kind: [sum(hits), len(hits)] for kind, hits in sorted(by_class.items())},
        "failures": sum(row["failure"] is not None for row in rows),
        "mean_ms": mean(row["ms"] for row in rows if row["ms"] is not None),
    }


def percent(value):
    return f"{value:.1%}" if value is not None else "-"


def print_summary(summary):
    print(
        f"programs that fail {summary['buggy']}: found {percent(summary['found'])}, line {percent(summary['line'])}",
        end="",
    )
    print(f", any {percent(summary['any'])}")
    print(f"programs that do not {summary['right']}: alarms {percent(summary['alarms'])} {summary['alarms_by_class']}")
    print(f"hybrid: found {percent(summary['hybrid'])}, alarms {percent(summary['hybrid_alarms'])}")
    print("found by class: " + ", ".join(f"{kind} {hits} of {of}" for kind, (hits, of) in summary["by_class"].items()))
    print(f"mean {summary['mean_ms']:.0f} ms a program")
    print(AIMS)


def main():
    parser, arguments = parse_arguments()
    rows, failures = rows_of(parser, arguments), []
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="surmise-inputs-")))
        try:
            out = stack.enter_context(open(arguments.out, "w", encoding="utf-8")) if arguments.out else None
        except OSError as error:
            parser.error(f"cannot write `{arguments.out}`: {error}")
        folders = [folder / str(number) for number in range(len(rows))]
        done = []
        for row in in_parallel(arguments.jobs, "inputs", run, [arguments] * len(rows), rows, folders):
            done.append(row)
            if out is not None:
                print(json.dumps(row), file=out, flush=True)
            if row["failure"]:
                failures.append(f"{row['id']}: {row['failure'].splitlines()[0]}")
    summary = summarize(done)
    if arguments.json:
        settings = {key: getattr(arguments, key) for key in ("half", "quarter", "samples", "seed", "timeout")}
        print_json({"schema": "surmise.bench-inputs/1", **settings, "summary": summary})
    else:
        print_summary(summary)
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
