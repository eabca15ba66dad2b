#!/usr/bin/env python3
"""Measures which errors `surmise run --stdin-description` finds by running programs under inputs that fit a description.

Programs are those of codenet_errors_valid.jsonl: complete programs that read standard input, each with a description of
it. A program that is known to fail on a recorded input counts as found if the error that is named first is of the true
class on the true line; the recorded input is not shown to the command. A program labelled "No error" is a false alarm
if any error is named.

An error is named if it was raised under at least --share of the inputs that were tried. --half keeps half of the
problems (programs of one problem stay together, by the checksum of `scripts/bench-blame.py`): the rules were chosen on
half 1, and what half 2 gives is what they are worth.

found      the first error that is named is of the true class on the true line
line       an error that is named is on the true line, whatever its class
any        an error of the true class on the true line was raised under some input
alarms     share of programs without an error for which one is named

UnboundLocalError counts as NameError, which it is. Programs that import a module which is not installed cannot be run
as they are: their `ModuleNotFoundError` is this machine's and is not named; they are counted as `not installed`.

Exit code: 0, or 1 if Surmise itself failed on any program, or 2 for bad usage.
"""

import collections
import contextlib
import json
import pathlib
import random
import sys
import tempfile
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
    parser.add_argument("--sample", type=int, help='"No error" programs to take (default: all)')
    parser.add_argument("--share", type=float, default=0.5, help="share of inputs (default: %(default)s)")
    parser.add_argument("--samples", type=int, default=12, help="inputs for each program (default: %(default)s)")
    parser.add_argument("--no-description", action="store_true", help="take what the code reads in place of it")
    add_options(parser, "--jobs", "--timeout", "--time", "--seed", "--limit")
    add_surmise(parser)
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="write a row for each program, as JSONL")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "time", "limit", "samples")
    if not 0 < arguments.share <= 1:
        parser.error("--share must be above 0 and at most 1")
    check_surmise(parser, arguments)
    return parser, arguments


def half_of(record):
    problem = record.get("problem_id") or record["id"]
    return zlib.crc32(problem.encode()) % 2 + 1


def rows_of(parser, arguments):
    records = [record for _, record in read_jsonl(parser, arguments.datasets / CODENET, ["id", "error_class"])]
    records = [record for record in records if record.get("code") and arguments.half in (None, half_of(record))]
    buggy = [record for record in records if record.get("reproduced")]
    right = [record for record in records if record["error_class"] == "No error"]
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
    described = "code" if arguments.no_description else "description.txt"
    command = [arguments.surmise, "run", "--json", "--predictor", "none", "--no-drive", "--seed", str(arguments.seed)]
    command += ["--timeout", str(arguments.timeout), "--time", str(arguments.time)]
    command += ["--stdin-description", described, "--stdin-samples", str(arguments.samples), "program.py"]
    code, found, failure = report_of(command, folder, arguments.timeout + arguments.time)
    row |= {"exit": code, "failure": failure, "errors": [], "input": None, "ms": None}
    if found is not None:
        row |= {"errors": found["errors"], "input": found.get("sampled_input"), "ms": found["time_ms"]["total"]}
    return row


def same_class(one, other):
    names = [name.replace("UnboundLocalError", "NameError") for name in (one, other)]
    return names[0] == names[1]


def share_of(error):
    inputs = error.get("inputs")
    # One input gives no share: it is all that the grammar has.
    return inputs["raised"] / inputs["tried"] if inputs else 1.0


def is_of_machine(error):
    return error["type"] == "ModuleNotFoundError"


def named(row, share):
    errors = [error for error in row["errors"] if not is_of_machine(error) and share_of(error) >= share]
    return sorted(errors, key=lambda error: -share_of(error))


def judge(row, share):
    errors = named(row, share)

    def is_true(error):
        return error["line"] == row["true_line"] and same_class(error["type"], row["true_class"])

    return {
        "alarm": bool(errors),
        "found": bool(errors) and is_true(errors[0]),
        "line": any(error["line"] == row["true_line"] for error in errors),
        "any": any(is_true(error) for error in row["errors"]),
    }


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def summarize(rows, share):
    buggy = [judge(row, share) for row in rows if row["kind"] == "buggy"]
    right = [row for row in rows if row["kind"] == "right"]
    alarms = [row for row in right if judge(row, share)["alarm"]]
    origins = collections.Counter(row["input"]["origin"] if row["input"] else "none" for row in rows)
    by_class = collections.defaultdict(list)
    for row in rows:
        if row["kind"] == "buggy":
            by_class[row["true_class"]].append(judge(row, share)["found"])
    return {
        "buggy": len(buggy),
        "found": mean(hit["found"] for hit in buggy),
        "line": mean(hit["line"] for hit in buggy),
        "any": mean(hit["any"] for hit in buggy),
        "right": len(right),
        "alarms": mean(judge(row, share)["alarm"] for row in right),
        "alarms_by_class": dict(collections.Counter(named(row, share)[0]["type"] for row in alarms).most_common()),
        "by_class": {kind: [sum(hits), len(hits)] for kind, hits in sorted(by_class.items())},
        "origins": dict(origins),
        "not_installed": sum(any(map(is_of_machine, row["errors"])) for row in rows),
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
    print("found by class: " + ", ".join(f"{kind} {hits} of {of}" for kind, (hits, of) in summary["by_class"].items()))
    print(f"grammars: {summary['origins']}; not installed: {summary['not_installed']}; mean {summary['mean_ms']} ms")
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
    summary = summarize(done, arguments.share)
    if arguments.json:
        settings = {key: getattr(arguments, key) for key in ("half", "share", "samples", "seed", "timeout", "time")}
        print_json({"schema": "surmise.bench-inputs/1", **settings, "summary": summary})
    else:
        print_summary(summary)
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
