"""The stages `plain` and `trace`: a project's own test suite, contained, and what each test came to."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import outcomes
from contain import LIMIT_REACHED
from manifest import Project, replace
from places import Places

CONTAIN = Path(__file__).with_name("contain.py")

# After SIGINT at the limit: pytest writes its report, `surmise trace` its files.
GRACE_SECONDS = 90

# As the shared tables were recorded. Our own randomly and cacheprovider would make two runs differ.
PYTEST_OPTIONS = [
    "-p",
    "no:cacheprovider",
    "-p",
    "no:randomly",
    "--assert=plain",
    "--continue-on-collection-errors",
    "-q",
]

# A suite with more failures than this share means a broken environment, not of a few tests that need a network.
FAILURES_ALLOWED = 0.1

# What runs now, for `stop_all`.
RUNNING: set[subprocess.Popen] = set()

NAMESPACES = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


class RunError(Exception):
    """Raised for a run from which nothing can be learned."""


@cache
def wrapper() -> tuple[str, ...]:
    """Command that enters the namespaces which this machine and user allow, possibly none."""
    for words in (NAMESPACES, [*NAMESPACES, "--map-root-user"]):
        try:
            if subprocess.run([*words, "true"], capture_output=True, timeout=30).returncode == 0:
                return tuple(words)
        except (OSError, subprocess.TimeoutExpired):
            continue
    return ()


def plain(project: Project, places: Places, seconds: float) -> dict:
    found = run(project, places, "plain", test_words(project, places, "plain"), seconds)
    return {**found, "ok": True}


def trace(project: Project, places: Places, seconds: float, surmise: Path, lines: bool = False) -> dict:
    """Runs a test suite under `surmise trace`. Outcomes that differ from the plain ones are reported, not a failure."""
    target = places.trace(project)
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [str(surmise), "trace", "-o", str(target), *(["--lines", "*"] if lines else [])]
    for package in project.packages:
        words += ["--package", package]
    words += ["--python", str(places.venv(project) / "bin" / "python"), "--"]
    found = run(project, places, "trace", words + test_words(project, places, "trace"), seconds)
    files = sorted(target.rglob("*.parquet"))
    if not files:
        raise RunError(f"no Parquet file in `{target}` (see {places.results(project, 'trace') / 'output.txt'})")
    before = json.loads((places.results(project, "plain") / "outcomes.json").read_text(encoding="utf-8"))
    after = json.loads((places.results(project, "trace") / "outcomes.json").read_text(encoding="utf-8"))
    capped = found["capped"] or was_capped(places, project)
    return {
        **found,
        "ok": True,
        "differences": outcomes.compare(before, after, capped),
        "files": [{"path": str(path.relative_to(places.work)), "bytes": path.stat().st_size} for path in files],
        "surmise_sha256": hashlib.sha256(surmise.read_bytes()).hexdigest(),
    }


def was_capped(places: Places, project: Project) -> bool:
    return json.loads(places.status(project, "plain").read_text(encoding="utf-8")).get("capped", False)


def test_words(project: Project, places: Places, stage: str) -> list[str]:
    words = shlex.split(project.test_command)
    if words[0] == "pytest":
        # Before the project's own options, which may overrule them: pydantic's tests need `--assert=rewrite`.
        words[1:1] = PYTEST_OPTIONS
        words.append(f"--junitxml={places.results(project, stage) / 'junit.xml'}")
    return words


def environment(project: Project, places: Places) -> dict[str, str]:
    """Environment variables of a test suite."""
    return {
        "PATH": f"{places.venv(project) / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(places.home(project)),
        "TMPDIR": str(places.tmp(project)),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **project.env,
    }


def run(project: Project, places: Places, stage: str, words: list[str], seconds: float) -> dict:
    """One contained run. What it left lies in `results/NAME/STAGE`.

    Raises RunError when no test passed, too many failed, or the runner did not come to its end (0 or 1 of all the
    runners; the limit is no failure).
    """
    results = places.results(project, stage)
    for folder in (results, places.tmp(project), places.home(project)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    cwd = places.source(project) / project.cwd
    output = results / "output.txt"
    start = time.monotonic()
    with output.open("wb") as out:
        code = contained(words, cwd, environment(project, places), out, seconds, results / "usage.json")
    elapsed = time.monotonic() - start
    shutil.rmtree(places.tmp(project), ignore_errors=True)

    if words[-1].startswith("--junitxml="):
        found = outcomes.from_junit(results / "junit.xml")
    else:
        found = outcomes.from_text(output.read_text(encoding="utf-8", errors="replace"))
    replace(results / "outcomes.json", json.dumps(found, indent=0, sort_keys=True) + "\n")
    counts = outcomes.counts(found)
    status = {
        "seconds": round(elapsed, 1),
        "exit_code": code,
        "capped": code == LIMIT_REACHED,
        "limit_seconds": seconds,
        "isolated": bool(wrapper()),
        **counts,
        **usage(results / "usage.json"),
    }
    broken = code not in (0, 1, LIMIT_REACHED)
    if broken or counts["passed"] == 0 or counts["failed"] > FAILURES_ALLOWED * len(found):
        verdict = f"{counts['passed']} passed, {counts['failed']} failed, exit code {code}"
        raise RunError(f"{verdict} after {elapsed:.0f} s: {last_line(output)} (see {output})")
    return status


def usage(path: Path) -> dict[str, float]:
    """Memory and CPU time as measured by contain.py; nothing if contain.py itself was stopped."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def contained(words: list[str], cwd: Path, env: dict[str, str], out, seconds: float, used: Path) -> int:
    """contain.py keeps the limit. The second limit here is for the case that it cannot."""
    process = subprocess.Popen(
        [*wrapper(), sys.executable, str(CONTAIN), str(seconds), str(GRACE_SECONDS), str(used), *words],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    RUNNING.add(process)
    try:
        return process.wait(seconds + GRACE_SECONDS + 30)
    except subprocess.TimeoutExpired:
        stop(process)
        return LIMIT_REACHED
    finally:
        RUNNING.discard(process)


def stop(process: subprocess.Popen) -> None:
    """With namespaces, their init dies with unshare (--kill-child), and everything with it; else contain.py kills."""
    process.kill() if wrapper() else process.terminate()
    process.wait()


def stop_all() -> None:
    """For Ctrl-C, which does not reach the suites: their runs end with a negative code, thus as failed."""
    for process in list(RUNNING):
        stop(process)


def last_line(output: Path) -> str:
    lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:160] if lines else "no output"


def resumable(main: Callable[[], int]) -> int:
    """Runs the main function of a script that can be continued; returns its exit status."""
    # Also where a shell started it in the background, with SIGINT ignored, and for `kill`.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        return main()
    except KeyboardInterrupt:
        stop_all()
        print("stopped; run the same command again to continue", file=sys.stderr)
        return 130
