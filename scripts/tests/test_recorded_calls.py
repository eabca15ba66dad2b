"""What scripts/recorded_calls.py gives a run of a recorded call."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import fidelity  # noqa: E402
import recorded_calls  # noqa: E402

SOURCE = """def f(x):
    if x:
        return 1
    for y in x:
        print(y)
    return 2
"""
VALUE = {"line": 2, "column": 7, "class": 10, "literal": "a", "length": 1}


class Documents(unittest.TestCase):
    def test_conditions_come_out_as_the_lines_show(self):
        holds = {"line": 2, "column": 7, "holds": True}
        self.assertEqual(recorded_calls.outcomes(SOURCE, {"lines": [2, 3], "cut": False}), [holds])
        found = recorded_calls.outcomes(SOURCE, {"lines": [2, 4, 5, 4, 6], "cut": False})
        self.assertEqual([one["holds"] for one in found], [False, True])

    def test_each_level_has_more_of_the_call(self):
        call = {"lines": [2, 3], "cut": False, "values": [VALUE]}
        found = {level: recorded_calls.document(SOURCE, call, level) for level in recorded_calls.LEVELS}
        self.assertEqual(found["class"]["values"], [{**VALUE, "literal": None, "length": None}])
        self.assertEqual((found["value"]["values"], found["value"]["conditions"]), ([VALUE], []))
        self.assertEqual((found["answers"]["values"], len(found["answers"]["conditions"])), ([VALUE], 1))


class Rows(unittest.TestCase):
    def test_the_call_itself_is_no_measure_for_a_run_on_its_values(self):
        row = {"project": "p", "file": "a.py", "function": "f", "own": [1, 2], "ordered": True, "calls": [[1], [1, 2]]}
        chosen = fidelity.chosen_call(row, 0)
        row["guided"] = {"recorded: class": row["calls"][chosen]}
        [figures] = fidelity.measure([row], "recorded: class", 0)
        self.assertEqual(figures["exact"], 0)
        self.assertEqual(fidelity.own_exact([row], "recorded: class", 0), (1.0, 1))


if __name__ == "__main__":
    unittest.main()
