#!/usr/bin/env python3
"""Compares the lines that guided executions of functions run with the lines that real calls of them ran.

    scripts/bench-fidelity.py --work ../corpus-work --out ../fidelity                    # all test projects
    scripts/bench-fidelity.py --work ../corpus-work --out ../fidelity --projects flask --limit 10 --json

Records `surmise trace --lines '*'` of the projects' own test suites, with the sources and environments that
corpora/build.py made (its folder is only read; the suites run in its `sources`, as for build.py). Then draws `--limit`
functions of each project (`--seed`), and runs each as `surmise cover --functions` does: with injected arguments, knowing
of its module only the imports, nothing of the project or its environment importable. With --in-place each runs once more
in its imported module, with its project's environment (`surmise run --function` on the real file). --out keeps recordings
and results: the same command continues after an interruption.

The functions are those with recorded calls and at least two own lines. Excluded are functions of test files, functions
inside functions (no name reaches them), generators and coroutines (a recording ends where they are first suspended),
names that a file has twice, calls of more than 2000 lines, and calls that ran no own line. *Own lines* are the first
lines of the statements of the body, without header, docstring and the bodies of functions and classes inside (a
definition is one line with its decorators). Recorded lines are mapped to them; guided lines are the own lines among
`lines.covered_lines` of `surmise.run/1`.

Each figure is the mean over functions; a run that never reached the body has recall and precision 0:

exact          share of functions whose guided lines are the same set as those of some recorded call
recall         share of a call's lines that the guided run ran, too
precision      share of the guided run's lines that the call ran, too
               "closest": against the recorded call with the best harmonic mean of the two
               "mean": the mean over all recorded calls of the function
               "any": against the union of the recorded calls
prefix         recall and precision of the longest common prefix of the closest call and the guided run, of functions
               without loops that do not name themselves: there lines first run in the order of the text. Elsewhere the
               order of guided lines is not known, and no prefix is measured

ORCA compares a prediction with the one call whose inputs it was given; we choose our inputs, so a run that agrees with
any real call is right, and "closest" is the fair figure. "mean" is the stricter one, nearest to ORCA's in kind: whether
we ran what a real call, not chosen by us, ran; its exact has a ceiling below 100 %, which the row *recorded call* shows.

Rows: each predictor with one run; `x64` the union of up to 64 runs (only "any" applies); *every line*: all own lines,
without running anything; *recorded call*: one real call, drawn by the seed, against the others (functions with two or
more). The second table has only functions with a branch: `if`, a loop, `try` or `match`. Below: the difference in `exact`
between the last predictor and each other one, with an interval of 95 % (drawn again from the functions, pair by pair).

Needs pyarrow (corpora/requirements.txt). Exit code: 0, or 1 if a suite could not be recorded or Surmise failed on any
function, or 2 for bad usage.
"""

import dataclasses
import hashlib
import importlib.util
import json
import random
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command_line import ROOT, add_surmise, check_positive, check_surmise, parser_of, progress, report
from fidelity import SEARCHED, differences, functions, isolated, table
from records import INTERNAL

sys.path.insert(0, str(ROOT / "corpora"))

import manifest  # noqa: E402
import run  # noqa: E402
from places import Places, finished, record  # noqa: E402

# `none` injects no arguments either, and thus calls nothing.
SINGLE = ("naive", "random", "frequency", "model")


