"""The data card's text, and tables in text and Markdown."""

import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import card
import recordings
import tables
from places import record
from test_recordings import Corpus

NAMES = ["None", "True", "object"]


class Tallied(unittest.TestCase):
    def test_sites_and_pairs_by_kind_and_class(self):
        whole = card.Tally()
        whole.add_masks(["variable", "variable", "attribute"], [0b011, 0b001, 0b100], NAMES)
        self.assertEqual(whole.kinds, {"variable": 2, "attribute": 1})
        self.assertEqual(whole.kind_pairs, {"variable": 3, "attribute": 1})
        self.assertEqual(whole.classes, {"None": 2, "True": 1, "object": 1})


class Card(Corpus):
    def card(self, explained=None):
        whole = card.Tally()
        whole.add_masks(["variable", "attribute"], [0b001, 0b100], NAMES)
        return card.card(recordings.read_all(self.places, self.projects), whole, NAMES, explained or {})

    def test_projects_and_counts(self):
        self.trace(self.project("a", licence="ISC", domain="games"), {"passed": 1200})
        self.trace(self.project("b", split="test"), {"capped": True})
        text = self.card()
        self.assertIn("| a | 1.0 | ISC | games | train | 1,201 | 1 | 5 | 6 | 100 | 4.0 | 2.00x |", text)
        self.assertIn("| b* | 1.0 | MIT | utilities | test | 4 | 1 | 5 | 6 | 100 | 4.0 | - |", text)
        self.assertIn("| all | 2 | 10 | 12 | 200 |", text)
        self.assertIn("| `None` | 1 | 50.0 % | 0 |", text)
        self.assertIn("a part of the suite is missing: b.", text)
        self.assertNotIn("Not complete", text)
        self.assertIn("Of 2 suites, 2 had the same", " ".join(text.split()))

    def test_what_is_not_there_is_told(self):
        difference = [{"test": "t", "plain": "passed", "traced": "failed"}]
        self.trace(self.project("a"), {}, {"differences": difference, "isolated": False})
        for name in ("b", "pony"):
            record(self.places, self.project(name), "trace", {"ok": False, "error": "7 failed"})
        self.project("new")
        text = self.card({"pony": "reads byte code"})
        self.assertIn("**Not complete:** 2 of 4 projects", text)
        self.assertIn("- Not run yet: new.", text)
        self.assertIn("- Not recorded: b (trace: 7 failed).", text)
        self.assertIn("- Not recorded: pony, as it reads byte code.", text)
        self.assertIn("(tests that differ: a 1)", text)
        self.assertIn("not all of them without a network", " ".join(text.split()))

    def test_names_no_folder_of_the_machine_and_is_the_same_twice(self):
        self.trace(self.project("a"))
        record(self.places, self.project("b"), "plain", {"ok": False, "error": f"no {self.work}/x (see {self.work}/y)"})
        text = self.card()
        self.assertNotIn(str(self.work), text)
        self.assertEqual(text, self.card())

    def test_the_command(self):
        self.trace(self.project("a"))
        out = self.work / "CARD.md"
        with mock.patch.object(card, "tally", lambda *_: (card.Tally(), NAMES)):
            self.assertEqual(self.command(card, "-o", out), 0)
            self.assertTrue(out.read_text().startswith("# Data card"))
            self.project("b")
            self.assertEqual(self.command(card, "-o", "-"), 1)
            self.assertIn("1 projects recorded, 1 missing", self.stderr)

    def test_nothing_recorded(self):
        self.project("a")
        self.assertEqual(self.command(card, "-o", "-"), 2)
        self.assertIn("hint: build.py", self.stderr)


class Tables(unittest.TestCase):
    def test_text_is_aligned(self):
        self.assertEqual(
            tables.text_table(["name", "n"], [["a", "10"], ["long one", "9"]]),
            "name       n\na         10\nlong one   9",
        )

    def test_markdown_keeps_bars(self):
        self.assertEqual(tables.markdown_table(["a", "b"], [["x|y", "1"]]), "| a | b |\n| --- | ---: |\n| x\\|y | 1 |")

    def test_numbers(self):
        found = [tables.number(None), tables.number(1234567), tables.number(1.456, 2, "x"), tables.megabytes(1500000)]
        self.assertEqual(found, ["-", "1,234,567", "1.46x", "1.50 MB"])
        self.assertEqual(tables.listed(["a", "b", "c"], 2), "a, b and 1 more")

    def test_only_prose_is_filled(self):
        text = "# Heading\n\n" + "word " * 40 + "\n\n| a |\n| b |\n\n- one\n- two\n  more"
        found = tables.wrapped(text)
        self.assertLessEqual(max(map(len, found.splitlines())), tables.WIDTH)
        self.assertTrue(found.endswith("| a |\n| b |\n\n- one\n- two more"))


if __name__ == "__main__":
    unittest.main()
