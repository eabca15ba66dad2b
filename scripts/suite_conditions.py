"""Conditions that are checked at their places while one half of a project's test files runs.

The model's conditions come from `surmise invariants`; others are mined (mined_conditions.py) from calls that were recorded
while the other half of the test files ran. Sources and environments are those of `corpora/build.py --stage fetch`.
"""

import ast
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from added_guards import first_line
from command_line import ROOT
from mined_conditions import mined, observed

sys.path.insert(0, str(ROOT / "corpora"))

import run  # noqa: E402

RUNTIME = ROOT / "executor" / "invariants" / "runtime"


def halves(files):
    """Test files, to mine from and to check with: every other one."""
    files = sorted(files)
    return files[::2], files[1::2]


def test_files(project, places):
    """Files with tests below what the project's test command names."""
    folder = places.source(project) / project.cwd
    words = [word for word in shlex.split(project.test_command)[1:] if (folder / word).exists()]
    found = set()
    for word in words:
        found |= {path for pattern in ("test_*.py", "*_test.py") for path in (folder / word).rglob(pattern)}
    return words, [str(path.relative_to(folder)) for path in sorted(found)]


def test_command(project, places, stage, files):
    """The project's test command for some of its files."""
    named, _ = test_files(project, places)
    words = []
    for word in run.test_words(project, places, stage):
        if word not in named:
            words.append(word)
        elif files[0] not in words:
            words += files
    return [word for word in words if word != "--doctest-modules"]


def modules(project, places):
    """Python files of the packages by the name that recordings give them: as installed, and in the source if it is the
    same there, since test suites may import either."""
    python = places.venv(project) / "bin" / "python"
    code = "import importlib.util as u, sys; print(*(u.find_spec(name).origin for name in sys.argv[1:]), sep='\\n')"
    found = {}
    command = [python, "-I", "-c", code, *project.packages]
    for origin in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split():
        package = Path(origin).resolve()
        files = sorted(package.parent.rglob("*.py")) if package.name == "__init__.py" else [package]
        top = package.parent.parent if package.name == "__init__.py" else package.parent
        for file in files:
            name = file.relative_to(top)
            copies = [places.source(project) / project.cwd / name]
            copies = [copy.resolve() for copy in copies if copy.is_file() and copy.read_bytes() == file.read_bytes()]
            if not is_test(name):
                found[str(name)] = [file, *(copy for copy in copies if copy != file)]
    return found


def is_test(path):
    return any(part in ("tests", "test", "testing") for part in path.parts[:-1]) or path.name.startswith("test_")


def recorded(surmise, project, places, files, seconds):
    """What calls read while test files ran, by file and function."""
    import pyarrow.parquet

    target = places.trace(project).with_name(f"{project.name}.calls")
    words = [str(surmise), "trace", "-o", str(target), "--replace", "--lines", "*", "--call-values"]
    for package in project.packages:
        words += ["--package", package]
    words += ["--python", str(places.venv(project) / "bin" / "python"), "--"]
    run.run(project, places, "mined", words + test_command(project, places, "mined", files), seconds)
    table = pyarrow.parquet.ParquetFile(target / "lines.parquet")
    by_file = defaultdict(list)
    for batch in table.iter_batches(columns=["file", "function", "values"]):
        for row in batch.to_pylist():
            by_file[row["file"]].append(row)
    return {file: observed(rows) for file, rows in by_file.items()}


def predicted(surmise, file, entropy):
    """The model's conditions of a file, with the columns of their places; none where the file is refused."""
    command = [surmise, "invariants", "--json", "--entropy", str(entropy), file]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        print(f"{file}: {ended.stderr.strip()}", file=sys.stderr)
        return []
    columns = {}
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.stmt):
            line = first_line(node)
            columns[line] = min(columns.get(line, node.col_offset), node.col_offset)
    kept = ("function", "line", "end_line", "condition", "entropy", "kind")
    found = json.loads(ended.stdout)["invariants"]
    return [{**{key: one[key] for key in kept}, "column": columns[one["line"]]} for one in found]


def checked(project, places, checks, files, seconds):
    """Adds to each check how often it held, did not, and could not be evaluated while test files ran."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "checks.json"
        sent, numbers = [], []
        for number, check in enumerate(checks):
            for file in check["files"]:
                sent.append({"file": file, **{key: check[key] for key in ("line", "column", "condition")}})
                numbers.append(number)
        named = sorted({one["file"] for one in sent})
        config.write_text(json.dumps({"folder": folder, "files": named, "checks": sent}))
        os.chmod(folder, 0o777)
        environment = ["env", f"PYTHONPATH={RUNTIME}", f"SURMISE_INVARIANTS={config}"]
        run.run(project, places, "checked", environment + test_command(project, places, "checked", files), seconds)
        totals = [[0, 0, 0] for _ in checks]
        for path in Path(folder).glob("*.counts"):
            for number, counts in zip(numbers, json.loads(path.read_text())["counts"]):
                totals[number] = list(map(sum, zip(totals[number], counts)))
    return [{**check, "counts": total} for check, total in zip(checks, totals)]


def measured(surmise, project, places, entropy, least, seconds):
    """All conditions of a project with what they came to."""
    mining, checking = halves(test_files(project, places)[1])
    calls = recorded(surmise, project, places, mining, seconds)
    checks = []
    for name, files in modules(project, places).items():
        source = files[0].read_text(encoding="utf-8")
        own = [{**one, "by": "model"} for one in predicted(surmise, files[0], entropy)]
        own += [{**one, "by": "templates"} for one in mined(source, calls.get(name, {}), least)]
        checks += [{**one, "files": list(map(str, files)), "project": project.name} for one in own]
    said = f"{project.name}: {len(checks)} conditions, {len(mining)} test files mined, {len(checking)} to check"
    print(said, file=sys.stderr, flush=True)
    return checked(project, places, checks, checking, seconds)
