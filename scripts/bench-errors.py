#!/usr/bin/env python3
"""Measures `surmise predict`: which error a program raises and on which line, before anything runs.

    scripts/bench-errors.py                                  # recorded programs of the held-out half of the problems
    scripts/bench-errors.py --labels labels.jsonl            # labelled programs, mutants included, of that half
    scripts/bench-errors.py --pylint --json > figures.json

The recorded programs are those of codenet_errors_valid.jsonl. Programs of one problem stay together: half 2 by a
checksum of the problem's name was not learned from (`train-errors`), and nothing was chosen on it. Each program is
predicted with the description of its input and without; --pylint adds what pylint's findings indicate
(scripts/requirements-errors.txt). Programs that do not parse are skipped and counted.

accuracy       the likeliest class, or none, is the true one
weighted F1    F1 of each error class that occurs, weighted by how often it occurs
error or none  it is right whether there is an error
line           of the programs with an error at a known line, the line ranked first is it
ms             `time_ms` of the report: median and 95th percentile

Natural: all programs, in the data's proportions. Balanced: all programs with an error, and as many without, evenly
drawn from those in the file.

Exit code: 0, or 1 if Surmise failed on any program, or 2 for bad usage.
"""

import ast
import collections
import json
import pathlib
import statistics
import subprocess
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
NONE = "No error"
# pylint's findings that indicate a run-time error.
FINDINGS = {
    "undefined-variable": "NameError",
    "used-before-assignment": "UnboundLocalError",
    "undefined-loop-variable": "NameError",
    "no-member": "AttributeError",
    "import-error": "ModuleNotFoundError",
    "no-name-in-module": "ImportError",
    "not-callable": "TypeError",
    "too-many-function-args": "TypeError",
    "no-value-for-parameter": "TypeError",
    "unexpected-keyword-arg": "TypeError",
    "unsubscriptable-object": "TypeError",
    "unsupported-assignment-operation": "TypeError",
    "unsupported-membership-test": "TypeError",
    "unsupported-binary-operation": "TypeError",
    "invalid-unary-operand-type": "TypeError",
    "invalid-sequence-index": "TypeError",
    "not-an-iterable": "TypeError",
    "bad-string-format-type": "TypeError",
    "unbalanced-tuple-unpacking": "ValueError",
    "unpacking-non-sequence": "TypeError",
    "potential-index-error": "IndexError",
    "bad-format-string": "ValueError",
}


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("--labels", type=pathlib.Path, help="JSON Lines of labelled programs instead")
    parser.add_argument("--half", type=int, choices=[1, 2], default=2, help="half of the problems (default: 2)")
    parser.add_argument("--errors-model", type=pathlib.Path, help="another network than the one that ships")
    parser.add_argument("--pylint", action="store_true", help="measure what pylint finds, too")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    add_surmise(parser)
    add_options(parser, "--jobs", "--limit")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs", "limit")
    check_surmise(parser, arguments)
    return parser, arguments


def parses(code):
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def predict(arguments, folder, number, record, description):
    """Predicts a program. Returns (class, line, milliseconds), or a failure."""
    place = folder / f"{number}-{bool(description)}"
    add_program(place, "program.py", record["code"])
    command = [str(arguments.surmise), "predict", "--json", "program.py"]
    if description:
        command += ["--stdin-description", description]
    if arguments.errors_model:
        command += ["--errors-model", str(arguments.errors_model.resolve())]
    _, found, failure = report_of(command, place, 10)
    if failure:
        return None, failure
    likeliest = max(found["errors"], key=lambda error: error["probability"])
    kind = likeliest["type"] if likeliest["probability"] > found["none"] else NONE
    return (kind, found["lines"][0]["line"] if found["lines"] else None, found["time_ms"]), None


