"""Resuming, failing, limits: the builder with a manifest of toys, and contained runs of real commands."""

import contextlib
import io
import json
import os
import sys
import tarfile
import tempfile
import threading
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import build
import environment
import manifest
import run
from places import Places, finished, last, record
from test_manifest import TOY

RAN = {"ok": True, "seconds": 1.0, "passed": 3, "failed": 0, "skipped": 0, "capped": False}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name).resolve()
        self.places = Places(self.work)


class Status(Folder):
    def test_only_a_good_status_of_the_same_entry_counts(self):
        self.assertIsNone(finished(self.places, TOY, "plain"))
        record(self.places, TOY, "plain", {"ok": False, "error": "no"})
        self.assertIsNone(finished(self.places, TOY, "plain"))
        self.assertEqual(last(self.places, TOY, "plain")["error"], "no")
        record(self.places, TOY, "plain", RAN)
        self.assertEqual(finished(self.places, TOY, "plain")["passed"], 3)
        self.assertEqual(finished(self.places, replace(TOY, split="dev"), "plain")["passed"], 3)
        self.assertIsNone(finished(self.places, replace(TOY, test_command="pytest"), "plain"))

    def test_a_file_that_is_no_status_counts_as_none(self):
        path = self.places.status(TOY, "plain")
        path.parent.mkdir(parents=True)
        for text in ("", "{", "[]"):
            path.write_text(text)
            self.assertIsNone(finished(self.places, TOY, "plain"))


class Resume(Folder):
    """The three stages are replaced by ones that only tell that they were called."""

    def setUp(self):
        super().setUp()
        self.calls = []
        self.broken = set()
        for module, stage in ((environment, "fetch"), (run, "plain"), (run, "trace")):
            patch = mock.patch.object(module, stage, self.stage(stage))
            patch.start()
            self.addCleanup(patch.stop)
        self.manifest = self.work / "projects.json"
        manifest.write(
            [replace(TOY, name=name, seconds=seconds) for name, seconds in (("a", 9.0), ("b", 1.0))], self.manifest
        )

    def stage(self, stage):
        def call(project, *_):
            self.calls.append(f"{project.name}.{stage}")
            if f"{project.name}.{stage}" in self.broken:
                raise run.RunError("toy is broken")
            return {**RAN, "differences": [], "files": [], "exit_code": 0, "surmise_sha256": ""}

        return call

    def build(self, *words):
        self.calls.clear()
        stdout, stderr = io.StringIO(), io.StringIO()
        command = [
            "build.py",
            "--work",
            str(self.work),
            "--manifest",
            str(self.manifest),
            "--surmise",
            sys.executable,
            *words,
        ]
        with (
            mock.patch.object(sys, "argv", command),
            contextlib.redirect_stderr(stderr),
            contextlib.redirect_stdout(stdout),
        ):
            self.code = build.main()
        self.stderr, self.stdout = stderr.getvalue(), stdout.getvalue()
        return self.calls

    def test_quick_projects_first_and_each_stage_once(self):
        self.assertEqual(self.build("--stage", "plain"), ["b.fetch", "b.plain", "a.fetch", "a.plain"])
        self.assertEqual(self.build("--stage", "plain"), [])
        self.assertEqual(self.build(), ["b.trace", "a.trace"])
        self.assertEqual(self.build(), [])
        self.assertEqual(self.code, 0)
        self.assertEqual(
            [entry["name"] for entry in json.loads((self.work / "collected.json").read_text())], ["a", "b"]
        )

    def test_a_failure_is_named_and_stops_nothing_else(self):
        self.broken = {"b.plain"}
        self.assertEqual(self.build(), ["b.fetch", "b.plain", "a.fetch", "a.plain", "a.trace"])
        self.assertEqual(self.code, 1)
        self.assertIn("failed: b (plain)", self.stderr)
        self.broken = set()
        self.assertEqual(self.build(), ["b.plain", "b.trace"])
        self.assertEqual(self.code, 0)

    def test_a_changed_entry_is_done_again(self):
        self.build()
        manifest.write([replace(TOY, name="a", packages=["other"]), replace(TOY, name="b", split="dev")], self.manifest)
        self.assertEqual(self.build(), ["a.trace"])

    def test_redo_does_the_named_stage_again(self):
        self.build()
        self.assertEqual(self.build("--only", "a", "--stage", "trace", "--redo"), ["a.trace"])
        self.assertEqual(self.build("--only", "a", "--redo"), ["a.fetch", "a.plain", "a.trace"])

    def test_json_lines(self):
        self.build("--only", "a", "--stage", "plain", "--json")
        self.assertEqual([json.loads(line)["stage"] for line in self.stdout.splitlines()], ["fetch", "plain"])

    def test_a_name_that_is_not_there(self):
        self.assertEqual(self.build("--only", "c"), [])
        self.assertEqual(self.code, 2)
        self.assertIn("not in the manifest: c", self.stderr)


