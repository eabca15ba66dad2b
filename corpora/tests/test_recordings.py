"""What is reported of finished, failed and stale stages; and the figures of the summary."""

import contextlib
import io
import json
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import manifest
import recordings
import summary
from places import record
from test_build import Folder
from test_manifest import TOY

RAN = {
    "ok": True,
    "seconds": 4.0,
    "passed": 3,
    "failed": 1,
    "skipped": 0,
    "capped": False,
    "limit_seconds": 60.0,
    "isolated": True,
}


class Corpus(Folder):
    """A work directory of toys, as `build.py` leaves it."""

    def setUp(self):
        super().setUp()
        self.projects = []
        self.manifest = self.work / "projects.json"

    def project(self, name, **fields):
        project = replace(TOY, name=name, **fields)
        self.projects = sorted([*self.projects, project], key=lambda project: project.name)
        manifest.write(self.projects, self.manifest)
        (self.work / "status").mkdir(exist_ok=True)
        return project

    def trace(self, project, plain=None, trace=None, counts=None):
        """Statuses of a good plain and traced run, with changes."""
        record(self.places, project, "plain", {**RAN, **(plain or {})})
        files = [{"path": f"traces/{project.name}/sites.parquet", "bytes": 1000}]
        status = {**RAN, "seconds": 8.0, "differences": [], "files": files, "surmise_sha256": "0" * 64, **(trace or {})}
        record(self.places, project, "trace", status)
        found = {
            "events": 100,
            "sites": 10,
            "sites_hit": 5,
            "pairs": 6,
            "processes": 1,
            "python": "3.11.7",
            "damaged": [],
        }
        found |= counts or {}
        self.places.trace(project).mkdir(parents=True)
        (self.places.trace(project) / "trace.json").write_text(json.dumps(found))

    def command(self, module, *words):
        """Runs a command on the work directory; keeps what it says in `stdout` and `stderr`, and returns its exit code."""
        stdout, stderr = io.StringIO(), io.StringIO()
        argv = ["command", "--work", str(self.work), "--manifest", str(self.manifest), *map(str, words)]
        with (
            mock.patch.object(sys, "argv", argv),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
        ):
            code = module.main()
        self.stdout, self.stderr = stdout.getvalue(), stderr.getvalue()
        return code


class Reading(Corpus):
    def read(self, project):
        return recordings.read(project, self.places)

    def test_a_finished_trace(self):
        toy = self.project("toy")
        self.trace(toy, {"peak_mb": 50.0}, {"peak_mb": 80.0})
        found = self.read(toy)
        self.assertTrue(found.done)
        self.assertEqual((found.slow_down, found.over_plain("peak_mb"), found.bytes), (2.0, 30.0, 1000))

    def test_what_was_cut_off_has_no_slow_down(self):
        toy = self.project("toy")
        self.trace(toy, {"capped": True}, {"peak_mb": 80.0})
        found = self.read(toy)
        self.assertTrue(found.done and found.capped)
        self.assertEqual((found.slow_down, found.over_plain("peak_mb")), (None, None))

    def test_older_statuses_have_no_memory(self):
        toy = self.project("toy")
        self.trace(toy, trace={"peak_mb": 80.0})
        self.assertIsNone(self.read(toy).over_plain("peak_mb"))

    def test_reasons(self):
        toy = self.project("toy")
        self.assertEqual(self.read(toy).problem, "not run yet")
        record(self.places, toy, "fetch", {"ok": False, "error": "no /a/b/sdist (see /a/log.txt)"})
        self.assertEqual(self.read(toy).problem, "fetch: no sdist")
        record(self.places, toy, "fetch", {"ok": True})
        self.assertEqual(self.read(toy).problem, "no stage after `fetch` was run")
        record(self.places, replace(toy, test_command="other"), "plain", RAN)
        self.assertEqual(self.read(toy).problem, "plain: done for an entry that has changed since")

    def test_a_trace_without_its_summary(self):
        toy = self.project("toy")
        self.trace(toy)
        path = self.places.trace(toy) / "trace.json"
        path.write_text("{}")
        self.assertIn("trace.json has no events", self.read(toy).problem)
        path.unlink()
        self.assertIn("trace.json cannot be read: FileNotFoundError", self.read(toy).problem)


class Notes(unittest.TestCase):
    def test_are_of_projects_in_the_manifest(self):
        self.assertLessEqual(set(recordings.notes()), {project.name for project in manifest.load(draft=True)})


class Summary(Corpus):
    def summary(self):
        self.code = self.command(summary, "--json")
        return json.loads(self.stdout)["totals"]

    def test_slow_downs_are_of_long_whole_runs(self):
        for name, plain, trace in (("a", 4.0, 8.0), ("b", 4.0, 16.0), ("c", 10.0, 30.0), ("quick", 0.5, 9.0)):
            self.trace(self.project(name), {"seconds": plain}, {"seconds": trace})
        self.trace(self.project("cut"), {}, {"seconds": 60.0, "capped": True})
        found = self.summary()
        self.assertEqual(self.code, 0)
        self.assertEqual((found["timed"], found["median_slow_down"]), (3, 3.0))
        self.assertEqual(found["worst_slow_down"], {"name": "b", "slow_down": 4.0})
        self.assertEqual((found["recorded"], found["events"], found["bytes"]), (5, 500, 5000))
        self.assertEqual(found["capped"], ["cut"])

    def test_differences_and_memory(self):
        difference = [{"test": "t", "plain": "passed", "traced": "failed"}]
        self.trace(self.project("a"), {"peak_mb": 50.0}, {"peak_mb": 90.0, "differences": difference})
        self.trace(self.project("b"), {"peak_mb": 50.0}, {"peak_mb": 70.0})
        found = self.summary()
        self.assertEqual((found["same_outcomes"], found["differences"]), (1, {"a": 1}))
        self.assertEqual(found["median_memory_over_plain_mb"], 30.0)
        self.assertEqual(found["worst_memory_over_plain_mb"], {"name": "a", "mb": 40.0})

    def test_what_is_missing_and_what_is_explained(self):
        self.trace(self.project("a"))
        failed = self.project("pony")
        record(self.places, failed, "trace", {"ok": False, "error": "780 failed"})
        self.assertIn("pony", self.summary()["not_comparable"])
        self.assertEqual(self.code, 0)
        self.project("zebra")
        self.assertEqual(self.summary()["missing"], ["zebra"])
        self.assertEqual(self.code, 1)

    def test_the_table_and_an_empty_corpus(self):
        self.project("a")
        self.assertEqual(self.command(summary), 1)
        self.assertIn("projects recorded         0 of 1", self.stdout)
        self.trace(self.projects[0])
        self.assertEqual(self.command(summary), 0)
        self.assertRegex(self.stdout, r"(?m)^a +train +4\.0 +8\.0 +2\.00x +0 +10 +5 +6 +100 ")

    def test_a_folder_that_is_no_work_directory(self):
        manifest.write([TOY], self.manifest)
        self.assertEqual(self.command(summary), 2)
        self.assertIn("hint:", self.stderr)


if __name__ == "__main__":
    unittest.main()
