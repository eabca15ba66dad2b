"""What scripts/bench-orca.py makes of rows, and how it goes on after interruptions and failures."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "bench-orca.py"

# Stands for `surmise`: a program's text says what happens at each of its calls. Answers cost a million tokens, and are in
# the cache afterwards, as with `surmise` itself.
COMMAND = """#!{python}
import json, pathlib, sys, time

arguments = sys.argv[1:]
def option(name):
    return arguments[arguments.index(name) + 1] if name in arguments else None
program = pathlib.Path(arguments[-1])
name = program.parent.name
folder = pathlib.Path({folder!r})
calls = folder / (name + ".calls")
call = int(calls.read_text()) if calls.exists() else 0
calls.write_text(str(call + 1))
steps = program.read_text().split()
step = steps[min(call, len(steps) - 1)]
cached = pathlib.Path(option("--llm-cache")) / name
spent = {{"requests": 1, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}}
usage = {{"prompt_tokens": 0, "completion_tokens": 1000000}}
if step == "wait":
    (folder / "waits").write_text("")
    while not (folder / "go").exists():
        time.sleep(0.01)
if step == "refuse":
    print("error: it does not parse", file=sys.stderr)
    sys.exit(2)
limit = option("--llm-cost")
if cached.exists():
    spent |= {{"requests": 0, "cached": 1}}
elif limit is not None and float(limit) < float(option("--llm-price-output")):
    failure = "the question was not sent: it could exceed the limit of a cost of " + limit
    print(json.dumps({{"failure": failure, "spent": spent | {{"requests": 0}}}}))
    sys.exit(2)
elif step == "fail":
    spent |= {{"completion_tokens": 500000, "cost": 0.5 * float(option("--llm-price-output"))}}
    print(json.dumps({{"failure": "the answer broke off", "spent": spent}}))
    sys.exit(2)
else:
    cached.parent.mkdir(exist_ok=True)
    cached.write_text("")
    spent |= {{"completion_tokens": 1000000, "cost": float(option("--llm-price-output"))}}
if step == "die":
    sys.exit(70)
