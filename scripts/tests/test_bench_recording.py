"""Ratios and limits of scripts/bench-recording.py, and what it makes of programs that fail."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).resolve().parents[1] / "bench-recording.py"
sys.path.insert(0, str(SCRIPT.parent))
specification = importlib.util.spec_from_file_location("bench_recording", SCRIPT)
bench = importlib.util.module_from_spec(specification)
specification.loader.exec_module(bench)

EMPTY = {"cpu": {"python": 1.0, "surmise": 2.0, "dynapyt": 3.0}}


def row(name, python, surmise, dynapyt=None, failures=None, at_limit=None):
    cpu = {"python": python, "surmise": surmise, "dynapyt": dynapyt}
    cpu = {way: seconds for way, seconds in cpu.items() if seconds is not None}
    found = {"name": name, "cpu": cpu, "failures": failures or {}, "events": 10, "at_limit": at_limit}
    return bench.finished_row(found, EMPTY)


class Ratios(unittest.TestCase):
    def test_start_up_is_subtracted_from_each_way(self):
        found = row("a", 3.0, 6.0, 23.0)
        self.assertEqual((found["python_cpu_ms"], found["surmise_ratio"], found["dynapyt_ratio"]), (2000, 2.0, 10.0))

    def test_a_way_at_its_limit_has_a_lower_bound(self):
        found = row("a", 3.0, 6.0, failures={"dynapyt": "timeout"}, at_limit=43.0)
        self.assertEqual((found["dynapyt_ratio"], found["dynapyt_at_least"]), (None, 20.0))
        self.assertEqual((bench.cell(found, "surmise"), bench.cell(found, "dynapyt")), ("2.00x", "> 20x"))

    def test_totals(self):
        rows = [row("a", 3.0, 6.0, 23.0), row("b", 3.0, 10.0, failures={"dynapyt": "timeout"}, at_limit=43.0)]
        found = bench.ratios_of(rows, "surmise")
        self.assertEqual(found, {"median": 3.0, "worst": 4.0, "programs": 2, "lower_bound": False})
        found = bench.ratios_of(rows, "dynapyt")
        self.assertEqual(found, {"median": 15.0, "worst": 20.0, "programs": 2, "lower_bound": True})
        self.assertEqual(bench.total_cell(found, "worst"), "> 20x")

    def test_without_dynapyt(self):
        self.assertIsNone(bench.ratios_of([row("a", 3.0, 6.0)], "dynapyt"))
        self.assertEqual(bench.cell(row("a", 3.0, 6.0), "dynapyt"), "-")
        self.assertEqual(bench.cell(row("a", 3.0, None, failures={"surmise": "exit code 1"}), "surmise"), "failed")


# Played by a script: it runs the command and leaves a summary, as `surmise trace -o DIR` does.
SURMISE = """#!/bin/sh
mkdir -p "$3" && echo '{"events": 5}' > "$3/trace.json"
while [ "$1" != -- ]; do shift; done
shift
"$@"
"""


class Measured(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name).resolve()
        self.surmise = self.work / "surmise"
        self.surmise.write_text(SURMISE)
        self.surmise.chmod(0o755)

    def measure(self, program, *words):
        options = [
            "--surmise",
            self.surmise,
            "--work",
            self.work / "work",
            "--runs",
            "1",
            "--dynapyt-runs",
            "0",
            *words,
        ]
        made = bench.Bench(bench.parse_arguments([*map(str, options), "--programs", "bank"]))
        made.python = Path(sys.executable)
        with mock.patch.object(bench, "PROGRAMS", self.work):
            (self.work / "bank.py").write_text(program)
            made.prepare()
            return bench.measure(made, "bank")

    def test_all_ways_run_and_events_are_read(self):
        found = self.measure("print(1)")
        self.assertEqual((set(found["cpu"]), found["events"], found["failures"]), ({"python", "surmise"}, 5, {}))

    def test_other_output_is_a_failure(self):
        self.surmise.write_text(SURMISE.replace('"$@"', "echo other"))
        self.assertIn("prints something else", self.measure("print(1)")["failures"]["surmise"])

    def test_a_failing_recorder_is_named_with_its_last_word(self):
        self.surmise.write_text("#!/bin/sh\necho no luck >&2\nexit 2\n")
        self.assertEqual(self.measure("print(1)")["failures"]["surmise"], "exit code 2: no luck")

    def test_a_program_that_fails_plain_stops_everything(self):
        with self.assertRaisesRegex(bench.Failure, "hint:"):
            self.measure("raise SystemExit(3)")

    def test_the_time_limit(self):
        self.surmise.write_text("#!/bin/sh\nsleep 20\n")
        self.assertEqual(self.measure("print(1)", "--timeout", "1")["failures"], {"surmise": "timeout"})


class Usage(unittest.TestCase):
    def test_a_binary_that_is_not_there(self):
        done = subprocess.run([sys.executable, str(SCRIPT), "--surmise", "nowhere"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("hint:", done.stderr)

    def test_json_names_its_schema_and_keeps_the_pin(self):
        rows = {"cpu": dict.fromkeys(bench.WAYS, 1.0), "failures": {}, "events": 1, "at_limit": None}
        measured = {bench.EMPTY: {**rows, "cpu": dict.fromkeys(bench.WAYS, 0.5)}, "bank": rows}
        words = ["bench-recording.py", "--surmise", sys.executable, "--programs", "bank", "--json"]
        with (
            mock.patch.object(sys, "argv", words),
            mock.patch.object(bench.Bench, "prepare"),
            mock.patch.object(bench, "measure", lambda _, name: {"name": name, **measured[name]}),
            mock.patch("builtins.print") as said,
        ):
            self.assertEqual(bench.main(), 0)
        document = json.loads(said.call_args[0][0])
        self.assertEqual(
            (document["schema"], document["dynapyt_version"]), ("surmise.bench-recording/1", bench.DYNAPYT)
        )
        self.assertEqual(document["surmise"]["median"], 1.0)


if __name__ == "__main__":
    unittest.main()
