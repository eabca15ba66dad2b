#!/usr/bin/env python3
"""Measures whether `surmise run` blames what is really wrong: programs with a known error, and programs without one.

    scripts/bench-blame.py                                    # both data sets of ../shared/datasets
    scripts/bench-blame.py --limit 30 --out rows.jsonl        # with a row for each run, to read
    scripts/bench-blame.py --json > figures.json

Each data set is reported by itself:

buggy_programs.jsonl         300 programs with their error, and their fixed versions as programs without an error
codenet_errors_valid.jsonl   the records whose error was reproduced, and --sample of those labelled "No error"

A program with an error that reads its input runs *with input*, too: incomplete, and given the input with which the error was
observed, as ORCA's prompt contains the input of what it predicts. --half keeps half of the problems (programs of one problem stay
together): rules are chosen on one half, and what the other one gives is what they are worth.

scripts/incomplete.py makes each program incomplete: imports, headers of functions and classes, and inputs are removed,
while statements stay on their lines. The program runs once, as a separate file, without standard input. Programs with
an error also run complete, with their call or their input, and so do fixed programs that have a call. Records that do
not parse are skipped and counted; the sample is drawn from those that have text.

Figures of programs with an error (shares of all of them, also of those whose erroneous line was a header or an import
and is gone from the incomplete program):

error     the true class on the true line is among the errors reported as certain or conditional
line      an error of any class is, on the true line
class     an error of the true class is, on any line
any       as `error`, whatever the verdict
certain   as `error`, certain only
first     the first error reported, of whatever verdict, is of the true class on the true line: what a tool that may
          name one error only is measured by

Figures of programs without an error:

alarms    share with an error reported as certain
with cond share with an error reported as certain or conditional

accuracy is the share of all programs of a data set that are judged right: an error is reported, or none is, with certain
and conditional errors (`accuracy`) and with certain ones only (`certain`). UnboundLocalError counts as NameError,
which it is and which it becomes where the function around it is gone.

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
from incomplete import Unusable, make_incomplete
from records import add_program, in_parallel, read_jsonl, report_of

BUGGY = "buggy_programs.jsonl"
CODENET = "codenet_errors_valid.jsonl"
REPORTED = {"certain", "conditional"}
AIMS = "aims: line >= 65 %, accuracy >= 80 %, alarms <= 10 %"
ORCA = "ORCA (GPT-3.5), incomplete code, one error named: statement 47.85 %, accuracy 67.51 %, false positives 25.13 %"


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument(
        "--datasets", type=pathlib.Path, default=DATASETS, help="where the two files are (default: %(default)s)"
    )
    parser.add_argument("--only", choices=["buggy", "codenet"], help="one data set only")
    parser.add_argument("--half", type=int, choices=[1, 2], help="programs of one half of the problems only")
    parser.add_argument("--no-complete", action="store_true", help="leave out the runs of complete programs")
    parser.add_argument("--sample", type=int, default=300, help='"No error" records to take (default: %(default)s)')
    add_options(parser, "--jobs", "--timeout", "--time", "--seed", "--limit")
    parser.add_argument("--runs", type=int, help="runs of a program at most (default: that of the command)")
    parser.add_argument("--predictor", help="as of `surmise run` (default: that of the command)")
    add_surmise(parser)
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="write a row for each run, as JSONL")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "timeout", "time", "limit")
    if arguments.sample < 0:
        parser.error("--sample must not be below 0")
    check_surmise(parser, arguments)
    return parser, arguments


def read_sets(parser, arguments):
    """The programs of each data set, as lists of (record, kind) with kind `buggy`, `fixed` or `no error`."""
    sets = {}
    if arguments.only != "codenet":
        path = arguments.datasets / BUGGY
        records = [record for _, record in read_jsonl(parser, path, ["id", "code", "fixed", "error_class"])]
        records = [record for record in records if is_of_half(record, arguments.half)]
        sets[path.stem] = [(record, "buggy") for record in records[: arguments.limit]]
        sets[path.stem] += [(record, "fixed") for record in records[: arguments.limit]]
    if arguments.only != "buggy":
        path = arguments.datasets / CODENET
        records = [record for _, record in read_jsonl(parser, path, ["id", "error_class"])]
        records = [record for record in records if is_of_half(record, arguments.half)]
        buggy = [record for record in records if record.get("reproduced")]
        whole = [record for record in records if record["error_class"] == "No error" and record.get("code")]
        whole = random.Random(arguments.seed).sample(whole, min(arguments.sample, len(whole)))
        sets[path.stem] = [(record, "buggy") for record in buggy[: arguments.limit]]
        sets[path.stem] += [(record, "no error") for record in whole[: arguments.limit]]
    return sets


def is_of_half(record, half):
    """True for programs of a half of the problems, by a checksum of the problem's name; all where no half is asked for."""
    problem = record.get("problem_id") or record["id"]
    return half is None or zlib.crc32(problem.encode()) % 2 + 1 == half


