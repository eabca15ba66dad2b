"""Tests of conditions.py: outcomes of conditions from the lines that ran."""

import ast
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import conditions  # noqa: E402

SOURCE = """\
def f(rows, limit):
    if limit is None:
        limit = 3
    elif (limit >
          100):
        raise ValueError
    for row in rows:
        if row: continue
        if row.bad:
            break
    while limit:
        limit -= 1
    try:
        if rows.last():
            return 1
    except AttributeError:
        pass
    return limit
"""


def outcomes(*calls, cut=False):
    """(holds first, fails first, holds, fails) and rounds by line."""
    found, handlers = conditions.parsed(SOURCE)
    for lines in calls:
        conditions.Sequence(found, handlers).follow(lines, cut)
    return {
        condition.line: (*(condition.first[truth] for truth in (True, False)),
                         *(condition.every[truth] for truth in (True, False)), condition.rounds)
        for condition in found.values()
    }  # fmt: skip


class ConditionsTest(unittest.TestCase):
    def test_the_line_after_a_header_decides(self):
        found = outcomes([2, 3, 7, 11, 13, 14, 18], [2, 4, 5, 4, 7, 11, 13, 14, 15])
        self.assertEqual(found[2][:2], (1, 1))
        self.assertEqual(found[4][:2], (0, 1), "a header of two lines is one condition")
        self.assertEqual(found[14][:2], (1, 1))

    def test_rounds_of_loops_are_counted_where_they_end(self):
        # Two rounds and the end; a loop that is left by `break`; one that never begins.
        found = outcomes([2, 3, 7, 8, 9, 7, 8, 9, 7, 11, 12, 11, 13, 14, 18], [2, 3, 7, 8, 9, 10, 11, 13, 14, 18])
        self.assertEqual(found[7], (2, 0, 3, 1, [0, 1, 1, 0]))
        self.assertEqual(found[11], (1, 1, 1, 2, [1, 1, 0, 0]))
        self.assertEqual(found[9], (1, 1, 1, 2, [0, 0, 0, 0]))

    def test_only_the_first_outcome_of_a_call_is_the_first(self):
        found = outcomes([2, 3, 7, 8, 9, 7, 8, 9, 10, 11])
        self.assertEqual(found[9][:4], (0, 1, 1, 1))

    def test_a_condition_that_fails_has_no_outcome(self):
        self.assertEqual(outcomes([2, 3, 7, 11, 13, 14, 16, 17])[14][:2], (0, 0))

    def test_a_condition_on_the_line_of_its_block_is_left_out(self):
        self.assertNotIn(8, conditions.conditions(ast.parse(SOURCE)))

    def test_a_recording_that_was_cut_says_nothing_of_how_loops_end(self):
        self.assertEqual(outcomes([2, 3, 7, 8, 9, 7, 8], cut=True)[7][4], [0, 0, 0, 0])

    def test_what_does_not_parse_has_no_conditions(self):
        self.assertEqual(conditions.parsed("if:"), ({}, set()))
        self.assertEqual(conditions.parsed(None), ({}, set()))


if __name__ == "__main__":
    unittest.main()
