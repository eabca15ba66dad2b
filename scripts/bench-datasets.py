#!/usr/bin/env python3
"""Runs every record of JSONL files through `surmise run --json` and prints what was covered.

    scripts/bench-datasets.py                          # functions.jsonl and so_snippets.jsonl of ../shared/datasets
    scripts/bench-datasets.py --predictor naive --limit 50 FILE.jsonl
    scripts/bench-datasets.py --json > figures.json

Each record runs once with each predictor, as a file of its own and without standard input. Columns:

mean       mean of the files' line coverage (LExecutor's macro mean)
weighted   covered lines of all files over lines of all files
full       share of files with every line covered

A file that does not run at all (a syntax error where nothing may be mended) counts as 0 covered lines of as many as
it has under the other predictors of the same invocation, if any of them ran it. A file without lines counts as
covered. Crashes of Surmise itself (exit code 70, no report, a hang) count as 0 and are listed by record.

Exit code: 0, or 1 if Surmise itself failed on any record, or 2 for bad usage.
"""

import collections
import pathlib
import statistics
import sys
import tempfile
import time

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
from records import INTERNAL, add_program, in_parallel, read_jsonl, report_of

DEFAULT_FILES = [DATASETS / "functions.jsonl", DATASETS / "so_snippets.jsonl"]
PREDICTORS = ["none", "naive", "random", "frequency", "model"]
OUTCOMES = ["completed", "error", "timeout", "killed", "syntax-error"]


def parse_arguments():
    parser = parser_of(__doc__, skipped=2)
    add_options(parser, "files", "--field", "--jobs", "--timeout", "--time", "--seed", "--limit")
    parser.add_argument(
        "--predictor",
        action="append",
        dest="predictors",
        metavar="NAME",
        help=f"repeatable (default: {', '.join(PREDICTORS)})",
    )
    parser.add_argument("--runs", type=int, default=1, help="runs of each record at most (default: %(default)s)")
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, with a row for each record")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "runs", "jobs", "timeout")
    check_surmise(parser, arguments)
    arguments.files = arguments.files or DEFAULT_FILES
    arguments.predictors = list(dict.fromkeys(arguments.predictors or PREDICTORS))
    return parser, arguments


def read_records(parser, path, field, limit):
    """Reads the records of a file as (name, source)."""
    records = read_jsonl(parser, path, [field])
    return [(str(record.get("id", number)), record[field]) for number, record in records[:limit]]


def run(arguments, predictor, name, path):
    """Runs one record with one predictor; returns a row."""
    command = [arguments.surmise, "run", "--json", "--predictor", predictor]
    for name in ("timeout", "seed", "runs", "time"):
        command += [f"--{name}", str(getattr(arguments, name))]
    begin = time.monotonic()
    code, found, failure = report_of([*command, path.name], path.parent, arguments.timeout)
    row = {"id": name, "outcome": None, "error": None, "covered": 0, "total": 0, "injections": 0, "failure": failure}
    row |= {"ms": (time.monotonic() - begin) * 1e3, "run_ms": None, "exit": code}
    if found is None:
        return row
    row |= {
        "outcome": found["outcome"],
        "error": found["error"] and found["error"]["type"],
        "covered": found["lines"]["covered"],
        "total": found["lines"]["total"],
        "injections": len(found["injections"]),
        "run_ms": found["time_ms"]["total"],
        "runs": found["runs"],
        "missed": found["lines"]["missed_lines"],
        "errors": found["errors"],
    }
    return row


def fill_totals(by_predictor):
    """Gives files that did not run the number of lines that they have under other predictors."""
    for rows in zip(*by_predictor.values()):
        most = max(row["total"] for row in rows)
        for row in rows:
            if row["total"] == 0 and (row["failure"] or row["outcome"] == "syntax-error"):
                row["total"] = most


