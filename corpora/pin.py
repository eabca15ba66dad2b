#!/usr/bin/env python3
"""Completes entries of the manifest from a good run: see --help."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import manifest
from build import STAGES
from manifest import Project
from places import Places, finished, last, record

DESCRIPTION = """\
Writes what a good run of `build.py --stage plain` found into the manifest: the sdist's SHA-256, every package of the
virtual environment with its version in place of the loose requirements, and the seconds the tests took. The stages
that are done stay done: the environment is the same.
"""


def pinned(project: Project, places: Places) -> Project | None:
    """The completed entry; None if the entry has no good run in its current form."""
    fetched, ran = (finished(places, project, stage) for stage in ("fetch", "plain"))
    if not fetched or not ran:
        return None
    return replace(
        project, sdist_sha256=fetched["sdist_sha256"], requirements=fetched["frozen"], seconds=ran["seconds"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="pin.py", description=DESCRIPTION)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="build.py's work directory")
    parser.add_argument("--manifest", type=Path, default=manifest.PATH, metavar="FILE", help="another projects.json")
    parser.add_argument("names", nargs="*", metavar="NAME", help="these projects (default: all that have a gap)")
    options = parser.parse_args()
    places = Places(options.work.resolve())
    projects = manifest.load(options.manifest, draft=True)
    missing = []
    for number, project in enumerate(projects):
        if project.name not in options.names if options.names else not any(manifest.gaps(project)):
            continue
        if (complete := pinned(project, places)) is None:
            missing.append(project.name)
            continue
        projects[number] = complete
        for stage in STAGES:
            if finished(places, project, stage):
                record(places, complete, stage, last(places, project, stage))
    manifest.write(projects, options.manifest)
    if missing:
        print(f"no good plain run of: {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
