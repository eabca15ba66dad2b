"""Solutions are taken out of a repository of Git's objects: those that read, each text once."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[1] / "contest-programs.py"
READS = "n = int(input())\nprint(n)\n"
FILES = {"sum/a.py": READS, "sum/b.py": "\n" + READS, "plain.py": "print(1)\n"}
FILES |= {"sum/test_a.py": "input()\n", "other/c.py": "import sys\nprint(sys.stdin.read())\n", "readme.md": "input\n"}


class ContestProgramsTest(unittest.TestCase):
    def run_script(self, *arguments):
        command = [sys.executable, str(SCRIPT), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    def test_programs_that_read_are_taken_once(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in FILES.items():
                (folder / "work" / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / "work" / name).write_text(text)
            git = ["git", "-C", str(folder / "work"), "-c", "user.name=a", "-c", "user.email=a@example.org"]
            for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "one"]):
                subprocess.run([*git, *command], check=True)
            out = folder / "programs.jsonl"
            done = self.run_script("--repository", f"me/solutions={folder / 'work' / '.git'}", "-o", out)
            self.assertEqual((done.returncode, done.stdout), (0, "2 programs of me/solutions\n"), done.stderr)
            rows = [json.loads(line) for line in out.read_text().splitlines()]
            self.assertEqual({row["problem_id"] for row in rows}, {"me:sum", "me:other"})
            self.assertEqual({row["error_class"] for row in rows}, {"No error"})

    def test_what_is_no_repository_is_bad_usage(self):
        for folder in ("/nowhere", tempfile.gettempdir()):
            done = self.run_script("--repository", f"a={folder}", "-o", "/dev/null")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"`a={folder}` is no name", done.stderr)


if __name__ == "__main__":
    unittest.main()
