"""The manifest's rules, and that projects.json keeps them."""

import json
import sys
import tempfile
import unittest
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import manifest
from manifest import ManifestError, Project

TOY = Project(
    name="toy",
    version="1.0",
    sdist_sha256="0" * 64,
    licence="MIT",
    domain="utilities",
    packages=["toy"],
    requirements=["pytest==8.0.0"],
    install=".",
    test_command="pytest tests",
    seconds=1.0,
)


class Published(unittest.TestCase):
    def test_keeps_the_rules(self):
        projects = manifest.load(draft=True)
        self.assertGreaterEqual(len(projects), 72)
        self.assertEqual({project.split for project in projects}, set(manifest.SPLITS))

    def test_is_complete(self):
        drafts = [project.name for project in manifest.load(draft=True) if any(manifest.gaps(project))]
        if drafts:
            self.skipTest(f"drafts, to be completed by pin.py: {', '.join(drafts)}")

    def test_is_written_as_pin_writes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "projects.json"
            manifest.write(manifest.load(draft=True), copy)
            self.assertEqual(copy.read_text(), manifest.PATH.read_text())


class Rules(unittest.TestCase):
    def rejects(self, words, *projects):
        with self.assertRaisesRegex(ManifestError, words):
            manifest.check(list(projects))

    def test_a_good_entry_passes(self):
        manifest.check([TOY])
        self.assertEqual(list(manifest.gaps(TOY)), [])

    def test_no_project_is_in_two_splits(self):
        self.rejects("toy: is there twice", TOY, replace(TOY, split="test"))
        self.rejects("twice", replace(TOY, name="t-o"), replace(TOY, name="t.o", split="test"))

    def test_reserved_projects_stay_out(self):
        self.rejects("Poetry_Core: is reserved", replace(TOY, name="Poetry_Core"))
        self.rejects("flask: is a test project", replace(TOY, name="flask"))

    def test_fields(self):
        self.rejects("not sorted", replace(TOY, name="b"), replace(TOY, name="a"))
        self.rejects("split is `dvl`", replace(TOY, split="dvl"))
        self.rejects("SHA-256", replace(TOY, sdist_sha256="abc"))
        self.rejects("SPDX", replace(TOY, licence="MIT License (see file)"))
        self.rejects("import names", replace(TOY, packages=["src/toy"]))
        self.rejects("inside the sdist", replace(TOY, cwd="../elsewhere"))
        self.rejects("strings", replace(TOY, env={"N": 1}))

    def test_gaps_of_a_draft(self):
        draft = replace(TOY, sdist_sha256=None, requirements=["pytest<9"], seconds=None)
        self.assertEqual(len(list(manifest.gaps(draft))), 3)

    def test_unknown_and_missing_fields(self):
        entry = asdict(TOY)
        with self.assertRaisesRegex(ManifestError, "unknown field colour"):
            manifest.parse({**entry, "colour": "red"})
        del entry["split"]
        with self.assertRaisesRegex(ManifestError, "no field split"):
            manifest.parse(entry)

    def test_writing_wraps_and_keeps(self):
        long = replace(TOY, requirements=[f"package-{number}==1.0" for number in range(50)])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "projects.json"
            manifest.write([long], path)
            self.assertEqual(json.loads(path.read_text()), [asdict(long)])
            self.assertLessEqual(max(len(line) for line in path.read_text().splitlines()), manifest.WIDTH)
            self.assertEqual(manifest.load(path), [long])
            self.assertEqual([entry.name for entry in Path(folder).iterdir()], ["projects.json"])


class Fingerprint(unittest.TestCase):
    def changes(self, **fields):
        return {
            stage
            for stage in manifest.STAGE_FIELDS
            if replace(TOY, **fields).fingerprint(stage) != TOY.fingerprint(stage)
        }

    def test_a_stage_depends_on_what_it_uses(self):
        self.assertEqual(self.changes(requirements=[]), {"fetch", "plain", "trace"})
        self.assertEqual(self.changes(test_command="pytest"), {"plain", "trace"})
        self.assertEqual(self.changes(packages=["other"]), {"trace"})
        self.assertEqual(self.changes(split="dev", seconds=2.0, licence="ISC", domain="x"), set())


if __name__ == "__main__":
    unittest.main()
