#!/usr/bin/env python3
"""Measures how often `surmise diff` calls rewrites different that keep behaviour: ruff's safe fixes, pyupgrade and LibCST
codemods on functions of released packages (`corpora/diff/equal_packages.json`).

    python3 scripts/bench-equal-pairs.py WORK --show-errors
    python3 scripts/bench-equal-pairs.py WORK --half held-out -- --runs 16

Everything is made in WORK, once: the releases from the package index, an environment with the dependencies of each, and
the tools. Each pair is run in its module, and again with --alone. `--half held-out` is for final figures: nothing may
be tuned after looking at them.
"""

import json
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path

from command_line import ROOT
from diff_runs import diff_parser, documents, interval, parsed, print_seconds

TOOLS = ("ruff", "pyupgrade", "libcst", "refactoring")


def environment(folder, *requirements):
    """The Python of a virtual environment with what is required, made if it is not there."""
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True
        )
        (folder / "complete").touch()
    return python


def prepared(given, name, version, tools):
    """The repository of a package and its environment, made if they are not there."""
    folder = given.work / f"{name}-{version}"
    repository = folder / "repository"
    environment(folder / "environment", f"{name}=={version}")
    if not (folder / "complete").exists():
        subprocess.run(["rm", "-rf", str(repository)], check=True)
        install = [
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-compile",
            "--target",
            repository,
        ]
        subprocess.run([sys.executable, "-m", "pip", *install, f"{name}=={version}"], check=True)
        for extra in [*repository.glob("*.dist-info"), repository / "bin"]:
            subprocess.run(["rm", "-rf", str(extra)], check=True)
        script = ROOT / "scripts/equal_pairs.py"
        subprocess.run([tools, script, repository, str(given.functions), str(given.seed)], check=True)
        (folder / "complete").touch()
    return repository, folder / "environment"


def compared(given, name, version, tools):
    repository, python = prepared(given, name, version, tools)
    for tool in TOOLS:
        for place, options in (("in place", ["--python", python]), ("alone", ["--alone"])):
            if given.only and given.only != place:
                continue
            found = documents(given, *options, "--repo", repository, f"release..{tool}")
            for document in found:
                if document["verdict"] not in ("added", "removed") and document["runs"]:
                    yield tool, place, {**document, "package": name}


def report(title, found, show):
    verdicts = Counter(document["verdict"] for document in found)
    wrong, total = verdicts["different"], len(found)
    shares = ", ".join(f"{verdicts[key]} {key}" for key in ("different", "possible", "unknown", "equal"))
    print(f"{title}: {total} pairs, {shares}; different {wrong / max(1, total):.1%} ({interval(wrong, total)})")
    if found:
        print_seconds([document["time_ms"] / 1000 for document in found])
    for document in found if show else []:
        if document["verdict"] in ("different", "possible"):
            print(f"    {document['verdict']} {document['package']} {document['name']}: {document['reason']}")
            if witness := document.get("witness"):
                print(f"        old {witness['old']}\n        new {witness['new']}")


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("work", type=Path, metavar="WORK", help="folder of what is made")
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--package", action="append", default=[], help="only this package (repeatable)")
    parser.add_argument("--only", choices=("in place", "alone"))
    parser.add_argument(
        "--functions", type=int, default=12, help="functions of a package and tool (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="draws the files that are rewritten (default: %(default)s)")
    parser.add_argument("--show-errors", action="store_true")
    given = parsed(parser)
    given.work = given.work.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    tools = environment(given.work / "tools", "-r", ROOT / "scripts/requirements-equal-pairs.txt")
    packages = json.loads((ROOT / "corpora/diff/equal_packages.json").read_text())[given.half]
    rows = []
    for name, version in sorted(packages.items()):
        if not given.package or name in given.package:
            rows += compared(given, name, version, tools)
            print(f"{name} {version}: {len(rows)} pairs so far", file=sys.stderr)
    for place in ("in place", "alone"):
        of_place = [(tool, document) for tool, at, document in rows if at == place]
        report(f"{place}, {given.half}", [document for _tool, document in of_place], given.show_errors)
        for tool in TOOLS:
            report(f"  {tool}", [document for one, document in of_place if one == tool], False)


if __name__ == "__main__":
    main()