@dataclasses.dataclass(frozen=True)
class Recorded(Places):
    """Paths of our own recordings, which are made with the sources and environments of a build."""

    build: Places

    def source(self, project):
        return self.build.source(project)

    def venv(self, project):
        return self.build.venv(project)


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work directory of corpora/build.py")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="keeps recordings and results here")
    parser.add_argument("--projects", nargs="+", metavar="NAME", help="these (default: those of the split `test`)")
    parser.add_argument(
        "--limit", type=int, default=80, help="functions of each project at most (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw and of the runs (default: %(default)s)")
    parser.add_argument("--predictors", default=",".join(SINGLE), help="with one run each (default: %(default)s)")
    parser.add_argument("--searched", default="model", help="with 64 runs as well (default: %(default)s; `` for none)")
    parser.add_argument(
        "--in-place", action="store_true", help="add rows of the predictors for functions in their own modules"
    )
    parser.add_argument("--jobs", type=int, default=1, help="functions at a time (default: %(default)s)")
    parser.add_argument(
        "--limit-seconds",
        type=float,
        default=200,
        help="for one test suite; what it has by then is kept (default: 200)",
    )
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every function's lines")
    arguments = parser.parse_args()
    check_surmise(parser, arguments)
    if importlib.util.find_spec("pyarrow") is None:
        parser.error("pyarrow was not found: python3 -m pip install -r corpora/requirements.txt")
    check_positive(parser, arguments, "limit", "jobs")
    arguments.predictors, arguments.searched = (
        [name for name in text.split(",") if name] for text in (arguments.predictors, arguments.searched)
    )
    if unknown := sorted({*arguments.predictors, *arguments.searched} - set(SINGLE)):
        parser.error(f"no predictor {', '.join(unknown)}: there are {', '.join(SINGLE)}")
    arguments.out = arguments.out.resolve()
    return parser, arguments


def choose(parser, arguments):
    """The requested projects that the work directory has."""
    everything = {project.name: project for project in manifest.load(draft=True)}
    names = arguments.projects or [name for name, project in everything.items() if project.split == "test"]
    if unknown := sorted(set(names) - set(everything)):
        parser.error(f"not in corpora/projects.json: {', '.join(unknown)}")
    places = Recorded(arguments.out, Places(arguments.work.resolve()))
    chosen = [everything[name] for name in names if (places.venv(everything[name]) / "bin" / "python").exists()]
    if not chosen:
        parser.error(f"`{arguments.work}` has none of the projects\nhint: corpora/build.py --work DIR --stage fetch")
    if missing := sorted(set(names) - {project.name for project in chosen}):
        print(f"not built, left out: {', '.join(missing)}", file=sys.stderr)
    return places, chosen


def record_lines(arguments, places, project):
    """Records the test suite of a project, unless a recording exists."""
    if finished(places, project, "trace"):
        return
    progress(f"{project.name}: its tests, {arguments.limit_seconds:.0f} s at most")
    target = places.trace(project)
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [str(arguments.surmise), "trace", "-o", str(target), "--replace", "--no-literals", "--lines", "*"]
    for package in project.packages:
        words += ["--package", package]
    words += ["--python", str(places.venv(project) / "bin" / "python"), "--"]
    words += run.test_words(project, places, "trace")
    found = run.run(project, places, "trace", words, arguments.limit_seconds)
    record(places, project, "trace", {**found, "ok": True})


def calls_of(places, project):
    """Recorded calls as lists of lines by (file, function), and the SHA-256 of each file."""
    import pyarrow.parquet

    folder = places.trace(project)
    files = pyarrow.parquet.read_table(folder / "files.parquet", columns=["file", "sha256"]).to_pylist()
    found = {}
    for batch in pyarrow.parquet.ParquetFile(folder / "lines.parquet").iter_batches():
        for row in batch.to_pylist():
            if not row["cut"]:
                found.setdefault((row["file"], row["function"].replace(".<locals>.", ".")), []).append(row["lines"])
    return found, {row["file"]: row["sha256"] for row in files}


def source_of(places, project, file, sha256):
    """The path of a recorded file, installed or beside its tests; None where nothing has its checksum."""
    roots = [*places.venv(project).glob("lib/python*/site-packages"), places.source(project)]
    for root in [*roots, places.source(project) / "src", places.source(project) / "lib"]:
        path = root / file
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    return None


def is_test(file):
    *folders, name = Path(file).parts
    return name.startswith(("test_", "conftest")) or name.endswith("_test.py") or bool({"test", "tests"} & {*folders})


