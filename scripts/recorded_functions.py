"""Functions of projects with the lines of their recorded calls: for bench-fidelity.py and plausibility-examples.py."""

import dataclasses
import hashlib
import importlib.util
import random
import sys
from pathlib import Path

from command_line import ROOT, progress
from fidelity import chosen_call, functions, isolated
from recorded_calls import read_calls

sys.path.insert(0, str(ROOT / "corpora"))

import manifest  # noqa: E402
import run  # noqa: E402
from places import Places, finished, record  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Recorded(Places):
    """Paths of our own recordings, which are made with the sources and environments of a build."""

    build: Places

    def source(self, project):
        return self.build.source(project)

    def venv(self, project):
        return self.build.venv(project)


def add_options(parser):
    """The options that choose projects and functions."""
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work directory of corpora/build.py")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="keeps recordings and results here")
    parser.add_argument("--manifest", type=Path, default=manifest.PATH, metavar="FILE", help="another projects.json")
    parser.add_argument(
        "--limit", type=int, default=80, help="functions of each project at most (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw and of the runs (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="functions at a time (default: %(default)s)")
    parser.add_argument(
        "--limit-seconds",
        type=float,
        default=200,
        help="for one test suite; what it has by then is kept (default: 200)",
    )


def check_options(parser, arguments):
    if importlib.util.find_spec("pyarrow") is None:
        parser.error("pyarrow was not found: python3 -m pip install -r corpora/requirements.txt")
    arguments.out = arguments.out.resolve()


def choose(parser, arguments, splits):
    """The requested projects that the work directory has; without names those of some splits."""
    try:
        everything = {project.name: project for project in manifest.load(arguments.manifest, draft=True)}
    except manifest.ManifestError as error:
        parser.error(str(error))
    names = arguments.projects or [name for name, project in everything.items() if project.split in splits]
    if unknown := sorted(set(names) - set(everything)):
        parser.error(f"not in `{arguments.manifest}`: {', '.join(unknown)}")
    places = Recorded(arguments.out, Places(arguments.work.resolve()))
    chosen = [everything[name] for name in names if (places.venv(everything[name]) / "bin" / "python").exists()]
    if not chosen:
        parser.error(f"`{arguments.work}` has none of the projects\nhint: corpora/build.py --work DIR --stage fetch")
    if missing := sorted(set(names) - {project.name for project in chosen}):
        print(f"not built, left out: {', '.join(missing)}", file=sys.stderr)
    return places, chosen


def record_lines(arguments, places, project, with_values=False):
    """Records the test suite of a project, unless a recording exists."""
    if finished(places, project, "trace"):
        return
    progress(f"{project.name}: its tests, {arguments.limit_seconds:.0f} s at most")
    target = places.trace(project)
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [str(arguments.surmise), "trace", "-o", str(target), "--replace", "--lines", "*"]
    words.append("--call-values" if with_values else "--no-literals")
    for package in project.packages:
        words += ["--package", package]
    words += ["--python", str(places.venv(project) / "bin" / "python"), "--"]
    words += run.test_words(project, places, "trace")
    found = run.run(project, places, "trace", words, arguments.limit_seconds)
    record(places, project, "trace", {**found, "ok": True})


def calls_of(places, project):
    """Recorded calls as (row of lines.parquet, lines) by (file, function), and the SHA-256 of each file."""
    import pyarrow.parquet

    folder = places.trace(project)
    files = pyarrow.parquet.read_table(folder / "files.parquet", columns=["file", "sha256"]).to_pylist()
    found, first = {}, 0
    columns = ["file", "function", "lines", "cut"]
    for batch in pyarrow.parquet.ParquetFile(folder / "lines.parquet").iter_batches(columns=columns):
        for number, row in enumerate(batch.to_pylist(), first):
            if not row["cut"]:
                name = row["function"].replace(".<locals>.", ".")
                found.setdefault((row["file"], name), []).append((number, row["lines"]))
        first += batch.num_rows
    return found, {row["file"]: row["sha256"] for row in files}


def source_of(places, project, file, sha256):
    """The path of a recorded file, installed or beside its tests; None where nothing has its checksum."""
    roots = [*places.venv(project).glob("lib/python*/site-packages"), places.source(project)]
    for root in [*roots, places.source(project) / "src", places.source(project) / "lib"]:
        path = root / file
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    return None


def is_test(file):
    *folders, name = Path(file).parts
    return name.startswith(("test_", "conftest")) or name.endswith("_test.py") or bool({"test", "tests"} & {*folders})


def eligible(places, project):
    """(path, Function, [(row, sequence) of its calls]) by (file, qualified name)."""
    calls, checksums = calls_of(places, project)
    modules, found = {}, {}
    for (file, name), lines in sorted(calls.items()):
        if is_test(file):
            continue
        if file not in modules:
            path = source_of(places, project, file, checksums.get(file))
            modules[file] = (path, functions(path.read_text(encoding="utf-8")) if path else {})
        path, known = modules[file]
        function = known.get(name)
        if function is None or function.nested or function.suspends or len(function.own) < 2:
            continue
        sequences = [(number, function.sequence(sequence)) for number, sequence in lines]
        if sequences := [(number, sequence) for number, sequence in sequences if sequence]:
            found[file, name] = (path, function, sequences)
    return found


def draw(arguments, places, project, with_values=False):
    """(Function, row of the results) of each function to run, by its file and name; how many there are to draw from.
    Each gets its module, less all other functions, in a file of its own."""
    found = eligible(places, project)
    names = sorted(found)
    dice = random.Random(f"{arguments.seed} {project.name}")
    taken = sorted(dice.sample(names, min(arguments.limit, len(names))))
    rows = {}
    for file, name in taken:
        path, function, sequences = found[file, name]
        digest = hashlib.sha256(f"{file}::{name}".encode()).hexdigest()[:12]
        snippet = arguments.out / "snippets" / project.name / f"f_{digest}.py"
        manifest.replace(snippet, isolated(path.read_text(encoding="utf-8"), function))
        row = {"project": project.name, "file": file, "function": name, "own": sorted(function.own)}
        row |= {"branch": function.has_branch, "ordered": not function.has_loop and not function.calls_itself}
        row |= {"calls": [sequence for _, sequence in sequences], "guided": {}, "errors": {}, "failures": {}}
        row |= {"path": str(path), "environment": str(places.venv(project))}
        row["number"] = sequences[chosen_call(row, arguments.seed)][0]
        rows[f"{snippet}::{name}"] = (function, row)
    if with_values:
        calls = read_calls(places.trace(project), {row["number"] for _, row in rows.values()})
        for _, row in rows.values():
            row["call"] = calls[row["number"]]
    return rows, len(names)
