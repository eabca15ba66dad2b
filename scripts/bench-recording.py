#!/usr/bin/env python3
"""Compares what recording costs: CPU-bound programs as plain Python, under `surmise trace`, and under DynaPyt.

    scripts/bench-recording.py --surmise target/release/surmise
    scripts/bench-recording.py --surmise PATH --programs bank queens --runs 5
    scripts/bench-recording.py --surmise PATH --dynapyt-runs 0             # without DynaPyt: minutes less
    scripts/bench-recording.py --surmise PATH --json > figures.json

Each program of executor/benches/programs becomes a module of its own and runs as `python -m NAME`, with the same
interpreter in all three ways, in turn, so that a busy machine slows all of them alike. Columns:

python ms  CPU time, user and system, of the process and its children: the least of all runs, less that of a module
           of one call run in the same way, which is start-up and what `surmise trace` does after the end
surmise    CPU time under `surmise trace --package NAME` over that of Python
dynapyt    the same under DynaPyt; `> N x` where it was stopped at the time limit
events     values that `surmise trace` observed, in millions

DynaPyt instruments the same three kinds of places: reads of names, reads of attributes, results of calls. Its hooks
are in scripts/dynapyt_hooks.py: --hooks Empty do nothing, which is the least that DynaPyt can cost; --hooks Classes
keep the set of classes of each site. `surmise trace` always records all that it can.

Exit code: 0; 1 if a program fails or prints something else under surmise or DynaPyt (the time limit is no failure);
2 for bad usage.
"""

import contextlib
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import venv

from command_line import ROOT, add_surmise, check_surmise, parser_of, print_json, progress, report

PROGRAMS = ROOT / "executor" / "benches" / "programs"
DYNAPYT = "dynapyt==4.1.0"
EMPTY = "empty_module"
# One call, so that DynaPyt instruments it and its start-up is there as well.
EMPTY_SOURCE = "int()\n"
WAYS = ("python", "surmise", "dynapyt")


class Failure(Exception):
    """Raised if nothing can be measured; the message ends with a hint."""


