"""What the codemods of scripts/refactor.py make of functions: other code that does the same."""

import os
import sys
import unittest
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
# Where `./dev test` puts LibCST.
sys.path.append(str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python-packages"))

from libcst.codemod import CodemodContext, transform_module  # noqa: E402
from refactor import REFACTORINGS, ExtractConstant, ExtractFunction, TurnConditions, WriteLoops  # noqa: E402

SOURCE = """
    def label(rows, limit=2):
        names = [row.strip() for row in rows if row if row != "skip"]
        if len(names) > limit and rows:
            names.append("more")
        if names:
            kept = names[:limit]
        else:
            kept = ["none"]
        return "-".join(kept) + str(limit)

    class Tally:
        def __init__(self):
            self.__count = 0
            self.step = 2

        def add(self, by):
            self.__count += by
            return self.__count

        def scaled(self):
            return self.add(self.step) * max(self.step, 3)
    """


def rewritten(source, *codemods):
    text = dedent(source).lstrip()
    for codemod in codemods:
        result = transform_module(codemod(CodemodContext(filename="a.py")), text)
        text = getattr(result, "code", text)
    return text


def behaviour(text):
    namespace = {}
    exec(text, namespace)
    inputs = ([], ["a"], ["a", "skip", " b ", "", "c"], ["skip"])
    tally = namespace["Tally"]()
    return [namespace["label"](rows) for rows in inputs], tally.scaled(), tally.add(1)


class RefactorTest(unittest.TestCase):
    def test_each_codemod_rewrites_and_keeps_behaviour(self):
        expected = behaviour(dedent(SOURCE))
        for codemods in (*((one,) for one in REFACTORINGS), REFACTORINGS):
            text = rewritten(SOURCE, *codemods)
            self.assertNotEqual(text, dedent(SOURCE).lstrip(), codemods)
            self.assertEqual(behaviour(text), expected, text)

    def test_values_and_texts_move_to_the_module(self):
        text = rewritten(SOURCE, ExtractFunction)
        self.assertIn("(kept, limit)", text)
        self.assertIn("return self.__count\n", text, "a private name means another outside of its class")
        self.assertIn("append(_TEXT_", rewritten(SOURCE, ExtractConstant))

    def test_conditions_and_comprehensions_become_statements(self):
        self.assertIn("if not (names):", rewritten(SOURCE, TurnConditions))
        text = rewritten(SOURCE, WriteLoops)
        self.assertIn('    for row in rows:\n        if (row):\n            if (row != "skip"):\n', text)

    def test_what_would_behave_otherwise_stays(self):
        for source, codemod in (
            ("def f(a):\n    a = [b for b in a]\n    return a and a\n", WriteLoops),
            ("def f(a):\n    c = [b for b in a if c]\n", WriteLoops),
            ("def f(a):\n    return [b for b in a]\n", ExtractFunction),
            ("def f(a):\n    return (yield a)\n", ExtractFunction),
            ("def f(a):\n    return locals()[a]\n", ExtractFunction),
            ("def f(a='text'):\n    pass\n", ExtractConstant),
            ("if a and b:\n    c\nelse:\n    d\n", ExtractConstant),
        ):
            self.assertEqual(rewritten(source, codemod), source)


if __name__ == "__main__":
    unittest.main()