class Suite(Folder):
    """Real commands under contain.py, with or without namespaces, as the machine allows."""

    def run_toy(self, text, seconds=20.0):
        toy = replace(TOY, test_command=f"{sys.executable} suite.py")
        source = self.places.source(toy)
        source.mkdir(parents=True, exist_ok=True)
        (source / "suite.py").write_text(text)
        return run.plain(toy, self.places, seconds)


class Contained(Suite):
    def test_outcomes_and_a_clean_environment(self):
        code = (
            "import os, socket, sys\n"
            "assert sys.stdin.read() == ''\n"
            "assert set(os.environ) <= set('PATH HOME TMPDIR LANG TZ PYTHONDONTWRITEBYTECODE PYTHONHASHSEED LC_CTYPE'.split())\n"
            "assert os.path.isdir(os.environ['TMPDIR']) and os.path.isdir(os.environ['HOME'])\n"
            "socket.create_server(('127.0.0.1', 0)).close()\n"
            "print('test_a (m.C.test_a) ... ok')\n"
        )
        status = self.run_toy(code)
        self.assertEqual((status["passed"], status["exit_code"], status["capped"]), (1, 0, False))

    def test_devices_stay_as_they_are(self):
        if not run.wrapper() or os.geteuid() != 0:
            self.skipTest("needs root, and namespaces")
        code = (
            "import os\n"
            "open('/dev/null', 'w').write('x')\n"
            "try:\n    os.chmod('/dev/null', os.stat('/dev/null').st_mode & 0o777)\n"
            "except OSError:\n    print('test_a (m.C.test_a) ... ok')\n"
        )
        self.assertEqual(self.run_toy(code)["passed"], 1)

    def test_memory_is_that_of_the_largest_process_below(self):
        child = "held = bytearray(200_000_000); held[::4096] = bytes(len(held[::4096]))"
        code = (
            "import subprocess, sys\n"
            f"subprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
            "print('test_a (m.C.test_a) ... ok')\n"
        )
        peak = self.run_toy(code)["peak_mb"]
        self.assertGreater(peak, 200)
        self.assertLess(peak, 300)

    def test_a_suite_without_results_fails(self):
        with self.assertRaisesRegex(run.RunError, "0 passed, 0 failed, exit code 3 .* no such thing"):
            self.run_toy("import sys; print('no such thing'); sys.exit(3)")

    def test_the_limit_interrupts_and_keeps_what_there_is(self):
        code = (
            "import time\n"
            "print('test_a (m.C.test_a) ... ok', flush=True)\n"
            "try:\n    time.sleep(60)\n"
            "except KeyboardInterrupt:\n    print('test_b (m.C.test_b) ... ok')\n"
        )
        status = self.run_toy(code, seconds=1.0)
        self.assertEqual((status["passed"], status["capped"]), (2, True))
        self.assertLess(status["seconds"], 20)

    def test_who_catches_one_interrupt_gets_another(self):
        code = (
            "import time\n"
            "def test():\n"
            "    try:\n        time.sleep(60)\n"
            "    except BaseException:\n        print('test_a (m.C.test_a) ... ok', flush=True)\n"
            "test()\ntry:\n    time.sleep(60)\n"
            "except KeyboardInterrupt:\n    print('test_b (m.C.test_b) ... ok')\n"
        )
        with mock.patch.object(run, "GRACE_SECONDS", 4):
            status = self.run_toy(code, seconds=1.0)
        self.assertEqual((status["passed"], status["capped"]), (2, True))

    def test_what_ignores_the_interrupt_is_killed_with_its_children(self):
        alive = self.work / "alive"
        child = f"import time; time.sleep(2.5); open({str(alive)!r}, 'w')"
        code = (
            "import signal, subprocess, sys, time\n"
            "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "print('test_a (m.C.test_a) ... ok', flush=True)\n"
            f"subprocess.Popen([sys.executable, '-c', {child!r}])\n"
            "time.sleep(60)\n"
        )
        with mock.patch.object(run, "GRACE_SECONDS", 0.5):
            status = self.run_toy(code, seconds=0.5)
        self.assertTrue(status["capped"])
        self.assertLess(status["seconds"], 20)
        time.sleep(max(0, 3.5 - status["seconds"]))
        self.assertFalse(alive.exists())

    def test_a_stopped_run_is_no_result(self):
        timer = threading.Timer(1.0, run.stop_all)
        timer.start()
        self.addCleanup(timer.join)
        with self.assertRaises(run.RunError):
            self.run_toy("print('test_a (m.C.test_a) ... ok', flush=True); import time; time.sleep(60)")