print(json.dumps({{"metrics": {metrics}, "answer_usage": usage, "spent": spent}}))
"""


def load():
    sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("bench_orca", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def metrics(exact, recall, values, line, detection):
    agreement = {"recall": recall, "precision": 1.0}
    level = {"prefix": agreement, "coverage": agreement}
    return {
        "exact_match": exact,
        "statements": level,
        "blocks": level,
        "transitions": agreement,
        "values": values,
        "error_line": line,
        "error_block": line,
        "error_type": line,
        "detection": detection,
    }


def row(*of):
    return {"id": "a", "cost": 0.25, "metrics": metrics(*of)}


class Figures(unittest.TestCase):
    def test_means_are_over_the_programs_that_have_the_figure(self):
        rows = [
            row(True, 1.0, [3, 3], True, "true-positive"),
            row(False, 0.5, [0, 1], False, "false-negative"),
            row(False, 0.0, [0, 0], None, "true-negative"),
            {"id": "b", "cost": 0.0, "failure": "no report"},
            {"id": "c", "cost": 0.0, "metrics": {"is_partial": True, "detection": None}},
        ]
        attempts = [*rows, {"id": "b", "cost": 0.5, "cost_is_unknown": True, "failure": "hang"}]
        figures = load().summed_up(rows, attempts)
        self.assertEqual((figures["programs"], figures["failures"], figures["cost"]), (3, 1, 1.25))
        self.assertEqual((figures["attempts"], figures["attempts of unknown cost"]), (6, 1))
        self.assertEqual(figures["cut traces"], 1, "in no mean")
        self.assertEqual(figures["exact match"], 33.33)
        self.assertEqual((figures["blocks prefix recall"], figures["blocks prefix precision"]), (50.0, 100.0))
        self.assertEqual(figures["values"], 75.0)
        self.assertEqual(figures["error line"], 50.0, "of the two that raise")
        self.assertEqual(figures["detection"], 66.67)

    def test_nothing_has_no_figures(self):
        figures = {
            "programs": 0,
            "cut traces": 0,
            "failures": 0,
            "cost": 0,
            "attempts": 0,
            "attempts of unknown cost": 0,
        }
        self.assertEqual(load().summed_up([], []), figures)

    def test_the_truth_is_written_in_the_asked_form(self):
        symbols = {"n": {"value": "1", "type": "int"}, "text": {"value": "'a'", "type": "str"}}
        symbols["rows"] = {"value": "[1, 2...", "type": "list", "is_cut": True}
        error = {"type": "KeyError", "line": 2, "block": 1}
        executed = {"visits": [{"block": 1, "lines": [1, 2], "symbols": symbols}], "error": error}
        visit = "Block 1:\nLines: 1, 2\nSymbol table: {n: (1, 'int'), text: ('a', 'str')}\n\n"
        self.assertEqual(load().truth(executed), visit + "Error: KeyError in Block 1, line 2\n<STOP>\n")
        self.assertEqual(load().truth({**executed, "error": None}), visit + "<END>\n")


class Resumption(unittest.TestCase):
    """Programs are words that say what happens at each call; an answer costs 1."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.out = self.folder / "rows.jsonl"
        command = self.folder / "surmise"
        found = repr(metrics(True, 1.0, [1, 1], None, "true-negative"))
        command.write_text(COMMAND.format(python=sys.executable, folder=str(self.folder), metrics=found))
        command.chmod(0o755)

    def programs(self, **steps):
        records = [
            {"id": name, "code": text, "error_class": "No error", "trigger_stdin": None} for name, text in steps.items()
        ]
        data = "".join(json.dumps(record) + "\n" for record in records)
        (self.folder / "codenet_errors_valid.jsonl").write_text(data)

    def command(self, *options, model="m"):
        command = [sys.executable, SCRIPT, "--llm-url", "http://here/v1", "--llm-model", model, "--out", self.out]
        command += ["--surmise", self.folder / "surmise", "--datasets", self.folder, "--llm-price-output", "1"]
        return [str(part) for part in [*command, "--json", "--jobs", "1", *options]]

    def run_script(self, *options, **named):
        done = subprocess.run(self.command(*options, **named), capture_output=True, text=True)
        document = json.loads(done.stdout) if done.stdout else None
        return done.returncode, document, done.stderr

    def calls(self, name):
        calls = self.folder / f"{name}.calls"
        return int(calls.read_text()) if calls.exists() else 0

    def rows(self):
        return [json.loads(line) for line in self.out.read_text().splitlines() if line.strip()]

    def test_failed_questions_are_asked_again_and_their_cost_stays(self):
        self.programs(first="fail fail answer", second="answer")
        code, found, stderr = self.run_script()
        self.assertEqual((code, found["url"], found["model"]), (1, "http://here/v1", "m"))
        self.assertIn("first: the answer broke off", stderr)
        self.assertEqual((found["figures"]["programs"], found["figures"]["cost"]), (1, 1.5))
        code, found, _ = self.run_script()
        self.assertEqual((code, found["figures"]["programs"], found["figures"]["cost"]), (1, 1, 2.0))
        for _ in range(2):  # the second time nothing is left to ask
            code, found, _ = self.run_script()
            self.assertEqual((code, found["figures"]["programs"], found["figures"]["failures"]), (0, 2, 0))
            self.assertEqual((found["figures"]["cost"], found["figures"]["attempts"]), (3.0, 4))
        self.assertEqual((self.calls("first"), self.calls("second")), (3, 1))

    def test_an_answer_whose_row_was_lost_is_counted_once(self):
        self.programs(first="answer", second="answer")
        self.run_script()
        lines = self.out.read_text().splitlines()
        self.out.write_text("\n".join([lines[0], lines[1][:30]]))
        for _ in range(2):
            code, found, _ = self.run_script()
            self.assertEqual((code, found["figures"]["programs"], found["figures"]["cost"]), (0, 2, 2.0))
        self.assertEqual(self.calls("first") + self.calls("second"), 3)

    def test_an_answer_before_a_crash_is_counted_once(self):
        self.programs(first="die die answer")
        for attempts in (1, 2):
            code, found, _ = self.run_script()
            self.assertEqual((code, found["figures"]["cost"]), (1, 0))
            self.assertEqual(found["figures"]["attempts of unknown cost"], attempts)
        code, found, _ = self.run_script()
        self.assertEqual((code, found["figures"]["cost"], found["figures"]["programs"]), (0, 1.0, 1))

    def test_programs_that_cannot_be_asked_about_cost_nothing(self):
        self.programs(first="refuse")
        code, found, stderr = self.run_script()
        self.assertEqual((code, found["figures"]["cost"], found["figures"]["attempts of unknown cost"]), (1, 0, 0))
        self.assertIn("first: no report: error: it does not parse", stderr)

    def test_an_interrupted_script_keeps_what_is_open(self):
        self.programs(first="wait", second="wait", third="wait")
        process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while not (self.folder / "waits").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        # The signal may come first or last: the open question is answered either way.
        (self.folder / "go").write_text("")
        stdout, stderr = process.communicate()
        found = json.loads(stdout)["figures"]
        self.assertEqual(process.returncode, 130, stderr)
        self.assertGreaterEqual(found["programs"], 1)
        self.assertEqual(found["cost"], found["programs"])
        code, document, _ = self.run_script()
        self.assertEqual((code, document["figures"]["programs"], document["figures"]["cost"]), (0, 3, 3.0))
        self.assertEqual([self.calls(name) for name in ("first", "second", "third")], [1, 1, 1])

    def test_all_attempts_together_keep_to_the_cost_limit(self):
        self.programs(**{f"p{number}": "answer" for number in range(8)})
        for jobs in ("1", "3"):
            code, found, stderr = self.run_script("--llm-cost", "3.5", "--jobs", jobs)
            self.assertEqual((code, found["figures"]["cost"], found["figures"]["programs"]), (1, 3.0, 3))
            self.assertIn("5 programs were not asked about: the cost limit is reached", stderr)

    def test_a_server_that_never_answers_is_given_up(self):
        self.programs(**{f"p{number}": "fail" for number in range(14)})
        code, found, stderr = self.run_script()
        self.assertEqual((code, found["figures"]["attempts"]), (1, 10))
        self.assertIn("4 programs were not asked about: 10 questions in a row had no answer", stderr)

    def test_rows_say_who_answered_and_are_not_mixed(self):
        self.programs(first="answer")
        self.run_script()
        self.assertEqual([(one["url"], one["model"]) for one in self.rows()], [("http://here/v1", "m")])
        code, _, stderr = self.run_script(model="other")
        self.assertEqual(code, 2)
        self.assertIn("has rows of another server, model or kind", stderr)
        self.assertEqual(self.run_script("--scripted")[0], 2)


if __name__ == "__main__":
    unittest.main()
