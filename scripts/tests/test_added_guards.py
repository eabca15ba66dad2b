"""Which changes scripts/added_guards.py takes for the addition of one guard, and how conditions are spelled."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import added_guards  # noqa: E402
import git_changes  # noqa: E402
import normal_conditions  # noqa: E402

BEFORE = '''
import os


class Reader:
    """Reads."""

    def read(self, name):
        # A comment.
        data = self.source.get(name)
        for part in data:
            self.parts.append(part)
            self.size += len(part)
        return data

def other():
    return 1
'''


def change(old, new, before=BEFORE):
    assert before.count(old) == 1, old
    return added_guards.added_guard(before, before.replace(old, new))


class Changes(unittest.TestCase):
    def found(self, guard):
        return (guard.kind, guard.condition, guard.line, guard.end_line, guard.in_function)

    def test_an_if_around_statements(self):
        old = "            self.parts.append(part)\n            self.size += len(part)\n"
        new = "            if not (part is None):\n" + old.replace(" " * 12, " " * 16)
        self.assertEqual(self.found(change(old, new)), ("wrapped", "part is not None", 12, 13, True))

    def test_an_if_that_leaves_the_block_has_the_negation(self):
        old = "        for part in data:\n"
        new = "        if data is None or name == '':\n            log(name)\n            return None\n" + old
        found = change(old, new)
        self.assertEqual(self.found(found), ("exit", "data is not None and name != ''", 11, 14, True))
        self.assertFalse(found.is_single)

    def test_an_assert_guards_the_rest_of_its_block(self):
        old = "            self.size += len(part)\n"
        self.assertEqual(self.found(change(old, "            assert part\n" + old)), ("assert", "part", 13, 13, True))

    def test_a_further_test_of_a_condition(self):
        before = BEFORE.replace("for part in data:", "if data.parts:\n            part = 1")
        found = change("if data.parts:", "if data and data.parts:", before)
        self.assertEqual((found.kind, found.condition, found.line), ("test", "data", 11))
        self.assertIsNone(change("if data.parts:", "if data and data.parts and name:", before))

    def test_guards_of_a_module_are_outside_functions(self):
        found = change("import os\n", "if sys:\n    import os\n")
        self.assertEqual(self.found(found), ("wrapped", "sys", 2, 2, False))

    def test_a_line_of_a_docstring_is_no_beginning_of_a_statement(self):
        before = BEFORE.replace('"""Reads."""', '"""Reads.\n\nThe text goes on at the margin.\n"""')
        old = "            self.size += len(part)\n"
        found = change(old, "            if part:\n    " + old, before)
        self.assertEqual(self.found(found), ("wrapped", "part", 16, 16, True))

    def test_comments_and_spacing_may_change_meanwhile(self):
        after = BEFORE.replace("# A comment.", "# Another.").replace("return data", "if data: return  data")
        self.assertEqual(self.found(added_guards.added_guard(BEFORE, after))[:3], ("wrapped", "data", 14))

    def test_what_is_more_than_a_guard(self):
        for old, new in [
            ("return 1", "if os:\n        return 2"),
            ("return 1", "if os:\n        return 1\n    else:\n        return 2"),
            ("return 1", "x = 1\n    return 1"),
            ("        return data\n", "        if data:\n            name = 1\n        return data\n"),
            ("        return data\n", "        return data\n        assert data\n"),
            ("def read(self, name):", "def read(self, name, more):"),
        ]:
            self.assertIsNone(change(old, new), new)
        both = BEFORE.replace("return 1", "if os:\n        return 1").replace(
            "return data", "if data:\n            return data"
        )
        self.assertIsNone(added_guards.added_guard(BEFORE, both))
        self.assertIsNone(added_guards.added_guard(BEFORE, BEFORE))
        self.assertIsNone(added_guards.added_guard("print 'x'\n", "if x:\n    print 'x'\n"))

    def test_the_quick_look_lets_guards_through(self):
        old = "        for part in data:\n"
        guarded = BEFORE.replace(old, "        if not data:\n            return\n" + old)
        self.assertTrue(added_guards.could_add_a_guard(BEFORE, guarded))
        self.assertFalse(added_guards.could_add_a_guard(BEFORE, BEFORE.replace(old, "        x = 1\n" + old)))
        function = "def more():\n    if x:\n        pass\n"
        self.assertFalse(added_guards.could_add_a_guard(BEFORE, BEFORE + function))


class Conditions(unittest.TestCase):
    def test_the_normal_form_is_that_of_the_command(self):
        # The table of `instrument::guards::condition`.
        for text, condition, negation in [
            ("not  x", "not x", "x"),
            ("not x in y", "x not in y", "x in y"),
            ("0 < x <= n", "0 < x and x <= n", "0 >= x or x > n"),
            ("a and (b or not c)", "a and (b or not c)", "not a or (not b and c)"),
            ("not (a or b == 1)", "not a and b != 1", "a or b == 1"),
            ("a and (b and c)", "a and b and c", "not a or not b or not c"),
            ('x[ 0 ].y == "it"', "x[0].y == 'it'", "x[0].y != 'it'"),
        ]:
            tree = normal_conditions.ast.parse(text, mode="eval").body
            for negated, wanted in [(False, condition), (True, negation)]:
                found = normal_conditions.spelled(normal_conditions.normal(tree, negated))
                self.assertEqual(found, normal_conditions.respelled(wanted))
                self.assertEqual(normal_conditions.ast.unparse(normal_conditions.ast.parse(wanted)), found)
            self.assertNotEqual(normal_conditions.respelled(condition), normal_conditions.respelled(negation))


class Paths(unittest.TestCase):
    def test_tests_and_documentation_are_excluded(self):
        for path in ("tests/a.py", "a/test/b.py", "a/test_b.py", "docs/conf.py", "pip/_vendor/x.py", "conftest.py"):
            self.assertTrue(git_changes.is_excluded(path), path)
        for path in ("a/testament.py", "a/latest.py", "documents/a.py", "contest.py"):
            self.assertFalse(git_changes.is_excluded(path), path)

    def test_only_a_single_changed_file_counts(self):
        line = ":100644 100644 {0} {1} {2}\t{3}"
        one = line.format("a" * 40, "b" * 40, "M", "x.py")
        tests = line.format("a" * 40, "b" * 40, "A", "tests/x.py")
        self.assertEqual(git_changes.changed_file(f"\n{one}\n{tests}\n"), ("x.py", "a" * 40, "b" * 40))
        self.assertIsNone(git_changes.changed_file(one + "\n" + line.format("a" * 40, "b" * 40, "M", "y.py")))
        self.assertIsNone(git_changes.changed_file(line.format("0" * 40, "b" * 40, "A", "y.py")))


if __name__ == "__main__":
    unittest.main()
