"""The figures that the README quotes are those of BENCHMARKS.md."""

import re
import unittest
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The predictor of a row of the benchmark that a row of the README's table quotes, by how the latter begins.
MEASURED = {
    "plain `python`": "none",
    "`surmise run --runs 1 --no-drive`": "model, `--no-drive`",
    "`surmise run --runs 1`": "model",
    "`surmise run`": "**model x64**",
}
SETS = ["functions", "so_snippets"]
PERCENT = re.compile(r"\d+(?:\.\d+)? %")


def section(text, title):
    """What stands under a heading, up to the next of its level."""
    return re.split(r"^## ", text.split(f"\n## {title}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def rows(text):
    """The cells of the rows of a section's first table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def rounded(figure, like):
    """A figure with as many digits behind the point as another."""
    figure, like = (Decimal(text.strip("* %")) for text in (figure, like))
    return f"{figure.quantize(like, ROUND_HALF_UP)} %"


class FiguresTest(unittest.TestCase):
    def setUp(self):
        self.readme = (ROOT / "README.md").read_text()
        self.benchmarks = (ROOT / "BENCHMARKS.md").read_text()
        self.quoted = section(self.readme, "How much it executes")
        self.measured = section(self.benchmarks, "Coverage of incomplete code")

    def test_coverage(self):
        means = {(cells[0], cells[1]): cells[2] for cells in rows(self.measured)}
        checked = set()
        for label, *figures in rows(self.quoted):
            predictor = MEASURED.get(label.split(":")[0])
            if predictor is None:
                continue
            checked.add(predictor)
            expected = [rounded(means[one, predictor], figure) for one, figure in zip(SETS, figures)]
            self.assertEqual(figures, expected, label)
        self.assertEqual(checked, set(MEASURED.values()))

    def test_published(self):
        for label, *figures in rows(self.quoted):
            if ", as published" in label:
                name = label.split(", as published")[0]
                found = re.search(rf"{re.escape(name)} ({PERCENT.pattern}) and ({PERCENT.pattern})", self.measured)
                self.assertIsNotNone(found, f"{name} is not in the benchmark")
                self.assertEqual(figures, list(found.groups()), label)

    def test_numbers_of_pieces(self):
        wanted = r"(\d+)\s+function\s+bodies.*?(\d+)\s+Stack\s+Overflow\s+snippets"
        quoted, measured = (re.search(wanted, text, re.S) for text in (self.quoted, self.measured))
        self.assertEqual(quoted.groups(), measured.groups())

    def test_nothing_else_is_quoted(self):
        """A figure that no test compares would grow old."""
        prose = re.sub(r"^```.*?^```", "", self.readme, flags=re.M | re.S).replace(self.quoted, "")
        self.assertEqual(PERCENT.findall(prose), [])
        cells = [cell for cells in rows(self.quoted) for cell in cells[1:]]
        self.assertEqual(sorted(PERCENT.findall(self.quoted)), sorted(cells))

    def test_sections_that_are_linked_to_exist(self):
        headings = re.findall(r"^#+ (.*)$", self.benchmarks, re.M)
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        linked = re.findall(r"\(BENCHMARKS\.md#([^)]+)\)", self.readme)
        self.assertLessEqual(set(linked), anchors)
        self.assertIn("coverage-of-incomplete-code", linked)


if __name__ == "__main__":
    unittest.main()