def programs_of(records, complete):
    """Rows for the programs to run, still without results, and the records that cannot be run."""
    rows, skipped = [], []
    for record, kind in records:
        row = {
            "id": record["id"],
            "kind": kind,
            "true_class": record["error_class"] if kind == "buggy" else None,
            "true_line": record["error_line"] if kind == "buggy" else None,
            "true_message": record.get("error_message") if kind == "buggy" else None,
        }
        source = record["fixed" if kind == "fixed" else "code"]
        try:
            if source is None:
                raise Unusable("no text")
            text, gone = make_incomplete(source)
        except Unusable as error:
            skipped.append({"id": record["id"], "kind": kind, "reason": str(error)})
            continue
        rows.append(row | {"way": "incomplete", "line_gone": row["true_line"] in gone, "code": text, "stdin": None})
        stdin = record.get("stdin") or record.get("trigger_stdin")
        if stdin is not None and kind == "buggy":
            text, gone = make_incomplete(source, keep_input=True)
            rows.append(
                row | {"way": "with input", "line_gone": row["true_line"] in gone, "code": text, "stdin": stdin}
            )
        call = record.get("driver") or record.get("call")
        if complete and (call or stdin is not None) and kind != "no error":
            text = f"{source.rstrip()}\n{call}\n" if call else source
            rows.append(row | {"way": "complete", "line_gone": False, "code": text, "stdin": stdin})
    return rows, skipped


def run(arguments, row, folder):
    """Runs one program and fills in its row."""
    add_program(folder, "program.py", row["code"])
    command = [arguments.surmise, "run", "--json", "--seed", str(arguments.seed)]
    command += ["--timeout", str(arguments.timeout), "--time", str(arguments.time)]
    if arguments.runs is not None:
        command += ["--runs", str(arguments.runs)]
    if arguments.predictor is not None:
        command += ["--predictor", arguments.predictor]
    if row["stdin"] is not None:
        (folder / "stdin.txt").write_text(row["stdin"], encoding="utf-8", newline="")
        command += ["--stdin", "stdin.txt"]
    code, found, failure = report_of([*command, "program.py"], folder, arguments.timeout + arguments.time)
    row |= {"exit": code, "failure": failure, "outcome": None, "runs": 0, "missed": [], "ms": None, "errors": []}
    if found is not None:
        row |= {"outcome": found["outcome"], "runs": found["runs"], "missed": found["lines"]["missed_lines"]}
        row |= {"ms": found["time_ms"]["total"], "errors": found["errors"]}
    if row["true_class"] is not None:
        row["hits"] = hits(row)
    return row


def same_class(one, other):
    names = [name.replace("UnboundLocalError", "NameError") for name in (one, other)]
    return names[0] == names[1]


def hits(row):
    """Which figures the reported errors of a program satisfy."""
    errors = row["errors"]

    def found(errors):
        return any(is_true(error) for error in errors)

    def is_true(error):
        return error["line"] == row["true_line"] and same_class(error["type"], row["true_class"])

    reported = [error for error in errors if error["verdict"] in REPORTED]
    return {
        "error": found(reported),
        "line": any(error["line"] == row["true_line"] for error in reported),
        "class": any(same_class(error["type"], row["true_class"]) for error in reported),
        "any": found(errors),
        "certain": found(error for error in errors if error["verdict"] == "certain"),
        "first": found(errors[:1]),
    }


