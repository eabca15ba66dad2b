"""Results of the stages of each project, for the commands that collect the corpus and report on it."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import manifest
from manifest import ManifestError, Project
from places import Places, finished, last

NOTES = Path(__file__).with_name("notes.json")

# What `surmise trace` counts, as trace.json names it.
COUNTS = ("events", "sites", "sites_hit", "pairs", "processes")

# Folders in messages are of the machine that recorded.
FOLDERS = re.compile(r"(?<![\w.])/(?:[^\s/:()`]+/)+")


@dataclass(frozen=True)
class Recording:
    """A project of the manifest. `plain` and `trace` are the statuses of finished stages, `summary` is trace.json;
    `problem` says why there is no finished trace.
    """

    project: Project
    plain: dict | None
    trace: dict | None
    summary: dict | None
    problem: str | None

    @property
    def name(self) -> str:
        return self.project.name

    @property
    def done(self) -> bool:
        return self.problem is None

    @property
    def started(self) -> bool:
        return self.problem != "not run yet"

    @property
    def capped(self) -> bool:
        """Whether one of the two runs was stopped at its time limit, and so ran only part of the suite."""
        return any(status is not None and status["capped"] for status in (self.plain, self.trace))

    @property
    def slow_down(self) -> float | None:
        """Ratio of the wall-clock times of the recorded and the plain run; None if a run is missing or was stopped."""
        if not self.done or self.capped or not self.plain["seconds"]:
            return None
        return self.trace["seconds"] / self.plain["seconds"]

    def over_plain(self, field: str) -> float | None:
        """Difference of the recorded and the plain run in a field that `run.py` measured; None if a status lacks it."""
        if not self.done or self.capped:
            return None
        values = [status.get(field) for status in (self.plain, self.trace)]
        return None if None in values else values[1] - values[0]

    @property
    def bytes(self) -> int:
        return sum(entry["bytes"] for entry in self.trace["files"]) if self.done else 0


def read(project: Project, places: Places) -> Recording:
    plain, trace = (finished(places, project, stage) for stage in ("plain", "trace"))
    if trace is None:
        return Recording(project, plain, None, None, why_not(project, places))
    if plain is None:
        return Recording(project, None, None, None, "its plain run was not finished again since the trace")
    try:
        text = (places.trace(project) / "trace.json").read_text(encoding="utf-8")
        summary = json.loads(text)
        absent = [name for name in COUNTS if name not in summary]
    except (OSError, ValueError, TypeError) as error:
        return Recording(project, plain, None, None, f"its trace.json cannot be read: {type(error).__name__}")
    if absent:
        return Recording(project, plain, None, None, f"its trace.json has no {', '.join(absent)}")
    return Recording(project, plain, trace, summary, None)


def why_not(project: Project, places: Places) -> str:
    """Why a project has no finished recording, from the status of its last stage."""
    for stage in ("trace", "plain", "fetch"):
        status = last(places, project, stage)
        if status is None:
            continue
        if status.get("fingerprint") != project.fingerprint(stage):
            return f"{stage}: done for an entry that has changed since"
        if not status.get("ok"):
            return f"{stage}: {readable(str(status.get('error', 'no reason given')))}"
        return f"no stage after `{stage}` was run"
    return "not run yet"


def readable(error: str) -> str:
    return FOLDERS.sub("", re.sub(r" \(see [^)]*\)", "", error))


def read_all(places: Places, projects: list[Project]) -> list[Recording]:
    return [read(project, places) for project in projects]


def notes(path: Path = NOTES) -> dict[str, str]:
    """Why a project cannot be recorded, or only in part: what no status file can say."""
    return json.loads(path.read_text(encoding="utf-8"))


def parser(prog: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """Parser with the options that all commands on a corpus share."""
    found = argparse.ArgumentParser(
        prog=prog, description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--work", type=Path, required=True, metavar="DIR", help="build.py's work directory")
    found.add_argument("--manifest", type=Path, default=manifest.PATH, metavar="FILE", help="another projects.json")
    return found


def from_options(options: argparse.Namespace) -> tuple[Places, list[Recording]]:
    """Places and recordings of the work directory. Raises ManifestError if there is no such directory."""
    places = Places(options.work.resolve())
    if not (places.work / "status").is_dir():
        raise ManifestError(
            f"`{options.work}` is no work directory: it has no `status`\nhint: build.py --work makes it"
        )
    return places, read_all(places, manifest.load(options.manifest, draft=True))


def fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return 2


def run(main) -> None:
    """A reader that has seen enough (`| head`) and Ctrl-C are no errors to show a traceback for."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
