#!/usr/bin/env python3
"""Measures `surmise diff --repo` on labelled commits of real projects (`corpora/diff/commits.jsonl`), each compared with
its parent inside its repository.

    python3 scripts/bench-labelled-commits.py ../mirror --show-errors
    python3 scripts/bench-labelled-commits.py ../mirror --environments ../envs -- --runs 16
    python3 scripts/bench-labelled-commits.py ../mirror --pairs --half held-out
    python3 scripts/bench-labelled-commits.py ../mirror --later --half held-out

With `--pairs` it takes the labelled pairs that `bench-diff.py` compares alone (`corpora/diff/labels.jsonl`), at their
commits: of each, the one function that has the label. With `--later` it takes the commits of eight more projects
(`corpora/diff/later_commits.jsonl`), of which two are held out.

Bare or other clones lie at MIRROR/OWNER+NAME/repo, virtual environments, if any, at ENVIRONMENTS/NAME: without one a
project's own modules are imported, and what they need of others is missing. A commit is called different if one of its
labelled functions is. `--half held-out` is for final figures: nothing may be tuned after looking at them.
"""

import statistics
import time
from collections import defaultdict
from pathlib import Path

from command_line import ROOT
from diff_runs import diff_parser, documents, lines, measure, parsed

# From the most telling on.
ORDER = ("different", "possible", "unknown", "equal")


def commits(half, projects, name="commits.jsonl"):
    rows = lines(ROOT / "corpora/diff" / name)
    return [
        row
        for row in rows
        if row["half"] == half and not row.get("unsure") and (not projects or row["project"] in projects)
    ]


def pairs(given):
    """The labelled pairs as commits of one function; the data sets say where each comes from."""
    wanted = {
        row["id"]: row
        for row in lines(ROOT / "corpora/diff/labels.jsonl")
        if row["half"] == given.half and not row.get("unsure")
    }
    found = {}
    for name in ("function_pairs.jsonl", "function_pairs_extra.jsonl"):
        for row in lines(given.datasets / name):
            if row["id"] in wanted and (not given.project or row["project"] in given.project):
                repository = row["source"].removeprefix("github:").partition("@")[0]
                function = {"file": row["file"], "qualname": row["qualname"]}
                kept = {key: row[key] for key in ("id", "project", "commit")}
                found[row["id"]] = kept | {
                    "label": wanted[row["id"]]["label"],
                    "repository": repository,
                    "functions": [function],
                }
    return [found[name] for name in sorted(found)]


def compared(given, row):
    """What is said of a commit: the document of the labelled function that decides, with the seconds of all."""
    folder = given.mirror / row["repository"].replace("/", "+") / "repo"
    environment = given.environments / row["project"] if given.environments else None
    options = ["--python", environment] if environment and environment.is_dir() else []
    files = sorted({function["file"] for function in row["functions"]})
    begin = time.monotonic()
    found = documents(given, *options, "--repo", folder, row["commit"], files=files)
    seconds = time.monotonic() - begin
    wanted = {
        f"{function['file']}::{function['qualname']}"
        for function in row["functions"]
        if not function.get("unsure") and not function.get("through")
    }
    own = [document for document in found if document["name"].partition(" (")[0] in wanted]
    nothing = {"verdict": "equal", "reason": "no function was run", "changed_lines": {"covered": 0, "total": 0}}
    first = min(own, key=lambda document: ORDER.index(document["verdict"]), default=nothing)
    changed = {key: sum(one["changed_lines"][key] for one in own) for key in ("covered", "total")}
    pairs = sum(document.get("runs", 0) > 0 for document in found)
    return {**first, "changed_lines": changed, "time_ms": 1000 * seconds, "pairs": pairs}


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("mirror", type=Path, metavar="MIRROR", help="folder of the repositories")
    parser.add_argument("--environments", type=Path, metavar="DIR", help="folder of virtual environments by project")
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--project", action="append", default=[], help="only this project (repeatable)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--pairs", action="store_true", help="the labelled pairs, at their commits")
    which.add_argument("--later", action="store_true", help="the commits of eight more projects")
    parser.add_argument("--show-errors", action="store_true")
    given = parsed(parser)
    said, rows, by_project = {}, [], defaultdict(list)
    name = "later_commits.jsonl" if given.later else "commits.jsonl"
    for row in pairs(given) if given.pairs else commits(given.half, given.project, name):
        said[row["id"]] = compared(given, row)
        rows.append((row["id"], row["label"]))
        by_project[row["project"]].append(row["label"] == said[row["id"]]["verdict"])
    measure(f"{'pairs at their commits' if given.pairs else 'commits'}, {given.half}", rows, said, given.show_errors)
    of_pair = [case["time_ms"] / 1000 / case["pairs"] for case in said.values() if case["pairs"]]
    print(f"  seconds a function that ran   median {statistics.median(of_pair):.2f}, in {len(of_pair)} commits")
    print("  right      " + ", ".join(f"{name} {sum(hits)}/{len(hits)}" for name, hits in by_project.items()))


if __name__ == "__main__":
    main()