FAKE_SURMISE = """#!/bin/sh
echo "$@" > "$HOME/../words"
mkdir -p "$3"
while [ "$1" != -- ]; do shift; done
shift
[ -e no-parquet ] || touch "$DIR/events.parquet"
TRACED=1 "$@"
"""


class Traced(Suite):
    """`surmise trace` is played by a script that runs the command and leaves an empty file."""

    def setUp(self):
        super().setUp()
        self.surmise = self.work / "surmise"
        self.surmise.write_text(FAKE_SURMISE.replace("$DIR", str(self.places.trace(TOY))))
        self.surmise.chmod(0o755)
        self.toy = replace(TOY, test_command=f"{sys.executable} suite.py", packages=["toy", "toy_extra"])
        text = (
            "import os\nprint('test_a (m.C.test_a) ... ok')\n"
            "print('test_b (m.C.test_b) ...', 'FAIL' if 'TRACED' in os.environ else 'ok')\n"
        )
        record(self.places, TOY, "plain", self.run_toy(text))

    def test_words_files_and_differences(self):
        with mock.patch.object(run, "FAILURES_ALLOWED", 1):
            status = run.trace(self.toy, self.places, 20.0, self.surmise)
        self.assertEqual(
            status["differences"], [{"test": "test_b (m.C.test_b)", "plain": "passed", "traced": "failed"}]
        )
        self.assertEqual(status["files"], [{"path": "traces/toy/events.parquet", "bytes": 0}])
        python = self.places.venv(TOY) / "bin" / "python"
        words = f"trace -o {self.places.trace(TOY)} --package toy --package toy_extra --python {python} -- {sys.executable} suite.py"
        self.assertEqual((self.work / "homes" / "words").read_text().strip(), words)

    def test_no_file_is_a_failure(self):
        (self.places.source(TOY) / "no-parquet").touch()
        with mock.patch.object(run, "FAILURES_ALLOWED", 1), self.assertRaisesRegex(run.RunError, "no Parquet file"):
            run.trace(self.toy, self.places, 20.0, self.surmise)


class Sdist(Folder):
    def test_a_wrong_checksum_is_refused_and_the_file_removed(self):
        self.places.sdists.mkdir()
        path = self.places.sdists / "toy-1.0.tar.gz"
        path.write_bytes(b"not what it should be")
        with self.assertRaisesRegex(environment.FetchError, "has the SHA-256"):
            environment.sdist(TOY, self.places, self.work / "log")
        self.assertFalse(path.exists())

    def test_names_and_versions_of_files(self):
        for name, project in (("My_Toy-1.0.tar.gz", "my.toy"), ("toy-1.0.zip", "toy"), ("toy-1.0.1.tar.gz", None)):
            (self.work / name).touch()
            wanted = replace(TOY, name=project or "toy", version="1.0.1" if project is None else "1.0")
            self.assertEqual(environment.find(wanted, self.work), self.work / name)
        self.assertIsNone(environment.find(replace(TOY, version="2"), self.work))

    def test_the_top_folder_is_the_source(self):
        (self.work / "toy-1.0").mkdir()
        (self.work / "toy-1.0" / "setup.py").touch()
        with tarfile.open(self.work / "toy-1.0.tar.gz", "w:gz") as archive:
            archive.add(self.work / "toy-1.0", "toy-1.0")
        environment.unpack(self.work / "toy-1.0.tar.gz", self.places.source(TOY))
        self.assertTrue((self.places.source(TOY) / "setup.py").exists())


if __name__ == "__main__":
    unittest.main()
