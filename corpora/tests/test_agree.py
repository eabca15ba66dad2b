"""Joining and comparing sites of two recordings."""

import importlib.util
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import agree
import sites
from places import finished, record
from test_recordings import Corpus

NAMES = ["None", "True", "str_nonempty"]
HERE, THERE = (1, 0, 1, 4, "variable"), (2, 0, 2, 4, "attribute")
HAVE_PYARROW = importlib.util.find_spec("pyarrow") is not None


class Comparing(unittest.TestCase):
    def test_sites_of_both_and_of_one_side(self):
        ours = {"a.py": {HERE: 1, THERE: 3}, "new.py": {HERE: 1}}
        theirs = {"src/a.py": {HERE: 1, THERE: 5, (9, 0, 9, 1, "variable"): 1}, "gone.py": {HERE: 1}}
        found = agree.compare(ours, theirs, {"src/a.py": "a.py"})
        self.assertEqual((found.both, found.agree, found.share), (2, 1, 0.5))
        self.assertEqual((found.only_theirs, found.only_ours), (2, 1))
        self.assertEqual(found.patterns, {("attribute", 2, 4): 1})
        self.assertEqual(found.examples[("attribute", 2, 4)], ["src/a.py:2:0"])

    def test_nothing_in_common_has_no_share(self):
        self.assertIsNone(agree.compare({}, {"a.py": {HERE: 1}}, {}).share)

    def test_the_total_adds_up(self):
        total = agree.Agreement()
        for _ in range(2):
            total.add(agree.compare({"a.py": {HERE: 1}}, {"a.py": {HERE: 2}}, {"a.py": "a.py"}))
        self.assertEqual((total.both, total.agree, total.patterns[("variable", 1, 2)]), (2, 0, 2))

    def test_a_pattern_names_the_classes_of_each_side(self):
        self.assertEqual(agree.pattern_text(("variable", 0b001, 0b110), NAMES), "variable: +None -True -str_nonempty")


class Paths(unittest.TestCase):
    def test_files_are_the_same_by_content(self):
        ours = {"toy/a.py": "1", "toy/b.py": "2"}
        digests = {"src/toy/a.py": "1", "src/toy/b.py": "other", "src/toy/c.py": None}
        self.assertEqual(agree.match_paths(list(digests), digests, ours), {"src/toy/a.py": "toy/a.py"})

    def test_of_equal_files_the_path_decides(self):
        ours = {"toy/x/__init__.py": "0", "toy/y/__init__.py": "0"}
        digests = {"src/toy/y/__init__.py": "0", "src/toy/x/__init__.py": "0"}
        found = agree.match_paths(list(digests), digests, ours)
        self.assertEqual(found["src/toy/x/__init__.py"], "toy/x/__init__.py")
        self.assertEqual(found["src/toy/y/__init__.py"], "toy/y/__init__.py")


def write_sites(path, places, **columns):
    """A small table of sites: a mask by (file, line)."""
    import pyarrow
    import pyarrow.parquet

    keys = sorted(places)
    table = {"file": [file for file, _ in keys]}
    table |= {name: [line for _, line in keys] for name in ("line", "end_line")}
    table |= {"column": [0] * len(keys), "end_column": [4] * len(keys), "kind": ["variable"] * len(keys)}
    table |= {"name": ["name"] * len(keys), "role": ["-"] * len(keys), "classes": [places[key] for key in keys]}
    table |= {name: [values[key] for key in keys] for name, values in columns.items()}
    types = {name: pyarrow.int32() for name in ("line", "column", "end_line", "end_column")}
    types |= {"classes": pyarrow.uint32(), "total": pyarrow.uint32()}
    arrays = {name: pyarrow.array(values, types.get(name)) for name, values in table.items()}
    made = pyarrow.table(arrays)
    made = made.replace_schema_metadata({"class_bits": json.dumps(NAMES), "project": "toy", "columns": "bytes"})
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(made, path)


@unittest.skipUnless(HAVE_PYARROW, "no pyarrow")
class Command(Corpus):
    def setUp(self):
        super().setUp()
        self.toy = self.project("toy")
        self.trace(self.toy)
        source = self.places.source(self.toy) / "src" / "toy.py"
        source.parent.mkdir(parents=True)
        source.write_text("text\n" * 9)
        own = {("toy.py", line): 1 for line in range(1, 5)}
        digest = dict.fromkeys(own, agree.digest(source))
        write_sites(self.places.trace(self.toy) / "sites.parquet", own, sha256=digest)
        self.data = self.work / "value_use"

    def publish(self, masks):
        write_sites(self.data / "train-toy.parquet", {("src/toy.py", line): mask for line, mask in masks.items()})

    def test_agreement_of_tables(self):
        self.publish({1: 1, 2: 1, 3: 3, 9: 1})
        self.assertEqual(self.command(agree, "--data", self.data, "--json"), 1)
        report = json.loads(self.stdout)
        self.assertEqual(
            report["total"], {"both": 3, "agree": 2, "share": 2 / 3, "only_ours": 1, "only_theirs": 1, "missing": 1}
        )
        self.assertEqual(report["patterns"][0]["only_theirs"], ["True"])
        self.assertEqual(report["patterns"][0]["examples"], ["toy src/toy.py:3:0"])
        self.assertEqual(self.command(agree, "--data", self.data, "--least", 0.5), 0)
        self.assertIn("66.67 % of 3 sites", self.stdout)

    def test_a_run_that_was_cut_misses_nothing(self):
        self.trace_again({"capped": True})
        self.publish({1: 1, 9: 1})
        self.assertEqual(self.command(agree, "--data", self.data, "--json"), 0)
        self.assertEqual(json.loads(self.stdout)["total"]["missing"], 0)

    def trace_again(self, changes):
        status = finished(self.places, self.toy, "trace")
        record(self.places, self.toy, "trace", {**status, **changes})

    def test_bad_input(self):
        self.assertEqual(self.command(agree, "--data", self.work / "nowhere"), 2)
        self.assertIn("hint: --data", self.stderr)
        self.data.mkdir()
        (self.data / "train-toy.parquet").write_text("PAR1")
        self.assertEqual(self.command(agree, "--data", self.data), 2)
        self.assertIn("train-toy.parquet` cannot be read", self.stderr)


class Masks(unittest.TestCase):
    def test_names_of_a_mask(self):
        self.assertEqual(sites.named(0b101, NAMES), ["None", "str_nonempty"])


if __name__ == "__main__":
    unittest.main()