def coverage(row):
    if row["failure"]:
        return 0.0
    if row["total"] == 0:
        return 0.0 if row["outcome"] == "syntax-error" else 1.0
    return row["covered"] / row["total"]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def summarize(rows, seconds):
    shares = [coverage(row) for row in rows]
    lines = sum(row["total"] for row in rows)
    times = [row["ms"] for row in rows]
    own = [row["run_ms"] for row in rows if row["run_ms"] is not None]
    return {
        "files": len(rows),
        "outcomes": {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in OUTCOMES},
        "mean_file_coverage": statistics.fmean(shares),
        "line_coverage": sum(row["covered"] for row in rows if not row["failure"]) / lines if lines else 1.0,
        "fully_covered": sum(share == 1.0 for share in shares) / len(shares),
        "lines_total": lines,
        "median_ms": statistics.median(times),
        "p99_ms": percentile(times, 0.99),
        "median_run_ms": statistics.median(own) if own else None,
        "p99_run_ms": percentile(own, 0.99) if own else None,
        "exit_70": sum(row["exit"] == INTERNAL for row in rows),
        "hangs": sum(row["failure"] == "hang" for row in rows),
        "failures": sum(row["failure"] is not None for row in rows),
        "errors": dict(collections.Counter(row["error"] for row in rows if row["error"]).most_common(8)),
        "seconds": seconds,
    }


def measure(arguments, records, label, folder):
    """Runs everything; returns rows and summaries by predictor."""
    names, count = [name for name, _ in records], len(records)
    paths = [add_program(folder / f"{number:05}", "snippet.py", source) for number, (_, source) in enumerate(records)]
    rows, seconds = {}, {}
    for predictor in arguments.predictors:
        begin = time.monotonic()
        tasks = [arguments] * count, [predictor] * count, names, paths
        rows[predictor] = list(in_parallel(arguments.jobs, f"{label} {predictor}", run, *tasks))
        seconds[predictor] = time.monotonic() - begin
    fill_totals(rows)
    return rows, {predictor: summarize(rows[predictor], seconds[predictor]) for predictor in rows}


def print_table(label, summaries):
    first = next(iter(summaries.values()))
    print(f"{label}: {first['files']} files")
    print(
        f"{'predictor':<10} {'mean':>7} {'weighted':>8} {'full':>6}  {'compl':>5} {'error':>5} {'timeo':>5} {'kill':>4} "
        f"{'syntax':>6}  {'median ms':>9} {'p99 ms':>7}  {'in run':>7} {'p99':>7}  {'exit 70':>7} {'hangs':>5}"
    )
    for predictor, summary in summaries.items():
        outcomes = summary["outcomes"]
        own = [
            f"{summary[key]:7.1f}" if summary[key] is not None else f"{'-':>7}"
            for key in ("median_run_ms", "p99_run_ms")
        ]
        print(
            f"{predictor:<10} {summary['mean_file_coverage']:7.2%} {summary['line_coverage']:8.2%} "
            f"{summary['fully_covered']:6.1%}  {outcomes['completed']:5} {outcomes['error']:5} {outcomes['timeout']:5} "
            f"{outcomes['killed']:4} {outcomes['syntax-error']:6}  {summary['median_ms']:9.0f} {summary['p99_ms']:7.0f}  "
            f"{own[0]} {own[1]}  {summary['exit_70']:7} {summary['hangs']:5}"
        )
    for predictor, summary in summaries.items():
        if summary["errors"]:
            errors = ", ".join(f"{kind} {count}" for kind, count in summary["errors"].items())
            print(f"  errors under {predictor}: {errors}")
    print()


def failures_of(path, rows):
    for predictor, of_predictor in rows.items():
        for row in of_predictor:
            if row["failure"]:
                yield f"{path.name} {row['id']} --predictor {predictor}: {row['failure'].splitlines()[0]}"


def main():
    parser, arguments = parse_arguments()
    # All are read before the first is run: a bad file should not cost minutes.
    sets = [(path, read_records(parser, path, arguments.field, arguments.limit)) for path in arguments.files]
    document = {"schema": "surmise.bench-datasets/1", "timeout": arguments.timeout, "seed": arguments.seed, "sets": []}
    failures = []
    with tempfile.TemporaryDirectory(prefix="surmise-bench-") as folder:
        for number, (path, records) in enumerate(sets):
            rows, summaries = measure(arguments, records, path.stem, pathlib.Path(folder) / str(number))
            failures += failures_of(path, rows)
            if arguments.json:
                document["sets"].append({"file": str(path), "summary": summaries, "rows": rows})
            else:
                print_table(path.name, summaries)
    if arguments.json:
        print_json(document)
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
