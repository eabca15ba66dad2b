"""How scripts/suite_conditions.py halves test files, and what the runtime counts in several modules of one run."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import suite_conditions  # noqa: E402

MODULE = "def f(x):\n    return x\n"


class Halves(unittest.TestCase):
    def test_each_file_is_in_one_half(self):
        mined, checked = suite_conditions.halves(["c", "a", "b"])
        self.assertEqual((mined, checked), (["a", "c"], ["b"]))

    def test_files_take_the_place_of_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = Path(folder) / "tests"
            (tests / "more").mkdir(parents=True)
            for name in ("test_a.py", "more/b_test.py", "conftest.py"):
                (tests / name).write_text("", encoding="utf-8")
            words = 'pytest tests --doctest-modules -m "not slow"'
            project = SimpleNamespace(test_command=words, cwd=".")
            places = SimpleNamespace(source=lambda _: Path(folder), results=lambda *_: Path(folder) / "results")
            _, files = suite_conditions.test_files(project, places)
            self.assertEqual(files, ["tests/more/b_test.py", "tests/test_a.py"])
            found = suite_conditions.test_command(project, places, "checked", files[1:])
            self.assertNotIn("tests", found)
            self.assertNotIn("--doctest-modules", found)
            self.assertIn("tests/test_a.py", found)
            self.assertIn("not slow", found)
            # The results are looked for where the last word says.
            self.assertTrue(found[-1].startswith("--junitxml="))


class Runtime(unittest.TestCase):
    def test_conditions_of_several_modules_are_counted_in_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder).resolve()
            for name in ("one", "two", "three"):
                (folder / f"{name}.py").write_text(MODULE, encoding="utf-8")
            files = [str(folder / f"{name}.py") for name in ("one", "two", "three")]
            wanted = [("x is not None", files[0]), ("x > 1", files[1]), ("len(x) > 0", files[1]), ("x", files[2])]
            checks = [{"file": file, "line": 2, "column": 4, "condition": text} for text, file in wanted]
            config = folder / "checks.json"
            config.write_text(json.dumps({"folder": str(folder), "files": files, "checks": checks}), encoding="utf-8")
            program = "import one, two; one.f(1); one.f(None); two.f(2)"
            paths = os.pathsep.join([str(suite_conditions.RUNTIME), str(folder)])
            environment = {**os.environ, "PYTHONPATH": paths, "SURMISE_INVARIANTS": str(config)}
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
            run = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
            self.assertEqual((run.stdout, run.stderr), (b"", b""))
            (counts,) = [json.loads(path.read_text()) for path in folder.glob("*.counts")]
            self.assertEqual(counts["counts"], [[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]])


if __name__ == "__main__":
    unittest.main()
