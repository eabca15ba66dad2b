#!/usr/bin/env python3
"""Unpacks the sources of recorded projects: see --help."""

from __future__ import annotations

import argparse
import shutil
import sys
import sysconfig
from pathlib import Path

import environment
import manifest
from manifest import Project
from places import Places

# Recorded for the shared value-use tables, but without tests in its sdist: not in the manifest.
RICH = Project(
    name="rich",
    version="15.0.0",
    sdist_sha256=None,
    licence="MIT",
    domain="terminal",
    packages=["rich"],
    requirements=[],
    install=".",
    test_command="-",
    split="test",
)

DESCRIPTION = """\
Downloads and unpacks the sdists of the manifest's projects, without installing or running anything, so that recordings
can be joined with their sources: WORK/sources/NAME. What is there already stays. The standard library is copied from
this interpreter, which must be the 3.11 that recorded.
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="sources.py",
        description=DESCRIPTION,
        epilog="example:\n  python3 corpora/sources.py --work ../sources",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where everything is put; about 3 GB")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="these projects")
    options = parser.parse_args()
    places = Places(options.work.resolve())
    try:
        projects = [*manifest.load(draft=True), RICH]
    except manifest.ManifestError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if unknown := sorted(set(options.only) - {project.name for project in projects}):
        print(f"error: not in the manifest: {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [project for project in projects if not options.only or project.name in options.only]
    failed = []
    for number, project in enumerate(chosen, 1):
        said = "unpacked before"
        if not places.source(project).is_dir():
            try:
                unpack(project, places)
                said = "unpacked"
            except (environment.FetchError, OSError) as error:
                failed.append(project.name)
                said = f"FAILED: {error}"
        print(f"[{number:2}/{len(chosen)}] {project.name:20} {said}", file=sys.stderr, flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}\nhint: the same command tries these again", file=sys.stderr)
    return 1 if failed else 0


def unpack(project: Project, places: Places) -> None:
    if not project.from_sdist:
        ignored = shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.pyc")
        target = places.source(project)
        unfinished = target.with_name(target.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(sysconfig.get_path("stdlib"), unfinished, ignore=ignored)
        unfinished.rename(target)
        return
    log = places.results(project, "sources") / "log.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    path, _ = environment.sdist(project, places, log)
    environment.unpack(path, places.source(project))


if __name__ == "__main__":
    sys.exit(main())