def eligible(places, project):
    """(path, Function, sequences of its calls) by (file, qualified name)."""
    calls, checksums = calls_of(places, project)
    modules, found = {}, {}
    for (file, name), lines in sorted(calls.items()):
        if is_test(file):
            continue
        if file not in modules:
            path = source_of(places, project, file, checksums.get(file))
            modules[file] = (path, functions(path.read_text(encoding="utf-8")) if path else {})
        path, known = modules[file]
        function = known.get(name)
        if function is None or function.nested or function.suspends or len(function.own) < 2:
            continue
        if sequences := [sequence for sequence in map(function.sequence, lines) if sequence]:
            found[file, name] = (path, function, sequences)
    return found


def draw(arguments, places, project):
    """(Function, row of the results) of each function to run, by its file and name; how many there are to draw from.
    Each gets its module, less all other functions, in a file of its own."""
    found = eligible(places, project)
    names = sorted(found)
    dice = random.Random(f"{arguments.seed} {project.name}")
    taken = sorted(dice.sample(names, min(arguments.limit, len(names))))
    rows = {}
    for file, name in taken:
        path, function, sequences = found[file, name]
        digest = hashlib.sha256(f"{file}::{name}".encode()).hexdigest()[:12]
        snippet = arguments.out / "snippets" / project.name / f"f_{digest}.py"
        manifest.replace(snippet, isolated(path.read_text(encoding="utf-8"), function))
        row = {"project": project.name, "file": file, "function": name, "own": sorted(function.own)}
        row |= {"branch": function.has_branch, "ordered": not function.has_loop and not function.calls_itself}
        row |= {"calls": sequences, "guided": {}, "errors": {}, "failures": {}}
        row |= {"path": str(path), "environment": str(places.venv(project))}
        rows[f"{snippet}::{name}"] = (function, row)
    return rows, len(names)


def guide(arguments, rows, known, predictor, runs):
    """Runs all functions with one predictor, and adds their lines to `rows`."""
    label = predictor if runs == 1 else f"{predictor} x{runs}"
    paths = sorted({key.split("::")[0] for key in rows})
    command = [str(arguments.surmise), "cover", "--functions", "--alone", "--json", "--predictor", predictor]
    command += ["--runs", str(runs), "--seed", str(arguments.seed), "--jobs", str(arguments.jobs)]
    command += ["--out", str(arguments.out / "guided" / label.replace(" ", "-")), *paths]
    progress("")
    print(f"{label}: {len(paths)} functions", file=sys.stderr, flush=True)
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if ended.returncode in (2, 3):
        raise SystemExit(ended.returncode)
    for line in ended.stdout.splitlines():
        document = json.loads(line)
        row = rows.get(document.get("file"))
        if row is None:
            continue
        if "lines" not in document:
            row["failures"][label] = document.get("failure", "no lines")
            continue
        row["guided"][label] = known[document["file"]].sequence(document["lines"]["covered_lines"])
        row["errors"][label] = document["error"]
    for row in rows.values():
        if label not in row["guided"]:
            row["failures"].setdefault(label, f"exit code {INTERNAL}" if ended.returncode else "no result")
    return label


def guide_in_place(arguments, rows, known, predictor):
    """Runs all functions with one predictor in their own modules, and adds their lines to `rows`."""
    label = f"{predictor} in place"
    folder = arguments.out / "guided" / label.replace(" ", "-")
    progress("")
    print(f"{label}: {len(rows)} functions", file=sys.stderr, flush=True)

    def guided(key):
        row = rows[key]
        result = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        if not result.exists():
            command = [str(arguments.surmise), "run", "--json", "--predictor", predictor, "--runs", "1"]
            command += ["--seed", str(arguments.seed), "--python", row["environment"]]
            command += ["--function", row["function"], row["path"]]
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            text = ended.stdout if ended.stdout.startswith("{") else json.dumps({"failure": ended.stderr.strip()})
            manifest.replace(result, text)
        document = json.loads(result.read_text(encoding="utf-8"))
        if "lines" not in document:
            row["failures"][label] = document["failure"]
            return
        row["guided"][label] = known[key].sequence(document["lines"]["covered_lines"])
        row["errors"][label] = document["error"]
        row["in_place"] = document["surroundings"]["in_place"]

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(guided, sorted(rows)))
    return label


