#!/usr/bin/env python3
"""Measures CrossHair's `diffbehavior` on the pairs that `bench-diff.py` compares: precision, recall, unknowns, seconds.

    python3 -m venv WORK/environment && WORK/environment/bin/pip install -r scripts/requirements-crosshair.txt
    python3 scripts/bench-crosshair.py WORK --only synthetic
    python3 scripts/bench-crosshair.py WORK --half held-out --seconds 10

CrossHair solves for arguments with Z3; nothing that is missing is made up, so both versions of a function that uses
undefined names raise the same NameError. Results are kept in WORK, by pair and seconds: what is interrupted goes on.
"""

import argparse
import ast
import importlib.util
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from command_line import DATASETS, ROOT
from diff_runs import lines, measure

VERDICTS = {0: "equal", 1: "different"}
GRACE = 20  # seconds beyond the given ones, for starting and stopping
SHOWN = 400  # characters of output that are kept


def bench_diff():
    """The script that knows the pairs."""
    spec = importlib.util.spec_from_file_location("bench_diff", ROOT / "scripts/bench-diff.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(text):
    """The name of the first function of a text; None if there is none, or it does not parse."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    return next((node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))), None)


def compared(given, old, new):
    """What CrossHair says of a pair, in the form that `surmise diff --json` has."""
    names = name_of(old), name_of(new)
    nothing = {"changed_lines": {"covered": 0, "total": 0}, "time_ms": 0.0}
    if None in names:
        return {**nothing, "verdict": "unknown", "reason": "no function that parses"}
    with tempfile.TemporaryDirectory() as folder:
        for module, text in (("version_old", old), ("version_new", new)):
            (Path(folder) / f"{module}.py").write_text(text, encoding="utf-8")
        command = [given.work / "environment/bin/crosshair", "diffbehavior", "--exception_equivalence", "SAME_TYPE"]
        command += ["--per_condition_timeout", str(given.seconds), f"version_old.{names[0]}", f"version_new.{names[1]}"]
        begin = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=given.seconds + GRACE)
            verdict = VERDICTS.get(process.returncode, "unknown")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, verdict = process.communicate()[0], "unknown"
    seconds = time.monotonic() - begin
    return {**nothing, "verdict": verdict, "reason": (output or "")[-SHOWN:].strip(), "time_ms": 1000 * seconds}


def all_compared(given, pairs):
    """The results of pairs by their ids, those that were kept among them."""
    kept = given.work / f"results-{given.seconds:g}.jsonl"
    found = {row["id"]: row["found"] for row in lines(kept)} if kept.exists() else {}
    with open(kept, "a", encoding="utf-8") as file:
        for number, (name, _label, old, new) in enumerate(pairs, 1):
            if name in found:
                continue
            found[name] = compared(given, old, new)
            file.write(json.dumps({"id": name, "found": found[name]}) + "\n")
            file.flush()
            print(f"\r{number} of {len(pairs)}", end="", flush=True)
    print()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path, metavar="WORK", help="folder with the environment; results are kept there")
    parser.add_argument("--datasets", type=Path, default=DATASETS)
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--only", choices=("labels", "synthetic"))
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds for each pair (default: %(default)s)")
    parser.add_argument("--show-errors", action="store_true")
    given = parser.parse_args()
    given.work = given.work.resolve()
    pairs_of = bench_diff()
    if given.only != "labels":
        pairs = pairs_of.synthetic()
        measure("synthetic", pairs_of.labels(pairs), all_compared(given, pairs), given.show_errors)
    if given.only != "synthetic":
        pairs = pairs_of.labelled(given.datasets, given.half)
        title = f"labels, {given.half}"
        measure(title, pairs_of.labels(pairs), all_compared(given, pairs), given.show_errors)


if __name__ == "__main__":
    main()