def lint(folder, number, record):
    """What pylint indicates: the class of the first finding in the text, and its line."""
    place = folder / f"{number}-pylint"
    add_program(place, "program.py", record["code"])
    command = [sys.executable, "-m", "pylint", "--disable=all", f"--enable={','.join(FINDINGS)}", "-f", "json"]
    done = subprocess.run([*command, "program.py"], cwd=place, capture_output=True, text=True)
    try:
        findings = sorted(json.loads(done.stdout or "[]"), key=lambda finding: finding["line"])
    except ValueError:
        return None, f"pylint: {done.stderr.strip()[-200:]}"
    findings = [finding for finding in findings if finding["symbol"] in FINDINGS]
    return ((FINDINGS[findings[0]["symbol"]], findings[0]["line"], None) if findings else (NONE, None, None)), None


def balanced(rows):
    """The rows with an error, and as many without, evenly drawn."""
    wrong = [row for row in rows if row[0]["error_class"] != NONE]
    right = [row for row in rows if row[0]["error_class"] == NONE]
    count = min(len(wrong), len(right))
    return wrong[:count] + [right[at * len(right) // count] for at in range(count)] if count else []


def figures(rows):
    """Figures of (record, (class, line, milliseconds)) pairs: percent, and the time."""
    truths = [record["error_class"] for record, _ in rows]
    counts = collections.Counter(truth for truth in truths if truth != NONE)
    f1 = 0.0
    for kind, count in counts.items():
        predicted = sum(found[0] == kind for _, found in rows)
        both = sum(record["error_class"] == found[0] == kind for record, found in rows)
        f1 += 2 * both / (count + predicted) * count / counts.total()
    lines = [(record["error_line"], found[1]) for record, found in rows if record.get("error_line")]
    times = sorted(found[2] for _, found in rows if found[2] is not None)
    share = lambda hits, total: round(100 * hits / total, 1) if total else None  # noqa: E731
    return {
        "programs": len(rows),
        "errors": counts.total(),
        "accuracy": share(sum(record["error_class"] == found[0] for record, found in rows), len(rows)),
        "weighted_f1": round(100 * f1, 1),
        "error_or_none": share(
            sum((record["error_class"] == NONE) == (found[0] == NONE) for record, found in rows), len(rows)
        ),
        "line": share(sum(true == found for true, found in lines), len(lines)),
        "ms": round(statistics.median(times), 1) if times else None,
        "ms_95": round(times[len(times) * 95 // 100], 1) if times else None,
    }


def main():
    parser, arguments = parse_arguments()
    path = arguments.labels or DATASETS / CODENET
    records = [record for _, record in read_jsonl(parser, path, ["id", "error_class"])]
    problem = lambda record: record.get("problem") or record["problem_id"]  # noqa: E731
    records = [record for record in records if zlib.crc32(problem(record).encode()) % 2 + 1 == arguments.half]
    usable = [record for record in records if (record.get("code") or "").strip() and parses(record["code"])]
    usable = usable[: arguments.limit]
    methods = {
        "with description": lambda folder, number, record: predict(
            arguments, folder, number, record, record.get("description") or ""
        ),
        "without": lambda folder, number, record: predict(arguments, folder, number, record, ""),
    }
    if arguments.pylint:
        methods["pylint"] = lint
    failures, results = [], {}
    for name, method in methods.items():
        with tempfile.TemporaryDirectory() as folder:
            work = lambda number, record, folder=folder, method=method: method(pathlib.Path(folder), number, record)  # noqa: E731
            rows = []
            for record, (found, failure) in zip(
                usable, in_parallel(arguments.jobs, name, work, range(len(usable)), usable), strict=True
            ):
                if failure:
                    failures.append(f"{record['id']}: {failure}")
                else:
                    rows.append((record, found))
        results[name] = {"natural": figures(rows), "balanced": figures(balanced(rows))}
    skipped = len(records) - len(usable) if not arguments.limit else 0
    if arguments.json:
        print_json({"data": path.name, "half": arguments.half, "skipped": skipped, "results": results})
    else:
        print(f"{path.name}, half {arguments.half}: {len(usable)} programs, {skipped} skipped\n")
        print(
            "| method | distribution | programs | errors | accuracy | weighted F1 | error or none | line | ms | 95th |"
        )
        print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for name, parts in results.items():
            for part, found in parts.items():
                print(f"| {name} | {part} | " + " | ".join(str(value) for value in found.values()) + " |")
    return report(failures)


if __name__ == "__main__":
    sys.exit(main())
