"""How scripts/bench-guards.py ranks guards, which repositories it takes, and what it finds in a history."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))

import guard_ranks  # noqa: E402

spec = importlib.util.spec_from_file_location("bench_guards", SCRIPTS / "bench-guards.py")
bench_guards = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_guards)


def said(function, line, end_line, condition, entropy):
    return {"function": function, "line": line, "end_line": end_line, "condition": condition, "entropy": entropy}


SAID = [
    said("f", 3, 9, "x", 4.0),
    said("f", 3, 9, "x is not None", 5.0),
    said("f", 3, 3, "y", 1.0),
    said("f", 5, 5, "x is not None", 2.0),
    said("g", 12, 12, "z", 0.5),
]
GUARD = {"condition": "x is not None", "line": 3, "end_line": 8, "is_single": True, "is_fix": True}


class Ranks(unittest.TestCase):
    def test_a_guard_has_the_answers_of_the_region_that_ends_nearest(self):
        found = guard_ranks.placed(SAID, GUARD)
        self.assertEqual((found["rank"], found["entropy"], found["is_exact_place"]), (2, 4.0, False))
        # The likeliest answer of its region is another one: the pair of place and condition has no rank.
        self.assertEqual((found["function"]["rank"], found["function"]["rank_of_place"]), (None, 3))
        self.assertEqual((found["function"]["regions"], found["file"]["regions"]), (3, 4))
        self.assertTrue(found["function"]["is_line"] and found["function"]["is_condition_anywhere"])
        self.assertFalse(found["file"]["is_line"] or found["function"]["is_place"])

    def test_the_pair_ranks_among_regions(self):
        found = guard_ranks.placed(SAID, {**GUARD, "line": 5, "end_line": 5})
        self.assertEqual((found["rank"], found["function"]["rank"], found["file"]["rank"]), (1, 2, 3))

    def test_a_place_that_is_no_region_counts_as_not_found(self):
        found = guard_ranks.placed(SAID, {**GUARD, "line": 4})
        self.assertEqual((found["is_placed"], found["rank"]), (False, None))
        right = {**GUARD, **guard_ranks.placed(SAID, {**GUARD, "line": 5, "end_line": 5})}
        figures = guard_ranks.summary([{**GUARD, **found}, right])
        self.assertEqual(figures["place"]["first_answer"], 50.0)
        self.assertEqual(figures["place"]["mean_reciprocal_rank"], 0.5)
        self.assertEqual(figures["function"]["mean_reciprocal_rank"], 0.25)
        self.assertEqual(figures["file"]["first_of_all"], 0.0)

    def test_precision_is_that_of_the_tenth_with_the_least_entropy(self):
        rows = [(number, number < 1) for number in range(20)]
        self.assertEqual(guard_ranks.certain_tenth(rows, lambda row: row[0], lambda row: row[1]), 50.0)


class Repositories(unittest.TestCase):
    def test_what_was_learned_from_is_left_out(self):
        manifest = json.loads((SCRIPTS.parent / "corpora" / "projects.json").read_text(encoding="utf-8"))
        excluded = bench_guards.learned_or_reserved(manifest)
        for name in ("django", "sqlalchemy", "ansible", "cpython", "tornado", "poetry-core"):
            self.assertIn(name, excluded)
        for name in ("flask", "jinja", "pip", "distributed"):
            self.assertNotIn(name, excluded)
        wheels = json.loads((SCRIPTS.parent / "corpora" / "wheels.json").read_text(encoding="utf-8"))
        self.assertIn("distributed", bench_guards.learned_or_reserved(wheels))

    def test_names_and_halves(self):
        self.assertEqual(bench_guards.name_of(Path("x/pallets+flask/repo")), "pallets/flask")
        self.assertEqual(bench_guards.name_of(Path("x/pallets+flask")), "pallets/flask")
        self.assertEqual(bench_guards.half_of("pallets/werkzeug"), "dev")
        self.assertEqual(bench_guards.half_of("pallets/flask"), "held-out")

    def test_a_history_is_searched_once(self):
        with tempfile.TemporaryDirectory() as folder:
            repository, work = Path(folder) / "me+mine", Path(folder) / "work"
            repository.mkdir()
            work.mkdir()

            def git(*words):
                who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
                subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True)

            def commit(text, message, path="m.py"):
                (repository / path).write_text(text, encoding="utf-8")
                git("add", "--all")
                git("commit", "--quiet", "--message", message)

            git("init", "--quiet")
            commit("def f(x):\n    return x.y\n", "first")
            commit("def f(x):\n    if x is None:\n        return None\n    return x.y\n", "Fix a crash")
            commit("def f(x):\n    if x is None:\n        return None\n    return x.z\n", "Rename")
            commit("def test():\n    if x:\n        return x.z\n", "tests are excluded", "test_m.py")
            first, rows = bench_guards.found_in(repository, work)
            self.assertEqual((first["repository"], first["changes"], len(rows)), ("me/mine", 2, 1))
            row = rows[0]
            self.assertEqual((row["path"], row["kind"], row["condition"]), ("m.py", "exit", "x is not None"))
            self.assertTrue(row["is_fix"] and row["in_function"])
            kept = work / "me+mine.jsonl"
            kept.write_text(kept.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
            self.assertEqual(bench_guards.found_in(repository, work)[1], [])
            commit("def f(x):\n    return x.y\n", "newer")
            self.assertEqual(len(bench_guards.found_in(repository, work)[1]), 1)
            self.assertEqual(len(bench_guards.without_duplicates([row, dict(row, commit="other")])), 1)


if __name__ == "__main__":
    unittest.main()