def parse_arguments(words=None):
    parser = parser_of(__doc__)
    names = sorted(path.stem for path in PROGRAMS.glob("*.py"))
    add_surmise(parser)
    parser.add_argument("--programs", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of python and surmise (default: %(default)s)")
    parser.add_argument(
        "--dynapyt-runs", type=int, default=1, metavar="N", help="runs of DynaPyt, half a minute each; 0: leave it out"
    )
    parser.add_argument("--hooks", choices=("Empty", "Classes"), default="Empty", help="DynaPyt's (default: Empty)")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="SECONDS", help="for one run, wall time (default: %(default)s)"
    )
    parser.add_argument(
        "--work",
        type=pathlib.Path,
        default=ROOT / "target" / "bench-recording",
        metavar="DIR",
        help="copies of the programs and the virtual environment with DynaPyt, kept for the next time",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object (schema surmise.bench-recording/1)")
    arguments = parser.parse_args(words)
    if arguments.runs < 1 or arguments.dynapyt_runs < 0 or arguments.timeout <= 0:
        parser.error("--runs and --timeout must be above 0, --dynapyt-runs must not be below it")
    check_surmise(parser, arguments)
    arguments.work = arguments.work.resolve()
    return arguments


class Bench:
    """The folders of the three ways of running, and how a program runs in each."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.ways = WAYS if arguments.dynapyt_runs else WAYS[:2]
        self.folders = {way: arguments.work / way for way in self.ways}
        self.recording = arguments.work / "recording"
        self.python = arguments.work / "venv" / "bin" / "python"

    def prepare(self):
        self.environment()
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / f"{EMPTY}.py").write_text(EMPTY_SOURCE, encoding="utf-8")
            for name in self.arguments.programs:
                shutil.copy(PROGRAMS / f"{name}.py", folder)
        if "dynapyt" in self.folders:
            self.instrument(self.folders["dynapyt"])

    def environment(self):
        """Environment variables, the same for all three ways."""
        marker = self.arguments.work / "venv" / DYNAPYT
        if marker.exists() or ("dynapyt" not in self.folders and self.python.exists()):
            return
        self.arguments.work.mkdir(parents=True, exist_ok=True)
        venv.create(self.python.parent.parent, clear=True, with_pip=True)
        if "dynapyt" in self.folders:
            command = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", DYNAPYT]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                said = done.stdout.decode(errors="replace").strip()
                raise Failure(f"pip cannot install {DYNAPYT}: {said}\nhint: --dynapyt-runs 0 goes without it")
            marker.touch()

    def instrument(self, folder):
        analysis = f"dynapyt_hooks.{self.arguments.hooks}"
        files = sorted(str(path) for path in folder.glob("*.py"))
        command = [self.python, "-m", "dynapyt.instrument.instrument", "--files", *files, "--analysis", analysis]
        done = subprocess.run(command, env=self.variables("dynapyt"), capture_output=True, text=True)
        untouched = [path for path in files if not pathlib.Path(path).with_suffix(".py.orig").exists()]
        if done.returncode != 0 or untouched:
            raise Failure(
                f"DynaPyt cannot instrument {', '.join(untouched) or 'the programs'}: {done.stdout}{done.stderr}"
            )
        # As DynaPyt's own `run_analysis` names the analysis that the instrumented program loads.
        (folder / "dynapyt_analyses-bench.txt").write_text(analysis, encoding="utf-8")

    def variables(self, way):
        variables = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
        if way == "dynapyt":
            hooks = str(pathlib.Path(__file__).resolve().parent)
            variables |= {"PYTHONPATH": hooks, "TMPDIR": str(self.folders[way]), "DYNAPYT_SESSION_ID": "bench"}
        return variables

    def words(self, way, name):
        run = [str(self.python), "-m", name]
        if way != "surmise":
            return run
        command = [str(self.arguments.surmise), "trace", "-o", str(self.recording), "--replace", "--package", name]
        return [*command, "--python", str(self.python), "--", *run]

    def run(self, way, name):
        """One run: `cpu` and `wall` in seconds, what it printed, and why it counts for nothing."""
        before = cpu_of_children()
        process = subprocess.Popen(
            self.words(way, name),
            cwd=self.folders[way],
            env=self.variables(way),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        failure = None
        try:
            stdout, stderr = process.communicate(timeout=self.arguments.timeout)
        except subprocess.TimeoutExpired:
            failure = "timeout"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if failure:
            stdout, stderr = process.communicate()
        elif process.returncode != 0:
            last = stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            failure = f"exit code {process.returncode}: {last[0]}"
        return {"cpu": cpu_of_children() - before, "stdout": stdout, "failure": failure}

    def events(self):
        summary = json.loads((self.recording / "trace.json").read_text(encoding="utf-8"))
        return summary["events"]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(bench, name):
    """The least CPU time of each way, and for ways without one the reason."""
    least, failures, seconds_until_limit = {}, {}, None
    expected, events = None, None
    runs = {"python": bench.arguments.runs, "surmise": bench.arguments.runs, "dynapyt": bench.arguments.dynapyt_runs}
    if name == EMPTY:
        runs = dict.fromkeys(runs, max(3, bench.arguments.runs))
    for number in range(max(runs.values())):
        for way in bench.ways:
            if number >= runs[way] or way in failures:
                continue
            progress(f"{name}: {way} {number + 1}/{runs[way]}")
            done = bench.run(way, name)
            expected = done["stdout"] if expected is None else expected
            if done["failure"] == "timeout":
                seconds_until_limit = done["cpu"]
            if done["failure"] is None and done["stdout"] != expected:
                done["failure"] = "it prints something else than plain Python does"
            if done["failure"]:
                failures[way] = done["failure"]
                continue
            least[way] = min(done["cpu"], least.get(way, math.inf))
            if way == "surmise" and name != EMPTY:
                events = bench.events()
    progress("")
    if "python" in failures or (name == EMPTY and failures):
        raise Failure(
            f"{name} does not run: {failures}\nhint: run it by hand: {' '.join(bench.words('surmise', name))}"
        )
    return {"name": name, "cpu": least, "failures": failures, "events": events, "at_limit": seconds_until_limit}


def finished_row(row, empty):
    """Times less start-up, and ratios; of a way that reached its limit, the ratio is at least that."""
    base = row["cpu"]["python"] - empty["cpu"]["python"]
    ratios = {way: (row["cpu"][way] - empty["cpu"][way]) / base for way in WAYS[1:] if way in row["cpu"]}
    out = {"name": row["name"], "python_cpu_ms": base * 1e3, "events": row["events"], "failures": row["failures"]}
    out |= {f"{way}_ratio": ratios.get(way) for way in WAYS[1:]}
    limited = row["failures"].get("dynapyt") == "timeout"
    out["dynapyt_at_least"] = (row["at_limit"] - empty["cpu"]["dynapyt"]) / base if limited else None
    return out


def cell(row, way):
    ratio = row[f"{way}_ratio"]
    if ratio is not None:
        return f"{ratio:.2f}x"
    if row["failures"].get(way) == "timeout":
        return f"> {row['dynapyt_at_least']:.0f}x" if way == "dynapyt" else "timeout"
    return "failed" if way in row["failures"] else "-"


def ratios_of(rows, way):
    """Median and worst ratio; lower bounds if a way reached its time limit."""
    bounds = [row["dynapyt_at_least"] for row in rows if way == "dynapyt" and row["dynapyt_at_least"] is not None]
    found = [row[f"{way}_ratio"] for row in rows if row[f"{way}_ratio"] is not None] + bounds
    if not found:
        return None
    limited = bool(bounds)
    return {"median": statistics.median(found), "worst": max(found), "programs": len(found), "lower_bound": limited}


def total_cell(total, figure):
    if total is None:
        return "-"
    return f"> {total[figure]:.0f}x" if total["lower_bound"] else f"{total[figure]:.2f}x"


def print_table(rows, empty, totals):
    start = ", ".join(f"{way} {seconds * 1e3:.0f} ms" for way, seconds in empty["cpu"].items())
    print(f"start-up (a module of one call), subtracted: {start}\n")
    print(f"{'program':<14} {'python ms':>9} {'surmise':>9} {'dynapyt':>9} {'events':>9}")
    for row in rows:
        events = "-" if row["events"] is None else f"{row['events'] / 1e6:.1f} M"
        print(
            f"{row['name']:<14} {row['python_cpu_ms']:9.0f} {cell(row, 'surmise'):>9} {cell(row, 'dynapyt'):>9} {events:>9}"
        )
    for figure in ("median", "worst"):
        cells = [total_cell(totals[way], figure) for way in WAYS[1:]]
        print(f"{figure:<14} {'':>9} {cells[0]:>9} {cells[1]:>9}")


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    try:
        bench.prepare()
        empty = measure(bench, EMPTY)
        rows = [finished_row(measure(bench, name), empty) for name in arguments.programs]
    except (Failure, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    totals = {way: ratios_of(rows, way) for way in WAYS[1:]}
    if arguments.json:
        document = {"schema": "surmise.bench-recording/1", "runs": arguments.runs, "hooks": arguments.hooks}
        document |= {"dynapyt_version": DYNAPYT, "dynapyt_runs": arguments.dynapyt_runs, "timeout": arguments.timeout}
        document |= {"startup_cpu_ms": {way: seconds * 1e3 for way, seconds in empty["cpu"].items()}}
        print_json({**document, "programs": rows, **totals})
    else:
        print_table(rows, empty, totals)
    failed = [
        f"{row['name']} under {way}: {failure}"
        for row in rows
        for way, failure in row["failures"].items()
        if (way, failure) != ("dynapyt", "timeout")
    ]
    return report(failed)


if __name__ == "__main__":
    sys.exit(main())
