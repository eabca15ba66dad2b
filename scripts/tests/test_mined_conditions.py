"""Which conditions scripts/mined_conditions.py finds in recorded calls, and what bench-invariants.py makes of counts."""

import importlib.util
import sys
import unittest
from pathlib import Path
from textwrap import dedent

SCRIPTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SCRIPTS))

import mined_conditions  # noqa: E402

spec = importlib.util.spec_from_file_location("bench_invariants", SCRIPTS / "bench-invariants.py")
bench_invariants = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_invariants)

SOURCE = dedent('''
    class Reader:
        def read(self, name, size=None, *, strict=False):
            """Reads."""
            size = size or 1
            return name

        @property
        def parts(self):
            return 1

        @parts.setter
        def parts(self, value):
            return 2

    def outer(x):
        @decorated
        def inner(y): return y
        return inner
''')


def call(function, *values):
    values = [{"kind": "variable", "name": name, "class": kind, "literal": literal} for name, kind, literal in values]
    return {"function": function, "values": values}


class Places(unittest.TestCase):
    def test_functions_have_their_first_statement_and_the_parameters_that_stay(self):
        found = mined_conditions.preconditions(SOURCE)
        # `parts` is there twice: a recording does not say which of both was called.
        self.assertEqual(
            found,
            {
                "Reader.read": (5, 8, ["self", "name", "strict"]),
                "outer": (17, 4, ["x"]),
                "outer.<locals>.inner": (18, 18, ["y"]),
            },
        )


class Templates(unittest.TestCase):
    def mined(self, *reads):
        return mined_conditions.conditions("x", list(reads))

    def test_what_is_true_of_all_values_is_kept(self):
        text = [("str_nonempty", "a"), ("str_nonempty", "b's")]
        wanted = ["x is not None", "isinstance(x, str)", "len(x) > 0", "x in (\"b's\", 'a')"]
        self.assertEqual(self.mined(*text), wanted)
        self.assertEqual(self.mined(*text, ("str_empty", ""))[:2], wanted[:2])
        self.assertEqual(self.mined(("None", None)), ["x is None"])
        self.assertEqual(self.mined(("None", None), ("object", None)), [])
        self.assertEqual(self.mined(("None", None), ("True", None)), ["x in (None, True)"])

    def test_numbers(self):
        found = self.mined(("int_pos", "3"), ("int_zero", "0"), ("int_pos", "4"), ("int_pos", "5"))
        self.assertEqual(found, ["x is not None", "isinstance(x, int)", "x >= 0"])
        self.assertEqual(self.mined(("int_pos", "3"), ("True", None))[1:3], ["isinstance(x, int)", "x"])
        self.assertEqual(self.mined(("int_neg", "-3")), ["x is not None", "isinstance(x, int)", "x", "x == -3"])
        self.assertEqual(self.mined(("int_pos", "3"), ("float_pos", "0.5"))[1], "x")

    def test_conditions_parse(self):
        for kind in ("str_nonempty", "int_neg", "float_zero", "list_empty", "bytes", "callable", "None"):
            for condition in self.mined((kind, "1")):
                compile(condition, "<condition>", "eval")

    def test_a_parameter_needs_enough_calls_and_its_first_read_counts(self):
        rows = [call("outer", ("x", "int_pos", "1"), ("x", "None", None))] * 3
        calls = mined_conditions.observed(rows)
        self.assertEqual(mined_conditions.mined(SOURCE, calls, 4), [])
        found = mined_conditions.mined(SOURCE, calls, 3)
        self.assertEqual([one["condition"] for one in found][:2], ["x is not None", "isinstance(x, int)"])
        self.assertEqual({(one["line"], one["column"]) for one in found}, {(17, 4)})


class Figures(unittest.TestCase):
    def test_shares_are_of_the_most_certain(self):
        reached = [(number / 10, number == 0 or number > 4) for number in range(10)]
        self.assertEqual(bench_invariants.shares(reached)["tenth"], (1, 0.0, 100.0))
        self.assertEqual(bench_invariants.shares(reached)["half"], (5, 0.4, 20.0))
        self.assertEqual(bench_invariants.shares(reached)["all"], (10, 0.9, 60.0))
        self.assertEqual(bench_invariants.shares([]), {})

    def test_what_raised_did_not_hold_and_what_was_not_reached_does_not_count(self):
        def row(by, condition, *counts):
            own = {"by": by, "files": ["m.py"], "function": "f", "condition": condition, "counts": list(counts)}
            return {**own, "entropy": 1.0, "kind": "precondition"}

        rows = [
            row("model", "x is not None", 3, 0, 0),
            row("model", "x", 3, 1, 0),
            row("templates", "x is not None", 3, 0, 0),
            row("templates", "x >= 0", 2, 0, 1),
            row("templates", "y is not None", 0, 0, 0),
        ]
        found = bench_invariants.summary(rows)
        self.assertEqual(found["model"]["held"], 50.0)
        self.assertEqual(found["templates"], {"conditions": 3, "reached": 2, "held": 50.0})
        self.assertEqual(found["templates, >= 0"]["held"], 0.0)
        self.assertEqual(found["both"], {"templates that held": 1, "of these the model's": 1})


if __name__ == "__main__":
    unittest.main()
