#!/usr/bin/env python3
"""Writes a script for every record of JSONL files and compares the lines that run under plain Python with ours.

    scripts/bench-script.py                          # functions.jsonl and so_snippets.jsonl of ../shared/datasets
    scripts/bench-script.py --runs 1 --limit 50 FILE.jsonl

Columns:

complete   share of the records whose script reproduces everything, by what `surmise run --script` says
same       of these, share whose lines under plain Python are those of the best run
same all   the same of all records, complete or not

Plain Python runs in namespaces of its own, without network and with read-only files: needs `unshare` (util-linux) and
`libcst`. Exit code: 0, or 1 if Surmise itself failed on any record, or 2 for bad usage.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from command_line import DATASETS, ROOT, add_options, add_surmise, check_positive, check_surmise, parser_of
from records import add_program, in_parallel, read_jsonl, report_of

DEFAULT_FILES = [DATASETS / "functions.jsonl", DATASETS / "so_snippets.jsonl"]
SECONDS = 20
MARK = ", untouched"
# All mounts read-only, a scratch folder for the program, limits on what it may take; then Python.
ISOLATE = """
import ctypes, os, resource, shutil, sys
libc = ctypes.CDLL(None, use_errno=True)
class Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace")]
program, script, *rest = sys.argv[1:]
assert libc.mount(None, b"/", None, 1 << 14 | 1 << 18, None) == 0
attributes = Attributes(1, 0, 0, 0)
assert libc.syscall(442, -100, b"/", 0x8000, ctypes.byref(attributes), ctypes.sizeof(attributes)) == 0
text = open(script, "rb").read()
folder = os.path.dirname(script)
assert libc.mount(b"none", folder.encode(), b"tmpfs", 0, b"size=64m") == 0
os.chdir("/")
os.chdir(folder)
open(script, "wb").write(text)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
os.execv(sys.executable, [sys.executable, program, script, *rest])
"""


def parse_arguments():
    parser = parser_of(__doc__, skipped=2)
    add_options(parser, "files", "--field", "--jobs", "--limit")
    parser.add_argument("--runs", type=int, help="runs of each record at most (default: that of surmise)")
    parser.add_argument("--only", action="append", help="take only the record with this id (repeatable)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep snippets and scripts here")
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a record")
    arguments = parser.parse_args()
    check_positive(parser, arguments, "jobs")
    check_surmise(parser, arguments)
    if shutil.which("unshare") is None:
        parser.error("`unshare` was not found: it comes with util-linux")
    arguments.files = arguments.files or DEFAULT_FILES
    return parser, arguments


def plain_lines(script):
    """The snippet's lines that run under plain Python, or None if it did not end."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child"]
    command += [sys.executable, "-c", ISOLATE, str(ROOT / "scripts" / "executed_lines.py"), str(script)]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL, check=False)
        return json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None


def compared(report, source, script):
    """(lines that only plain Python runs, lines that only we do), or None."""
    lines = plain_lines(script)
    if lines is None:
        return None
    text = script.read_text("utf-8", "replace")
    docstring = text.find(MARK)
    above = text[:docstring].count("\n") + 1
    shift = text.count("\n") - source.count("\n")
    before = above - shift  # lines of the snippet in front of the prefix
    own = {line if line <= before else line - shift for line in lines if line <= before or line > above}
    known = set(report["lines"]["covered_lines"]) | set(report["lines"]["missed_lines"])
    best = set(report["best_run"]["covered_lines"])
    return sorted((own & known) - best), sorted(best - own)


def measure(arguments, folder, record):
    name, source = record
    add_program(folder, "snippet.py", source)
    script = folder / "plain" / "script.py"
    script.parent.mkdir()
    command = [str(arguments.surmise), "run", "--json", "--script", "plain/script.py"]
    command += ["--runs", str(arguments.runs)] if arguments.runs else []
    _code, report, failure = report_of([*command, "snippet.py"], folder, SECONDS)
    row = {"id": name, "complete": False, "same": False, "failure": None, "missing": [], "differences": None}
    if report is None or "script" not in report:
        return row | {"failure": failure or "no script"}
    row |= {"complete": report["script"]["complete"], "missing": report["script"]["missing"]}
    row["differences"] = compared(report, source, script)
    return row | {"same": row["differences"] == ([], [])}


def main():
    parser, arguments = parse_arguments()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="surmise-bench-") as temporary:
        for path in arguments.files:
            records = read_jsonl(parser, path, [arguments.field])
            records = [(str(record.get("id", number)), record[arguments.field]) for number, record in records]
            records = [record for record in records if not arguments.only or record[0] in arguments.only]
            records = records[: arguments.limit]
            base = (arguments.keep or pathlib.Path(temporary)).resolve() / path.stem
            rows = []
            folders = [base / re.sub(r"\W", "_", name) for name, _ in records]
            for row in in_parallel(arguments.jobs, path.stem, measure, [arguments] * len(records), folders, records):
                rows.append(row)
                if arguments.json:
                    print(json.dumps(row), flush=True)
            failures += sum(row["failure"] is not None for row in rows)
            if not arguments.json:
                show(path.stem, rows)
    return 1 if failures else 0


def show(label, rows):
    complete = [row for row in rows if row["complete"]]
    same = sum(row["same"] for row in complete)
    print(f"{label}: {len(rows)} records")
    print(f"  complete {len(complete) / len(rows):.1%}   same {same / max(1, len(complete)):.1%} of them", end="")
    print(f"   same all {sum(row['same'] for row in rows) / len(rows):.1%}")
    causes = collections.Counter(cause for row in rows for cause in {kind_of(what) for what in row["missing"]})
    for cause, count in causes.most_common(12):
        print(f"    {count:4}  {cause}")
    for row in rows:
        if row["failure"]:
            print(f"  failure: {row['id']}: {row['failure'].splitlines()[0]}", file=sys.stderr)


def kind_of(what):
    """The kind of a cause: its text without line and names."""
    return re.sub(r"`[^`]*`", "`...`", re.sub(r"^line \d+: ", "", what))[:90]


if __name__ == "__main__":
    sys.exit(main())
