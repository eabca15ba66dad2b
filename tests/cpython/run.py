#!/usr/bin/env python3
"""Runs CPython's own test modules plainly and rewritten by Surmise, and compares them test by test.

Every module of `modules.txt` runs twice, in place: as `python FILE -v` and as `surmise run --plain FILE -- -v`. Each
test must end the same way in both; the differences that come with rewriting source are listed in
`differences.json`, each with its reason, and one that no longer occurs fails as stale. A rewritten module that does
not compile fails too: `surmise run` would fall back to the source.

A module of `modules.txt` with `main` behind its name does not run its tests by itself when it is started as a file: a
copy of it with another end is run.

    tests/cpython/run.py --only test_generators
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent

HEADER = re.compile(
    r"^\s*(?P<name>[^\s(].*?) \((?P<id>(?:__main__|[A-Za-z_][\w]*\.)[^\s()]*)\)"
    r"(?P<subtest>.*?)(?= \.\.\. |$)"
)
OUTCOME = re.compile(
    r"(?:^|\.\.\. |[^\w\s.])\s*(?P<outcome>ok|FAIL|ERROR|skipped ['\"].*|expected failure|unexpected success)$"
)
TOTALS = re.compile(r"^Ran (?P<count>\d+) tests? in ")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
MAIN_BLOCK = re.compile(r"^if __name__ == ['\"]__main__['\"]:", re.MULTILINE)
MAIN = "if __name__ == '__main__':\n    import unittest\n    unittest.main()\n"
SHOWN = 20
EXIT = "(exit status)"
COUNT = "(number of tests)"


@dataclasses.dataclass
class Run:
    """What one run of a module said."""

    outcomes: dict[str, str]
    seconds: float
    stderr: str


@dataclasses.dataclass
class Known:
    """One entry of `differences.json`."""

    module: str
    tests: list[str]
    reason: str
    page: str
    # Depends on where objects lie in memory, so that it need not occur each time.
    sometimes: bool = False

    def explains(self, module: str, test: str) -> bool:
        # A test stands for its subtests.
        return module == self.module and any(test == name or test.startswith(f"{name} ") for name in self.tests)


@dataclasses.dataclass
class Result:
    """Both runs of a module, compared."""

    module: str
    tests: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)
    explained: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    unexplained: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    stale: list[str] = dataclasses.field(default_factory=list)
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not (self.unexplained or self.stale or self.problem)


def parse(stderr: str) -> dict[str, str]:
    """Test id -> outcome, from what `unittest -v` wrote; output of the tests may stand in between."""
    outcomes: dict[str, str] = {}
    pending: str | None = None

    def start(name: str) -> str:
        unique, number = name, 1
        while unique in outcomes:
            number += 1
            unique = f"{name} #{number}"
        outcomes[unique] = "ran"
        return unique

    lines = iter(ADDRESS.sub(" at 0x", stderr).splitlines())
    for line in lines:
        if line == "=" * 70 or line == "-" * 70:
            break
        header = HEADER.match(line)
        if header:
            name = f"{header['id']}{header['subtest']}".strip()
            # Indented lines tell of subtests, then of their test itself.
            pending = name if line.startswith(" ") and outcomes.get(name) == "ran" else start(name)
        outcome = OUTCOME.search(line)
        if outcome and pending is not None:
            outcomes[pending] = outcome["outcome"]
            pending = None
    for line in lines:
        # Failures of `setUpClass` and the like have no line of their own above.
        kind, _, rest = line.partition(": ")
        if kind in ("FAIL", "ERROR") and rest:
            outcomes[f"summary: {rest}"] = kind
        totals = TOTALS.match(line)
        if totals:
            outcomes[COUNT] = totals["count"]
    return outcomes


def run(command: list[str], file: Path, with_main: bool, timeout: float) -> Run:
    """Runs one module in a directory of its own; its file and `-v` go to the end of the command."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment |= {"PYTHONHASHSEED": "0", "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="surmise-cpython-") as directory:
        environment["TMPDIR"] = directory
        if with_main:
            file = copy_with_main(file, Path(directory))
        with subprocess.Popen(
            [str(file) if part == "FILE" else part for part in command],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                _, stderr = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return Run({EXIT: f"timeout after {timeout:g} s"}, time.monotonic() - started, "")
    outcomes = parse(stderr)
    outcomes[EXIT] = str(process.returncode)
    return Run(outcomes, time.monotonic() - started, stderr)


def copy_with_main(file: Path, directory: Path) -> Path:
    """The module with an end that runs its tests, and its data beside it."""
    text = file.read_text(encoding="utf-8")
    blocks = [block.start() for block in MAIN_BLOCK.finditer(text)]
    copy = directory / file.name
    copy.write_text((text[: blocks[-1]] if blocks else text + "\n") + MAIN, encoding="utf-8")
    for entry in file.parent.iterdir():
        if entry.is_dir() and entry.name.endswith("data"):
            (directory / entry.name).symlink_to(entry)
    return copy


class Comparison:
    """The two interpreters and what is known of their differences."""

    def __init__(self, python: str, surmise: str, timeout: float, known: list[Known]):
        self.python = python
        self.surmise = surmise
        self.timeout = timeout
        self.known = known
        program = "import test, sys; print(list(test.__path__)[0]); print(*sys.version_info[:3], sep='.')"
        found = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
        directory, self.version = found.stdout.splitlines()
        self.directory = Path(directory)

    def embedded_version(self) -> str:
        program = "import sys; print(*sys.version_info[:3], sep='.')"
        command = [self.surmise, "run", "--plain", "-"]
        return subprocess.run(command, input=program, capture_output=True, text=True, check=True).stdout.strip()

    def file(self, module: str) -> Path:
        single = self.directory / f"{module}.py"
        return single if single.exists() else self.directory / module / "__init__.py"

    def does_not_compile(self, file: Path) -> str:
        """Why the rewritten text does not compile; empty if it does."""
        command = [self.surmise, "run", "--show", "instrumented", str(file)]
        shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if shown.returncode != 0:
            return shown.stderr.decode(errors="replace").strip()
        program = "import sys; compile(sys.stdin.buffer.read(), '<rewritten>', 'exec')"
        compiled = subprocess.run(
            [self.python, "-W", "ignore", "-c", program], input=shown.stdout, capture_output=True, check=False
        )
        lines = compiled.stderr.decode(errors="replace").strip().splitlines()
        return f"the rewritten text does not compile: {lines[-1]}" if compiled.returncode != 0 else ""

    def compare(self, line: str, keep: Path | None = None) -> Result:
        module, _, main = line.partition(" ")
        result = Result(module)
        file = self.file(module)
        if not file.exists():
            result.problem = f"`{file}` does not exist"
            return result
        result.problem = self.does_not_compile(file)
        plain = run([self.python, "FILE", "-v"], file, main == "main", self.timeout)
        ours = run([self.surmise, "run", "--plain", "FILE", "--", "-v"], file, main == "main", self.timeout * 3)
        if keep is not None:
            (keep / f"{file.stem}.plain").write_text(plain.stderr)
            (keep / f"{file.stem}.surmise").write_text(ours.stderr)
        result.tests = sum(name not in (EXIT, COUNT) for name in plain.outcomes)
        result.seconds = (plain.seconds, ours.seconds)
        if plain.outcomes.get(COUNT, "0") == "0":
            result.problem = f"ran no tests plainly (exit status {plain.outcomes[EXIT]})"
        differing = {}
        for test in plain.outcomes | ours.outcomes:
            pair = (plain.outcomes.get(test, "absent"), ours.outcomes.get(test, "absent"))
            if pair[0] != pair[1]:
                differing[test] = pair
        explained = {test for test in differing if self.explained(module, test)}
        only_explained = explained >= {test for test in differing if not derived(test)}
        for test, pair in differing.items():
            # The summary and the exit status follow from the tests themselves.
            if test in explained or (derived(test) and explained and only_explained):
                result.explained.append((test, *pair))
            else:
                result.unexplained.append((test, *pair))
        for entry in self.known:
            if entry.module == module and not entry.sometimes:
                result.stale += [
                    name
                    for name in entry.tests
                    if not any(test == name or test.startswith(f"{name} ") for test in differing)
                ]
        return result

    def explained(self, module: str, test: str) -> bool:
        return any(entry.explains(module, test) for entry in self.known)


def derived(test: str) -> bool:
    return test == EXIT or test.startswith("summary: ")


def read_modules(path: Path) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [" ".join(line.split()) for line in lines if line]


def read_differences(path: Path) -> list[Known]:
    entries = json.loads(path.read_text())
    known = [Known(**entry) for entry in entries]
    for entry in known:
        if not entry.reason or not entry.page.startswith("docs/limitations/"):
            raise SystemExit(f"error: the entry for `{entry.module}` in `{path}` needs a reason and a page")
    return known


def default_binary() -> str:
    for profile in ("release", "debug"):
        binary = REPOSITORY / "target" / profile / "surmise"
        if binary.exists():
            return str(binary)
    raise SystemExit("error: no `surmise` in `target`\nhint: run `cargo build --release`, or name one with `--surmise`")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter to compare with (default: this one)")
    parser.add_argument("--surmise", help="binary to test (default: target/release/surmise, else target/debug)")
    parser.add_argument("--jobs", type=int, default=2, help="modules at a time (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a plain run; three times that for ours")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this module (repeatable)")
    parser.add_argument("--modules", type=Path, default=HERE / "modules.txt", help=argparse.SUPPRESS)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write what the runs said on stderr to this directory")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    modules = read_modules(options.modules)
    if options.only:
        wanted = [name if name.startswith("test_") else f"test_{name}" for name in options.only]
        modules = [next((line for line in modules if line.split()[0] == name), name) for name in wanted]
    known = read_differences(HERE / "differences.json")
    comparison = Comparison(
        options.python,
        os.path.abspath(options.surmise) if options.surmise else default_binary(),
        options.timeout,
        known,
    )
    embedded = comparison.embedded_version()
    if embedded != comparison.version:
        hint = "hint: name the interpreter that `surmise` was built with by `--python`"
        print(f"error: `surmise` embeds CPython {embedded}, `python` is {comparison.version}\n{hint}", file=sys.stderr)
        return 2
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda module: comparison.compare(module, options.keep), modules):
            results.append(result)
            if not options.json:
                show(result)
    failed = sum(not result.passed for result in results)
    orphans = sorted({entry.module for entry in known} - {line.split()[0] for line in modules})
    orphans = [] if options.only else orphans
    for module in orphans:
        print(f"error: `differences.json` names `{module}`, which `modules.txt` does not", file=sys.stderr)
    if options.json:
        report = {"python": embedded, "passed": len(results) - failed, "failed": failed}
        report["modules"] = [dataclasses.asdict(result) | {"passed": result.passed} for result in results]
        print(json.dumps(report, indent=1))
    else:
        total, explained = sum(result.tests for result in results), sum(len(result.explained) for result in results)
        print(f"\n{len(results)} modules, {total} tests, {explained} explained differences, CPython {embedded}")
        print(f"{len(results) - failed} passed, {failed} failed")
    return int(failed > 0 or bool(orphans))


def show(result: Result) -> None:
    state = "passed" if result.passed else "FAILED"
    plain, ours = result.seconds
    note = f"  {len(result.explained)} explained" if result.explained else ""
    print(f"{result.module:32} {state}  {result.tests:5} tests  {plain:6.1f} s  {ours:6.1f} s{note}", flush=True)
    if result.problem:
        print(f"    {result.problem}")
    for test, plain_outcome, our_outcome in result.unexplained[:SHOWN]:
        print(f"    {test}: plain `{plain_outcome}`, surmise `{our_outcome}`")
    if len(result.unexplained) > SHOWN:
        print(f"    and {len(result.unexplained) - SHOWN} more")
    for test in result.stale:
        print(f"    {test}: listed in `differences.json`, but no longer differs")


if __name__ == "__main__":
    sys.exit(main())
