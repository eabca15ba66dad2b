"""Which lines scripts/fidelity.py takes of a function, and how it compares them."""

import ast
import sys
import unittest
from pathlib import Path
from textwrap import dedent

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import fidelity  # noqa: E402


def function(source, name="f"):
    return fidelity.functions(dedent(source).lstrip())[name]


class OwnLines(unittest.TestCase):
    def test_header_docstring_and_inner_bodies_do_not_count(self):
        found = function(
            '''
            @decorated
            def f(a,
                  b=(1,
                     2)):
                """Text
                of two lines."""
                global g
                @other
                def inner():
                    return a
                class C:
                    x = 1
                call(a,
                     [y for y in
                      b])
            '''
        )
        self.assertEqual(sorted(found.own), [8, 11, 13])
        self.assertEqual(found.sequence([9, 8, 10, 12, 15]), [8, 13])
        self.assertFalse(found.has_branch)

    def test_compound_statements_have_their_headers_and_handlers(self):
        found = function(
            """
            def f(a):
                try:
                    if (a and
                            b):
                        return 1
                    elif a:
                        return 2
                    else:
                        pass
                except (KeyError,
                        ValueError) as error:
                    raise
                finally:
                    done()
            """
        )
        self.assertEqual(sorted(found.own), [2, 3, 5, 6, 7, 9, 10, 12, 14])
        self.assertTrue(found.has_branch)
        self.assertFalse(found.has_loop)

    def test_a_body_in_the_line_of_the_header_has_no_lines(self):
        self.assertEqual(function("def f(a): return a\n").own, set())

    def test_what_is_left_out_is_told(self):
        source = """
            class C:
                def f(self):
                    yield 1
                @property
                def g(self): return 1
                @g.setter
                def g(self, x): self.x = x
            async def h():
                await 1
            def k():
                def inner():
                    yield 1
                return k
            """
        found = fidelity.functions(dedent(source).lstrip())
        self.assertEqual(sorted(found), ["C.f", "h", "k", "k.inner"])
        self.assertEqual([found[name].suspends for name in sorted(found)], [True, True, False, True])
        self.assertTrue(found["k.inner"].nested and found["k"].calls_itself and not found["C.f"].nested)

    def test_recorded_lines_become_statements_in_the_order_of_their_first_run(self):
        found = function(
            """
            def f(a):
                for x in (
                    a
                ):
                    g(x,
                      1)
                return a
            """
        )
        self.assertEqual(found.sequence([1, 3, 2, 5, 6, 5, 2, 5, 7, 99]), [2, 5, 7])


class Isolated(unittest.TestCase):
    def test_other_functions_go_and_lines_stay(self):
        source = dedent(
            """
            import a
            class C:
                @a.b
                def g(self):
                    return 1
                def f(self):
                    def inner():
                        return 2
                    return inner
            def f(): return 3
            """
        ).lstrip()
        text = fidelity.isolated(source, fidelity.functions(source)["C.f"])
        expected = source.splitlines()
        expected[2:5] = ["    pass", "", ""]
        expected[9] = "pass"
        self.assertEqual(text.splitlines(), expected)
        self.assertEqual(len(ast.parse(text).body), 3)


class Figures(unittest.TestCase):
    def test_the_closest_call_and_the_mean_of_all(self):
        found = fidelity.compare({1, 2, 3}, [[1, 9], [1, 2, 3], [1, 2]], ordered=True)
        self.assertEqual((found["exact"], found["recall"], found["precision"]), (True, 1, 1))
        self.assertAlmostEqual(found["mean_exact"], 1 / 3)
        self.assertAlmostEqual(found["mean_recall"], (1 / 2 + 1 + 1) / 3)
        self.assertAlmostEqual(found["mean_precision"], (1 / 3 + 1 + 2 / 3) / 3)
        self.assertEqual((found["union_recall"], found["union_precision"]), (3 / 4, 1))
        self.assertEqual((found["prefix_recall"], found["prefix_precision"]), (1, 1))

    def test_a_prefix_ends_at_the_first_difference(self):
        found = fidelity.compare({1, 2, 5}, [[1, 2, 3, 5]], ordered=True)
        self.assertEqual((found["prefix_recall"], found["prefix_precision"]), (1 / 2, 2 / 3))
        self.assertNotIn("prefix_recall", fidelity.compare({1, 2, 5}, [[1, 2, 3, 5]], ordered=False))

    def test_a_run_that_reached_nothing_agrees_with_nothing(self):
        found = fidelity.compare(set(), [[1, 2]], ordered=True)
        self.assertEqual({name: value for name, value in found.items() if value}, {})

    def test_a_difference_is_between_its_limits(self):
        self.assertEqual(fidelity.difference([1, 1, 1], [0, 0, 0], seed=0), (1, 1, 1))
        value, low, high = fidelity.difference([1, 0] * 50, [0, 0] * 50, seed=0)
        self.assertTrue(low < value < high and value == 0.5)

    def test_projects_that_differ_make_the_interval_over_projects_wide(self):
        alike, different = [[(1, 0), (0, 0)] * 40] * 4, [[(1, 0)] * 80, [(0, 0)] * 80] * 2
        values = {}
        for name, groups in (("alike", alike), ("different", different)):
            value, low, high = fidelity.difference_over_groups(groups, seed=0)
            self.assertEqual(value, 0.5)
            values[name] = high - low
        self.assertLess(values["alike"], 0.2)
        self.assertGreater(values["different"], 0.5)

    def test_projects_have_intervals_and_figures_of_their_own(self):
        rows = [self.row("a", [1, 2], [1]), self.row("a", [1, 2], [1, 2]), self.row("b", [1, 2], None)]
        self.assertEqual(
            fidelity.by_project(rows, ["one", "other"], seed=0),
            [
                {"project": "a", "functions": 2, "exact": {"one": 1, "other": 0.5}},
                {"project": "b", "functions": 1, "exact": {"one": 1, "other": None}},
            ],
        )
        found, over_projects = fidelity.differences(rows[:2], ["other", "one"], seed=0)
        self.assertEqual((found["other"][0], over_projects), (0.5, {}))
        rows.append(self.row("b", [1, 2], [1, 2]))
        found, over_projects = fidelity.differences(rows, ["other", "one"], seed=0)
        self.assertEqual(found["other"][0], over_projects["other"][0])

    def row(self, project, one, other):
        guided = {"one": one} if other is None else {"one": one, "other": other}
        failures = {} if other is not None else {"other": "no lines"}
        row = {"project": project, "own": [1, 2], "calls": [[1, 2]], "ordered": True}
        return {**row, "guided": guided, "failures": failures}


if __name__ == "__main__":
    unittest.main()
