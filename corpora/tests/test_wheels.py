"""Sources of released packages: what is unpacked of a wheel, and what may not be learned from."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import wheels
from places import Places

METADATA = "Metadata-Version: 2.1\nName: toy\nVersion: 1.2\nLicense: MIT\nClassifier: {classifier}\n\nLicense: none\n"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def wheel(self, members, classifier="License :: OSI Approved :: BSD License"):
        path = self.work / "toy-1.2-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("toy-1.2.dist-info/METADATA", METADATA.format(classifier=classifier))
            for name, text in members.items():
                archive.writestr(name, text)
        return path


class Unpacking(Folder):
    def test_only_own_python_files_are_taken(self):
        members = {
            "toy/__init__.py": "x = 1",
            "toy/_vendor/other/a.py": "y = 1",
            "toy/data.json": "{}",
            "toy/table.py": "#" * (wheels.LARGEST_FILE + 1),
            "../outside.py": "z = 1",
        }
        found = wheels.unpack(self.wheel(members), self.work / "out")
        self.assertEqual(found, ("1.2", "BSD License"))
        names = sorted(str(path.relative_to(self.work / "out")) for path in (self.work / "out").rglob("*.py"))
        self.assertEqual(names, ["toy/__init__.py"])
        self.assertFalse((self.work / "outside.py").exists())

    def test_a_licence_may_be_said_without_a_classifier(self):
        found = wheels.unpack(self.wheel({"toy.py": ""}, "Topic :: Other"), self.work / "out")
        self.assertEqual(found, ("1.2", "MIT"))

    def test_a_wheel_without_python_files_is_refused(self):
        with self.assertRaises(wheels.FetchError):
            wheels.unpack(self.wheel({"toy/data.json": "{}"}), self.work / "out")


class Fetching(Folder):
    def test_another_wheel_than_the_listed_one_is_refused_and_nothing_is_left(self):
        path = self.wheel({"toy.py": ""})
        with mock.patch.object(wheels, "download", return_value=path):
            _, problem = wheels.attempt({"name": "toy", "version": "1.2", "sha256": "0" * 64}, Places(self.work))
            self.assertIn("SHA-256", problem)
            self.assertFalse((self.work / "sources" / "toy").exists())
            entry, problem = wheels.attempt({"name": "toy"}, Places(self.work))
        self.assertEqual((problem, entry["version"], len(entry["sha256"])), ("", "1.2", 64))
        self.assertTrue((self.work / "sources" / "toy" / "toy.py").is_file())
        again = wheels.attempt(entry, Places(self.work))
        self.assertEqual(again, (entry, ""), "what is there is not fetched again")


class List(unittest.TestCase):
    def test_nothing_is_learned_from_what_is_measured(self):
        listed = json.loads(wheels.LIST.read_text(encoding="utf-8"))
        names = {wheels.normalised(entry["name"]) for entry in listed}
        self.assertFalse(names.intersection(wheels.kept_apart()))
        for entry in listed:
            self.assertEqual(entry["split"], wheels.split_of(entry["name"]), entry["name"])

    def test_what_is_measured_is_not_pinned(self):
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(said):
            with mock.patch.object(sys, "argv", ["wheels.py", "--work", folder, "--pin", "Flask", "httpx", "oauthlib"]):
                self.assertEqual(wheels.main(), 2)
        self.assertIn("flask, httpx, oauthlib", said.getvalue())


if __name__ == "__main__":
    unittest.main()
