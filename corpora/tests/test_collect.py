"""The data set: what is written, kept, removed and refused."""

import importlib.util
import json
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import collect
import conditions
import manifest
import slim
from test_recordings import Corpus

HAVE_PYARROW = importlib.util.find_spec("pyarrow") is not None


class Counts(unittest.TestCase):
    def test_are_in_the_order_of_the_bits(self):
        counts = [{"class": "c", "count": 9}, {"class": "a", "count": 2}]
        self.assertEqual(slim.class_counts(0b101, counts, {"a": 0, "b": 1, "c": 2}), [2, 9])

    def test_classes_that_were_not_counted_have_none(self):
        self.assertEqual(slim.class_counts(0b111, [{"class": "b", "count": 4}], {"a": 0, "b": 1, "c": 2}), [0, 4, 0])


class Full(Corpus):
    def setUp(self):
        super().setUp()
        self.out = self.work / "out"
        for name, split in (("a", "train"), ("b", "test")):
            toy = self.project(name, split=split)
            self.trace(toy)
            self.table(toy).write_text(f"sites of {name}")

    def table(self, toy):
        return self.places.trace(toy) / "sites.parquet"

    def collect(self, *words):
        return self.command(collect, "-o", self.out, *words)

    def names(self):
        return sorted(entry.name for entry in self.out.iterdir())

    def listing(self):
        return json.loads((self.out / "dataset.json").read_text())

    def test_tables_are_copies_named_by_split_and_project(self):
        self.assertEqual(self.collect(), 0)
        self.assertEqual(self.names(), ["dataset.json", "test-b.parquet", "train-a.parquet"])
        self.assertEqual((self.out / "train-a.parquet").read_text(), "sites of a")
        entry = self.listing()["tables"][1]
        self.assertEqual((entry["project"], entry["split"], entry["sites_hit"], entry["bytes"]), ("a", "train", 5, 10))
        self.assertNotIn("not recorded", self.stdout)

    def test_again_writes_nothing(self):
        self.collect()
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        with mock.patch.object(collect.shutil, "copyfile", side_effect=AssertionError):
            self.assertEqual(self.collect(), 0)
        self.assertIn("2 tables (2 kept)", self.stdout)
        self.assertEqual(before, {path.name: path.read_bytes() for path in self.out.iterdir()})

    def test_what_changed_is_written_again(self):
        self.collect()
        self.table(self.projects[0]).write_text("other sites")
        (self.out / "test-b.parquet").write_text("damaged")
        self.assertEqual(self.collect(), 0)
        self.assertIn("(0 kept)", self.stdout)
        self.assertEqual((self.out / "train-a.parquet").read_text(), "other sites")
        self.assertEqual((self.out / "test-b.parquet").read_text(), "sites of b")

    def test_a_project_is_never_in_two_splits(self):
        self.collect()
        manifest.write([replace(self.projects[0], split="dev"), self.projects[1]], self.manifest)
        self.collect()
        self.assertEqual(self.names(), ["dataset.json", "dev-a.parquet", "test-b.parquet"])

    def test_goes_on_after_a_kill(self):
        with (
            mock.patch.object(collect.os, "replace", side_effect=KeyboardInterrupt),
            self.assertRaises(KeyboardInterrupt),
        ):
            self.collect()
        self.assertNotEqual(self.names(), [])
        self.assertEqual(self.collect(), 0)
        (self.out / ".train-a.parquet.partial").write_text("half")
        (self.out / "train-b.parquet").write_text("written, but not listed yet")
        self.assertEqual(self.collect(), 0)
        self.assertEqual(self.names(), ["dataset.json", "test-b.parquet", "train-a.parquet"])

    def test_files_of_others_are_refused_and_left(self):
        self.out.mkdir()
        (self.out / "train-a.parquet").write_text("precious")
        self.assertEqual(self.collect(), 2)
        self.assertIn("hint:", self.stderr)
        self.assertEqual((self.out / "train-a.parquet").read_text(), "precious")
        (self.out / "train-a.parquet").unlink()
        self.collect()
        (self.out / "notes.txt").write_text("precious")
        self.assertEqual(self.collect(), 2)
        self.assertIn("files of others: notes.txt", self.stderr)

    def test_another_form_is_refused(self):
        self.collect()
        dataset = collect.Dataset(self.out, slim.FORM)
        with self.assertRaisesRegex(manifest.ManifestError, "in the form surmise.trace/1"):
            dataset.open(set())

    def test_a_damaged_recording_is_left_out_and_named(self):
        self.collect()
        summary = self.places.trace(self.projects[0]) / "trace.json"
        summary.write_text(json.dumps({**json.loads(summary.read_text()), "tables": {"sites.parquet": "0" * 64}}))
        self.assertEqual(self.collect(), 1)
        self.assertIn("left out: a: ", self.stderr)
        self.assertEqual(self.names(), ["dataset.json", "test-b.parquet"])

    def test_the_size_is_told_and_limited(self):
        self.assertEqual(self.collect("--most-mb", 0.00001), 1)
        self.assertEqual(self.collect("--most-mb", 1, "--json"), 0)
        self.assertEqual(json.loads(self.stdout)["totals"], {"sites_hit": 10, "pairs": 12, "bytes": 20})

    def test_nothing_recorded(self):
        manifest.write([replace(self.projects[0], name="new")], self.manifest)
        self.assertEqual(self.collect(), 2)
        self.assertFalse(self.out.exists())