def show(title, lines):
    print(f"\n{title}")
    print(f"{'':14} {'':>5}   {'closest':^22}   {'mean':^22}   {'any':^14}   {'prefix':^14}")
    columns = ["exact", "rec.", "prec."] * 2 + ["rec.", "prec."] * 2
    cells = [f"{name:>6}" for name in columns]
    layout = "{} {}  {}   {}  {}  {}   {}  {}   {}  {}"
    print(f"{'':14} {'funs':>5}   " + layout.format(*cells))
    for line in lines:
        values = [value for name, value in line.items() if name not in ("row", "functions")]
        cells = [f"{'-':>6}" if value is None else f"{100 * value:6.1f}" for value in values]
        print(f"{line['row']:14} {line['functions']:5}   " + layout.format(*cells))


def main():
    parser, arguments = parse_arguments()
    places, projects = choose(parser, arguments)
    rows, known, summary, failures = {}, {}, [], []
    for project in projects:
        try:
            record_lines(arguments, places, project)
        except (run.RunError, OSError) as error:
            failures.append(f"{project.name}: {error}")
            continue
        progress(f"{project.name}: its functions")
        drawn, count = draw(arguments, places, project)
        known.update({key: function for key, (function, _) in drawn.items()})
        drawn = {key: row for key, (_, row) in drawn.items()}
        rows.update(drawn)
        calls = sum(len(row["calls"]) for row in drawn.values())
        sets = sum(len({frozenset(call) for call in row["calls"]}) for row in drawn.values())
        lines = statistics.median(len(row["own"]) for row in drawn.values()) if drawn else 0
        capped = finished(places, project, "trace")["capped"]
        summary.append({"project": project.name, "version": project.version, "eligible": count, "functions": len(drawn),
                        "calls": calls, "different_calls": sets, "median_lines": lines, "capped": capped})  # fmt: skip
    configurations = [(name, 1) for name in arguments.predictors] + [(name, SEARCHED) for name in arguments.searched]
    labels = [guide(arguments, rows, known, *configuration) for configuration in configurations] if rows else []
    if arguments.in_place and rows:
        labels += [guide_in_place(arguments, rows, known, name) for name in arguments.predictors]
    everything = list(rows.values())
    failures += [
        f"{row['function']} of {row['project']}, {label}: {text}"
        for row in everything
        for label, text in row["failures"].items()
    ]
    tables = {
        "all": table(everything, labels, arguments.seed),
        "with a branch": table([row for row in everything if row["branch"]], labels, arguments.seed),
    }
    single = labels[: len(arguments.predictors)]
    tables["differences"] = differences(everything, single, arguments.seed)
    if arguments.json:
        document = {"schema": "surmise.bench-fidelity/1", "seed": arguments.seed, "limit": arguments.limit}
        print(json.dumps({**document, "projects": summary, "tables": tables, "functions": everything}))
    else:
        for entry in summary:
            capped = ", suite cut at its limit" if entry["capped"] else ""
            counts = f"{entry['functions']} of {entry['eligible']} functions (median {entry['median_lines']:.0f} lines)"
            counts += f", {entry['calls']} calls, {entry['different_calls']} of different lines"
            print(f"{entry['project']} {entry['version']}: {counts}{capped}")
        compared = tables.pop("differences")
        for title, lines in tables.items():
            show(f"functions: {title} (%)", lines)
        for label, figures in compared.items():
            value, low, high = (100 * figure for figure in figures)
            print(
                f"\nexact (closest, all), {single[-1]} less {label}: {value:+.1f} (95 %: {low:+.1f} to {high:+.1f})",
                end="",
            )
        print()
    return report(failures)


if __name__ == "__main__":
    sys.exit(run.resumable(main))