def share(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def alarmed(row, verdicts):
    return any(error["verdict"] in verdicts for error in row["errors"])


def summarize(rows):
    """Figures of one data set, for its incomplete or its complete programs."""
    buggy = [row for row in rows if row["kind"] == "buggy"]
    right = [row for row in rows if row["kind"] != "buggy"]
    alarms = [row for row in right if alarmed(row, {"certain"})]

    def accuracy(verdicts):
        judged_right = share(alarmed(row, verdicts) == (row["kind"] == "buggy") for row in rows)
        return judged_right if buggy and right else None

    def by_class(of):
        """Number of programs with a certain error, by the class of the error."""
        counts = collections.Counter(
            kind for row in of for kind in {error["type"] for error in row["errors"] if error["verdict"] == "certain"}
        )
        return dict(counts.most_common())

    by_true_class = collections.defaultdict(list)
    for row in buggy:
        by_true_class[row["true_class"]].append(row["hits"])
    return {
        "buggy": len(buggy),
        "line_gone": sum(row["line_gone"] for row in buggy),
        "hits": {key: share(row["hits"][key] for row in buggy) for key in buggy[0]["hits"]} if buggy else {},
        "by_true_class": {
            kind: {"programs": len(of), **{key: sum(hit[key] for hit in of) for key in of[0]}}
            for kind, of in sorted(by_true_class.items(), key=lambda item: -len(item[1]))
        },
        "right": len(right),
        "alarms": share(alarmed(row, {"certain"}) for row in right),
        "alarms_with_conditional": share(alarmed(row, REPORTED) for row in right),
        "alarms_by_class": by_class(alarms),
        "accuracy": accuracy(REPORTED),
        "accuracy_certain": accuracy({"certain"}),
        "failures": sum(row["failure"] is not None for row in rows),
        "seconds": sum(row["ms"] or 0 for row in rows) / 1e3,
    }


def percent(value):
    return f"{value:8.2%}" if value is not None else f"{'-':>8}"


def print_tables(sets):
    keys = ["error", "line", "class", "any", "certain", "first"]
    print(
        f"{'programs':<32} {'buggy':>5} {'gone':>4}"
        + "".join(f" {key:>8}" for key in keys)
        + f"  {'right':>5} {'alarms':>8} {'w. cond':>8}  {'accuracy':>8} {'certain':>8}"
    )
    for name, of_set in sets.items():
        for way, summary in of_set["summary"].items():
            print(
                f"{name.split('_')[0] + ', ' + way:<32} {summary['buggy']:5} {summary['line_gone']:4}"
                + "".join(f" {percent(summary['hits'].get(key))}" for key in keys)
                + f"  {summary['right']:5} {percent(summary['alarms'])} {percent(summary['alarms_with_conditional'])}"
                + f"  {percent(summary['accuracy'])} {percent(summary['accuracy_certain'])}"
            )
    print(AIMS)
    print(ORCA)
    for name, of_set in sets.items():
        for way, summary in of_set["summary"].items():
            print(f"\n{name}, {way}, by true class:")
            print(f"  {'class':<22} {'programs':>8}" + "".join(f" {key:>8}" for key in keys))
            for kind, of in summary["by_true_class"].items():
                print(f"  {kind:<22} {of['programs']:8}" + "".join(f" {of[key]:8}" for key in keys))
            if summary["alarms_by_class"]:
                alarms = ", ".join(f"{kind} {count}" for kind, count in summary["alarms_by_class"].items())
                print(f"  alarms, in programs: {alarms}")
        if of_set["skipped"]:
            print(f"  skipped, without text or not to be parsed: {len(of_set['skipped'])}")


def main():
    parser, arguments = parse_arguments()
    sets, failures = {}, []
    for name, records in read_sets(parser, arguments).items():
        rows, skipped = programs_of(records, not arguments.no_complete)
        sets[name] = {"rows": rows, "skipped": skipped}
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="surmise-blame-")))
        try:
            out = stack.enter_context(open(arguments.out, "w", encoding="utf-8")) if arguments.out else None
        except OSError as error:
            parser.error(f"cannot write `{arguments.out}`: {error}")
        for name, of_set in sets.items():
            rows = of_set["rows"]
            folders = [folder / name / str(number) for number in range(len(rows))]
            for row in in_parallel(arguments.jobs, name, run, [arguments] * len(rows), rows, folders):
                if out is not None:
                    print(json.dumps({"set": name, **row}), file=out, flush=True)
                if row["failure"]:
                    failures.append(f"{name} {row['id']}: {row['failure'].splitlines()[0]}")
    for of_set in sets.values():
        ways = ("with input", "incomplete", "complete")
        chosen = {way: [row for row in of_set["rows"] if row["way"] == way] for way in ways}
        of_set["summary"] = {way: summarize(rows) for way, rows in chosen.items() if rows}
    if arguments.json:
        shown = {name: {"summary": of["summary"], "skipped": of["skipped"]} for name, of in sets.items()}
        settings = {key: getattr(arguments, key) for key in ("timeout", "time", "seed", "sample", "half")}
        print_json({"schema": "surmise.bench-blame/1", **settings, "sets": shown})
    else:
        print_tables(sets)
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