@unittest.skipUnless(HAVE_PYARROW, "no pyarrow")
class Slim(Corpus):
    def recording(self, path):
        import pyarrow
        import pyarrow.parquet

        count = pyarrow.struct([("class", pyarrow.string()), ("count", pyarrow.uint32())])
        fields = {"line": pyarrow.int32(), "column": pyarrow.int32(), "end_line": pyarrow.int32()}
        fields |= {"end_column": pyarrow.int32(), "classes": pyarrow.uint32(), "counts": pyarrow.list_(count)}
        rows = [
            {"file": "b.py", "line": 2, "classes": 3, "counts": [{"class": "True", "count": 7}]},
            {"file": "a.py", "line": 9, "classes": 1, "counts": [{"class": "None", "count": 1}]},
        ]
        rest = {
            "sha256": "00",
            "column": 0,
            "end_line": 9,
            "end_column": 4,
            "kind": "variable",
            "name": "n",
            "role": "-",
        }
        rows = [{**rest, **row} for row in rows]
        table = {name: pyarrow.array([row[name] for row in rows], fields.get(name)) for name in rows[0]}
        metadata = {"class_bits": '["None", "True"]', "columns": "bytes", "schema": "surmise.trace/1"}
        pyarrow.parquet.write_table(pyarrow.table(table).replace_schema_metadata(metadata), path)

    def test_columns_order_and_counts(self):
        import pyarrow.parquet

        toy = self.project("toy")
        self.trace(toy)
        self.recording(self.places.trace(toy) / "sites.parquet")
        self.assertEqual(self.command(collect, "-o", self.work / "out", "--slim"), 0)
        found = pyarrow.parquet.ParquetFile(self.work / "out" / "train-toy.parquet")
        rows = found.read().to_pylist()
        self.assertEqual([row["file"] for row in rows], ["a.py", "b.py"])
        self.assertEqual(list(rows[0]), [*slim.COLUMNS, "class_counts"])
        self.assertEqual([row["class_counts"] for row in rows], [[1], [0, 7]])
        metadata = found.metadata.metadata
        self.assertEqual((metadata[b"project"], metadata[b"slim"]), (b"toy", slim.FORM.encode()))
        self.assertNotIn(b"schema", metadata)

    def test_a_table_that_cannot_be_read(self):
        toy = self.project("toy")
        self.trace(toy)
        (self.places.trace(toy) / "sites.parquet").write_text("PAR1")
        self.assertEqual(self.command(collect, "-o", self.work / "out", "--slim"), 1)
        self.assertIn("left out: toy: ", self.stderr)


@unittest.skipUnless(HAVE_PYARROW, "no pyarrow")
class Conditions(Corpus):
    def test_tables_have_what_conditions_of_recorded_functions_came_to(self):
        import hashlib

        import pyarrow
        import pyarrow.parquet

        toy = self.project("a", split="train")
        self.trace(toy)
        folder = self.places.trace(toy)
        (folder / "sites.parquet").write_text("sites")
        self.assertEqual(self.command(collect, "-o", self.work / "out", "--conditions"), 2)
        self.assertIn("build.py --lines", self.stderr)
        source = self.places.source(toy) / "p" / "m.py"
        source.parent.mkdir(parents=True)
        source.write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        files = pyarrow.table({"file": ["p/m.py"], "sha256": [digest]})
        pyarrow.parquet.write_table(files, folder / "files.parquet")
        calls = {"file": ["p/m.py"] * 3, "lines": [[2, 3], [2, 4], [2, 3]], "cut": [False] * 3}
        pyarrow.parquet.write_table(pyarrow.table(calls), folder / "lines.parquet")
        self.assertEqual(self.command(collect, "-o", self.work / "out", "--conditions"), 0)
        table = pyarrow.parquet.read_table(self.work / "out" / "train-a.parquet")
        (row,) = table.to_pylist()
        self.assertEqual((row["line"], row["column"], row["first_true"], row["first_false"]), (2, 7, 2, 1))
        stored = pyarrow.parquet.read_metadata(self.work / "out" / "train-a.parquet").metadata
        self.assertEqual(stored[b"conditions"].decode(), conditions.FORM)


if __name__ == "__main__":
    unittest.main()
