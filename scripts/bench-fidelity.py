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

Rows: each predictor with one run; `of 16` the most plausible of up to 16 runs (`plausible_run` of `surmise.run/1`);
`x64` the union of up to 64 runs (only "any" applies); *every line*: all own lines,
without running anything; *recorded call*: one real call, drawn by the seed, against the others (functions with two or
more); with --recorded *recorded: class*, *value* and *answers*: a run on what that call had (scripts/recorded_calls.py),
against the others as well, and below how often it has the lines of the call itself. The second table has only functions
with a branch: `if`, a loop, `try` or `match`; the third has the closest `exact` of each project. Below: the difference in
`exact` between the last predictor and each other one, with an interval of 95 % (drawn again from the functions, pair by
pair) and, of several projects, with a second one for which projects are drawn, and then functions of each.

Needs pyarrow (corpora/requirements.txt). Exit code: 0, or 1 if a suite could not be recorded or Surmise failed on any
function, or 2 for bad usage.
"""

import hashlib
import json
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from command_line import ROOT, add_surmise, check_positive, check_surmise, parser_of, progress, report
from fidelity import SEARCHED, by_project, differences, own_exact, table
from recorded_calls import LEVELS, NoValuesError
from recorded_calls import guide as guide_by_call
from recorded_functions import add_options, check_options, choose, draw, record_lines
from records import INTERNAL

sys.path.insert(0, str(ROOT / "corpora"))

import manifest  # noqa: E402
import run  # noqa: E402
from places import finished  # noqa: E402

# `none` injects no arguments either, and thus calls nothing.
SINGLE = ("naive", "random", "frequency", "model")
# Runs of which the most plausible is taken.
CANDIDATES = 16


def parse_arguments():
    parser = parser_of(__doc__)
    add_options(parser)
    parser.add_argument("--projects", nargs="+", metavar="NAME", help="these (default: those of the split `test`)")
    parser.add_argument("--predictors", default=",".join(SINGLE), help="with one run each (default: %(default)s)")
    parser.add_argument("--searched", default="model", help="with 64 runs as well (default: %(default)s; `` for none)")
    parser.add_argument(
        "--plausible", default="", help="the most plausible of 16 runs as well, of these predictors (default: none)"
    )
    parser.add_argument(
        "--in-place", action="store_true", help="add rows of the predictors for functions in their own modules"
    )
    parser.add_argument("--recorded", action="store_true", help="add rows of runs on the values of one recorded call")
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every function's lines")
    arguments = parser.parse_args()
    check_surmise(parser, arguments)
    check_options(parser, arguments)
    check_positive(parser, arguments, "limit", "jobs")
    arguments.predictors, arguments.plausible, arguments.searched = (
        [name for name in text.split(",") if name]
        for text in (arguments.predictors, arguments.plausible, arguments.searched)
    )
    if unknown := sorted({*arguments.predictors, *arguments.plausible, *arguments.searched} - set(SINGLE)):
        parser.error(f"no predictor {', '.join(unknown)}: there are {', '.join(SINGLE)}")
    return parser, arguments


def guide(arguments, rows, known, predictor, runs):
    """Runs all functions with one predictor, and adds their lines to `rows`."""
    label = {1: predictor, CANDIDATES: f"{predictor} of {runs}"}.get(runs, f"{predictor} x{runs}")
    part = "plausible_run" if runs == CANDIDATES else "lines"
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
        row["guided"][label] = known[document["file"]].sequence(document[part]["covered_lines"])
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


def show_projects(lines, labels):
    print("\nexact (closest, all) of each project (%)")
    widths = [max(6, len(label)) for label in labels]
    print(f"{'':14} {'funs':>5}   " + "  ".join(f"{label:>{width}}" for label, width in zip(labels, widths)))
    for line in lines:
        cells = ["-" if line["exact"][label] is None else f"{100 * line['exact'][label]:.1f}" for label in labels]
        cells = [f"{cell:>{width}}" for cell, width in zip(cells, widths)]
        print(f"{line['project']:14} {line['functions']:5}   " + "  ".join(cells))


def main():
    parser, arguments = parse_arguments()
    places, projects = choose(parser, arguments, ("test",))
    rows, known, summary, failures = {}, {}, [], []
    for project in projects:
        try:
            record_lines(arguments, places, project, arguments.recorded)
        except (run.RunError, OSError) as error:
            failures.append(f"{project.name}: {error}")
            continue
        progress(f"{project.name}: its functions")
        try:
            drawn, count = draw(arguments, places, project, arguments.recorded)
        except NoValuesError as error:
            parser.error(str(error))
        known.update({key: function for key, (function, _) in drawn.items()})
        drawn = {key: row for key, (_, row) in drawn.items()}
        rows.update(drawn)
        calls = sum(len(row["calls"]) for row in drawn.values())
        sets = sum(len({frozenset(call) for call in row["calls"]}) for row in drawn.values())
        lines = statistics.median(len(row["own"]) for row in drawn.values()) if drawn else 0
        capped = finished(places, project, "trace")["capped"]
        summary.append({"project": project.name, "version": project.version, "eligible": count, "functions": len(drawn),
                        "calls": calls, "different_calls": sets, "median_lines": lines, "capped": capped})  # fmt: skip
    configurations = [(name, 1) for name in arguments.predictors]
    configurations += [(name, CANDIDATES) for name in arguments.plausible]
    configurations += [(name, SEARCHED) for name in arguments.searched]
    labels = [guide(arguments, rows, known, *configuration) for configuration in configurations] if rows else []
    if arguments.in_place and rows:
        labels += [guide_in_place(arguments, rows, known, name) for name in arguments.predictors]
    levels = [guide_by_call(arguments, rows, known, level) for level in LEVELS] if arguments.recorded and rows else []
    labels += levels
    everything = list(rows.values())
    for row in everything:
        row.pop("call", None)  # with what was read, which is in the recording
    failures += [
        f"{row['function']} of {row['project']}, {label}: {text}"
        for row in everything
        for label, text in row["failures"].items()
    ]
    tables = {
        "all": table(everything, labels, arguments.seed),
        "with a branch": table([row for row in everything if row["branch"]], labels, arguments.seed),
    }
    single = labels[: len(arguments.predictors) + len(arguments.plausible)]
    tables["differences"], tables["differences over projects"] = differences(everything, single, arguments.seed)
    exact = [label for label in labels if f" x{SEARCHED}" not in label]
    tables["projects"] = by_project(everything, exact, arguments.seed)
    if arguments.json:
        document = {"schema": "surmise.bench-fidelity/1", "seed": arguments.seed, "limit": arguments.limit}
        print(json.dumps({**document, "projects": summary, "tables": tables, "functions": everything}))
    else:
        for entry in summary:
            capped = ", suite cut at its limit" if entry["capped"] else ""
            counts = f"{entry['functions']} of {entry['eligible']} functions (median {entry['median_lines']:.0f} lines)"
            counts += f", {entry['calls']} calls, {entry['different_calls']} of different lines"
            print(f"{entry['project']} {entry['version']}: {counts}{capped}")
        for label in levels:
            exact, count = own_exact(everything, label, arguments.seed)
            print(f"{label}: the lines of the call itself for {100 * exact:.1f} % of {count} functions")
        for title in ("all", "with a branch"):
            show(f"functions: {title} (%)", tables[title])
        show_projects(tables["projects"], exact)
        print()
        for label, figures in tables["differences"].items():
            value, low, high = (100 * figure for figure in figures)
            text = f"{value:+.1f} (95 %: {low:+.1f} to {high:+.1f}"
            if over := tables["differences over projects"].get(label):
                _, low, high = (100 * figure for figure in over)
                text += f"; over projects {low:+.1f} to {high:+.1f}"
            print(f"exact (closest, all), {single[-1]} less {label}: {text})")
    return report(failures)


if __name__ == "__main__":
    sys.exit(run.resumable(main))
