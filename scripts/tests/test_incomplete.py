"""What scripts/incomplete.py makes of programs."""

import sys
import unittest
from pathlib import Path
from textwrap import dedent

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from incomplete import Unusable, make_incomplete  # noqa: E402


def lines(source):
    """The program's lines, and those that are gone."""
    source = dedent(source).lstrip()
    text, gone = make_incomplete(source)
    return [line.rstrip() for line in text.splitlines()], gone


class IncompleteTest(unittest.TestCase):
    def test_headers_go_and_bodies_stay_on_their_lines(self):
        found, gone = lines(
            """
            import math
            class Grid(object):
                @property
                def rows(self,
                         text=input()):
                    if not text:
                        return
                    return math.floor(1), 2
            """
        )
        self.assertEqual(
            found, ["pass", "", "", "", "", "if not text:", "    exit()", "math.floor(1), 2"], "a return may end early"
        )
        self.assertEqual(gone, {1, 2, 3, 4, 5})

    def test_only_returns_at_the_end_fall_through(self):
        found, _ = lines(
            """
            def f(x):
                for y in x:
                    return y, x
                if x:
                    return (1 +
                            2)
                else:
                    return
            def g(x): return x
            def h(): yield f(1)
            """
        )
        expected = ["for y in x:", "    exit((y, x))", "if x:", "    (1 +", "                2)", "else:", "    pass"]
        self.assertEqual(found[1:], [*expected, "x", "(f(1))"])

    def test_inputs_are_names(self):
        found, _ = lines(
            """
            n = int(input("n? "))
            for line in sys.stdin: print(line)
            read = sys.stdin.buffer.readline
            data = open(0).read().split()
            """
        )
        self.assertEqual(
            found,
            [
                "n = int(input_1)",
                "for line in input_2: print(line)",
                "read = input_3",
                "data = input_4.read().split()",
            ],
        )

    def test_text_over_lines_keeps_its_indentation(self):
        found, _ = lines('def f():\n\ttext = """a\n\t  b"""\n\tglobal g\n\tif text:\n\t\timport os\n')
        self.assertEqual(found, ["", 'text = """a', '\t  b"""', "pass", "if text:", "    pass"])

    def test_what_does_not_parse(self):
        for source in ["print 1\n", "def f():\n    await g()\n", "async def f():\n    await g()\n"]:
            with self.subTest(source), self.assertRaises(Unusable):
                make_incomplete(source)


if __name__ == "__main__":
    unittest.main()
