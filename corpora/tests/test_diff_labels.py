"""The labels and synthetic pairs of corpora/diff: complete, unique, balanced, and sources that parse."""

import ast
import hashlib
import json
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "diff"))

import sample

FOLDER = Path(__file__).resolve().parent.parent / "diff"
DATA = FOLDER.parent.parent.parent / "shared" / "datasets"
LABELS = {"different", "equal"}
KINDS = {
    "refactoring",
    "rename",
    "formatting",
    "docs",
    "annotation",
    "api-change",
    "bug-fix",
    "feature",
    "error-handling",
    "performance",
    "message-text",
    "python2-removal",
    "other",
}
REQUIRED = {"id", "label", "kind", "reason", "half", "sample"}
OPTIONAL = {"unsure", "note"}


def half_of(found):
    """The half that an id falls into, whatever its label."""
    return "dev" if int(hashlib.sha256(found.encode()).hexdigest(), 16) % 2 == 0 else "held-out"


class Labels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = sample.read(FOLDER / "labels.jsonl")
        cls.sure = [record for record in cls.records if not record.get("unsure")]

    def test_every_record_has_its_fields(self):
        for record in self.records:
            with self.subTest(record["id"]):
                self.assertEqual(set(record) - OPTIONAL, REQUIRED)
                self.assertIn(record["label"], LABELS)
                self.assertIn(record["kind"], KINDS)
                self.assertIn(record["sample"], {"random", "enriched"})
                self.assertIs(record.get("unsure", True), True)
                self.assertTrue(record["reason"].endswith("."))
                self.assertEqual(record["half"], half_of(record["id"]))

    def test_ids_are_unique_and_sorted(self):
        ids = [record["id"] for record in self.records]
        self.assertEqual(ids, sorted(set(ids)))

    def test_enough_pairs_of_both_labels_and_halves(self):
        self.assertGreaterEqual(len(self.sure), 120)
        labels = Counter(record["label"] for record in self.sure)
        self.assertGreaterEqual(min(labels[label] for label in LABELS), 30)
        halves = Counter(record["half"] for record in self.sure)
        self.assertGreaterEqual(min(halves["dev"], halves["held-out"]), 60)
        projects = {record["id"].split("-")[0] for record in self.sure}
        self.assertEqual(projects, set(sample.PROJECTS))

    def test_the_labelled_pairs_are_the_sample(self):
        if not DATA.is_dir():
            self.skipTest("the data sets are not here")
        first = sample.read(DATA / "function_pairs.jsonl")
        extra = sample.read(DATA / "function_pairs_extra.jsonl")
        self.assertEqual({record["id"]: record["sample"] for record in self.records}, sample.parts(first, extra))


class Commits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = sample.read(FOLDER / "commits.jsonl")

    def test_every_record_has_its_fields(self):
        required = {
            "id",
            "project",
            "repository",
            "commit",
            "parent",
            "date",
            "label",
            "kind",
            "reason",
            "half",
            "part",
        }
        for record in self.records:
            with self.subTest(record["id"]):
                self.assertEqual(set(record) - {"unsure", "note", "needs"}, required | {"functions"})
                self.assertIn(record["label"], LABELS)
                self.assertIn(record["kind"], KINDS)
                self.assertEqual(record["id"], f"{record['project']}-{record['commit'][:10]}")
                self.assertEqual(record["half"], half_of(record["id"]))
                self.assertTrue(record["functions"])

    def test_a_commit_is_different_if_one_of_its_functions_is(self):
        for record in self.records:
            if record.get("unsure"):
                continue
            with self.subTest(record["id"]):
                sure = [one["label"] for one in record["functions"] if not one.get("unsure")]
                self.assertEqual(record["label"] == "different", "different" in sure)

    def test_ids_are_unique_and_sorted_and_reserved_projects_are_not_among_them(self):
        ids = [record["id"] for record in self.records]
        self.assertEqual(ids, sorted(set(ids)))
        sure = [record for record in self.records if not record.get("unsure")]
        self.assertGreaterEqual(sum(record["label"] == "equal" for record in sure), 50)
        self.assertGreaterEqual(len({record["project"] for record in sure}), 5)


class Synthetic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = sample.read(FOLDER / "synthetic.jsonl")

    def test_every_pair_has_its_fields_and_parses(self):
        for record in self.records:
            with self.subTest(record["id"]):
                self.assertEqual(set(record), {"id", "label", "kind", "old", "new", "qualname", "reason"})
                self.assertIn(record["label"], LABELS)
                self.assertEqual(record["id"].split("-")[0], "eq" if record["label"] == "equal" else "mut")
                self.assertNotEqual(record["old"], record["new"])
                for side in ("old", "new"):
                    tree = ast.parse(record[side], feature_version=(3, 9))
                    self.assertEqual([node.name for node in tree.body], [record["qualname"].split(".")[-1]])

    def test_ids_are_unique_and_both_labels_have_enough(self):
        self.assertEqual(len({record["id"] for record in self.records}), len(self.records))
        labels = Counter(record["label"] for record in self.records)
        self.assertGreaterEqual(min(labels[label] for label in LABELS), 44)

    def test_no_two_pairs_share_a_source(self):
        sources = [json.dumps(record["old"]) for record in self.records]
        self.assertEqual(len(set(sources)), len(sources))


if __name__ == "__main__":
    unittest.main()
