#!/usr/bin/env python3
"""Builds the corpus: see --help, and README.md beside this file."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import environment
import manifest
import run
from manifest import Project
from places import Places, finished, last, record

STAGES = ("fetch", "plain", "trace")

# Guesses for a project that never ran here, only for the estimate of what is left.
FETCH_GUESS, PLAIN_GUESS, TRACE_FACTOR = 40.0, 60.0, 4.0

DESCRIPTION = """\
Runs the test suites of the projects in projects.json, plain and under `surmise trace`, and collects what was traced.

Each project goes through three stages, each of which needs the one before and does it if it has not been done:
  fetch  downloads the sdist (checked against the manifest), unpacks it, makes a virtual environment
  plain  runs the tests as they are
  trace  runs them under `surmise trace`, and compares the outcomes test by test
"""

EPILOG = """\
examples:
  python3 corpora/build.py --work ../corpus-work                         everything; again to go on after a stop
  python3 corpora/build.py --work ../corpus-work --stage plain           needs no surmise
  python3 corpora/build.py --work ../corpus-work --only toolz --redo     one project, its last stage again
  python3 corpora/build.py --work ../corpus-work --split dev --json      one JSON line a stage on stdout

Under DIR: sdists/, sources/NAME, venvs/NAME, results/NAME/STAGE, traces/NAME/*.parquet, status/NAME.STAGE.json and
collected.json, the list of all traces. A stage is done again when it failed, when what it uses of the manifest's
entry changed, or with --redo. The exit code is 1 when a project failed, 2 for bad usage.
"""


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="build.py", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is put; about 15 GB")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="these projects")
    parser.add_argument("--split", choices=manifest.SPLITS, nargs="+", default=[], help="projects of these splits")
    parser.add_argument(
        "--stage", choices=(*STAGES, "all"), default="all", help="how far to go (default: all, to the end)"
    )
    parser.add_argument(
        "--redo", action="store_true", help="do the stage again although it is finished (all: each one)"
    )
    parser.add_argument("--surmise", type=Path, metavar="PATH", help="the binary (default: target/release/surmise)")
    parser.add_argument(
        "--limit-seconds",
        type=float,
        default=300,
        metavar="N",
        help="for one test run; at the limit it is stopped and what it has is kept (default: 300)",
    )
    parser.add_argument(
        "--lines", action="store_true", help="record which lines run, too: what conditions come to (collect.py)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="projects at a time (default: 1)")
    parser.add_argument("--json", action="store_true", help="a JSON line a stage on stdout; progress goes to stderr")
    parser.add_argument("--manifest", type=Path, default=manifest.PATH, metavar="FILE", help="another projects.json")
    options = parser.parse_args(words)
    options.work = options.work.resolve()
    return options


def choose(projects: list[Project], options: argparse.Namespace) -> list[Project]:
    """The requested projects, quick ones first, so that a mistake shows early."""
    if unknown := sorted(set(options.only) - {project.name for project in projects}):
        raise manifest.ManifestError(f"not in the manifest: {', '.join(unknown)}")
    chosen = [project for project in projects if not options.only or project.name in options.only]
    chosen = [project for project in chosen if not options.split or project.split in options.split]
    return sorted(chosen, key=lambda project: (project.seconds or PLAIN_GUESS, project.name))


def stages(stage: str) -> tuple[str, ...]:
    return STAGES if stage == "all" else STAGES[: STAGES.index(stage) + 1]


def redone(stage: str, asked: str) -> bool:
    return asked in ("all", stage)


class Builder:
    """Takes projects through their stages, and keeps track of time and failures."""

    def __init__(self, options: argparse.Namespace, projects: list[Project]):
        self.options = options
        self.places = Places(options.work)
        self.start = time.monotonic()
        self.failures: list[str] = []
        self.lock = threading.Lock()
        self.total = len(projects)
        self.done = 0
        self.estimated = 0.0
        self.stopped = False
        self.left = {project.name: self.estimate(project) for project in projects}

    def todo(self, project: Project) -> list[str]:
        """The stages to run. If a stage is repeated, so are the later requested ones."""
        names: list[str] = []
        for stage in stages(self.options.stage):
            again = self.options.redo and redone(stage, self.options.stage)
            if names or again or finished(self.places, project, stage) is None:
                names.append(stage)
        return names

    def estimate(self, project: Project) -> float:
        plain = project.seconds or PLAIN_GUESS
        guesses = {"fetch": FETCH_GUESS, "plain": plain, "trace": plain * TRACE_FACTOR}
        limit = self.options.limit_seconds
        known = {stage: (last(self.places, project, stage) or {}).get("seconds") for stage in STAGES}
        return sum(min(known[stage] or guesses[stage], limit) for stage in self.todo(project))

    def build(self, project: Project) -> None:
        todo = self.todo(project)
        if not todo:
            self.say(project, "", "finished before")
        for stage in todo:
            if self.stopped:
                return
            try:
                status = self.step(project, stage)
            except (environment.FetchError, run.RunError, OSError, ValueError) as error:
                status = {"ok": False, "error": str(error)}
            status = record(self.places, project, stage, status)
            if self.options.json:
                with self.lock:
                    print(json.dumps(status), flush=True)
            if stage == todo[-1] or not status["ok"]:
                self.say(project, stage, sentence(status), status["ok"])
            if not status["ok"]:
                break

    def step(self, project: Project, stage: str) -> dict:
        if stage == "fetch":
            return environment.fetch(project, self.places)
        if stage == "plain":
            return run.plain(project, self.places, self.options.limit_seconds)
        return run.trace(project, self.places, self.options.limit_seconds, self.options.surmise, self.options.lines)

    def say(self, project: Project, stage: str, text: str, ok: bool = True) -> None:
        with self.lock:
            self.done += 1
            self.estimated += self.left.pop(project.name, 0.0)
            if not ok:
                self.failures.append(f"{project.name} ({stage})")
            elapsed = time.monotonic() - self.start
            # The estimates are of a slower or faster machine: the finished stages show by how much.
            pace = elapsed / self.estimated if self.estimated else 1 / max(1, self.options.jobs)
            left = sum(self.left.values()) * pace
            clock = (
                f"{minutes(elapsed)} gone, about {minutes(left)} left" if self.left else f"{minutes(elapsed)} in all"
            )
            mark = "" if ok else "FAILED: "
            line = f"[{self.done:2}/{self.total}] {project.name:20} {stage:5} {mark}{text}  ({clock})"
            print(line, file=sys.stderr, flush=True)


def sentence(status: dict) -> str:
    if not status["ok"]:
        return status["error"]
    if "passed" not in status:
        return f"ready in {status['seconds']:.0f} s"
    text = f"{status['passed']} passed, {status['failed']} failed, {status['skipped']} skipped in {status['seconds']:.1f} s"
    if status["capped"]:
        text += ", stopped at the limit"
    if "differences" in status:
        text += f", {len(status['differences'])} outcomes differ from plain"
    return text


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def collect(places: Places, projects: list[Project]) -> None:
    """Writes the list of all finished recordings, for training and measuring."""
    entries = []
    for project in projects:
        if status := finished(places, project, "trace"):
            kept = ("files", "capped", "passed", "failed", "skipped", "seconds", "surmise_sha256")
            entry = {"name": project.name, "version": project.version, "split": project.split}
            entry |= {"licence": project.licence, "domain": project.domain, "differences": len(status["differences"])}
            entries.append({**entry, **{name: status[name] for name in kept}})
    manifest.replace(places.work / "collected.json", json.dumps(entries, indent=1) + "\n")


def find_surmise(given: Path | None) -> Path:
    path = given or Path(__file__).resolve().parent.parent / "target" / "release" / "surmise"
    found = shutil.which(str(path))
    if found is None:
        raise manifest.ManifestError(
            f"`{path}` is not an executable\nhint: build it, name it with --surmise, or --stage plain"
        )
    return Path(found).resolve()


def main() -> int:
    options = arguments()
    try:
        everything = manifest.load(options.manifest, draft=True)
        projects = choose(everything, options)
        if "trace" in stages(options.stage):
            options.surmise = find_surmise(options.surmise)
    except manifest.ManifestError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    builder = Builder(options, projects)
    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        jobs = [pool.submit(builder.build, project) for project in projects]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            builder.stopped = True
            run.stop_all()
            raise
    collect(builder.places, everything)
    if builder.failures:
        print(f"failed: {', '.join(sorted(builder.failures))}", file=sys.stderr)
    return 1 if builder.failures else 0


if __name__ == "__main__":
    sys.exit(run.resumable(main))
