#!/usr/bin/env python3
"""Runs `surmise diff --repo` over real commits: makes a Git repository of them, and compares each with its parent.

    python3 scripts/bench-commits.py --project requests

The data set holds the one function that a commit changed, so a commit's file has that function (in its classes) and
nothing else: the old version is a commit, the new version its child, with the message of the real one and a tag that is
the real one's id. Commits whose pair has a label (`corpora/diff/labels.jsonl`) are left out: the rules were made with
half of them.
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from pathlib import Path

from command_line import ROOT
from diff_runs import diff_parser, documents, lines, parsed, print_seconds


def chosen(datasets, project, count):
    """Records of a project that have no label, oldest first."""
    labelled = {row["id"] for row in lines(ROOT / "corpora/diff/labels.jsonl")}
    rows = [row for row in lines(datasets / "function_pairs_extra.jsonl") if row["project"] == project]
    rows = sorted((row for row in rows if row["id"] not in labelled), key=lambda row: (row["date"], row["id"]))
    return rows[:count]


def module(qualname, function):
    """A file that contains only the function, inside its classes."""
    text = textwrap.dedent(function)
    for name in reversed(qualname.replace(".<locals>", "").split(".")[:-1]):
        text = f"class {name}:\n" + textwrap.indent(text, "    ")
    return text


def git(folder, *arguments, date="2000-01-01"):
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    quiet |= {"GIT_AUTHOR_DATE": f"{date}T12:00:00Z", "GIT_COMMITTER_DATE": f"{date}T12:00:00Z"}
    who = ["-c", "user.name=surmise", "-c", "user.email=surmise@example.org"]
    subprocess.run(
        ["git", *who, *arguments], cwd=folder, env={**os.environ, **quiet}, check=True, capture_output=True, text=True
    )


def make_repository(folder, rows):
    """Commits both versions of each record."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    for row in rows:
        for version, message in (("old_function", f"Before {row['commit'][:10]}"), ("new_function", row["message"])):
            path = folder / row["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(module(row["qualname"], row[version]), encoding="utf-8")
            git(folder, "add", "--all")
            message = message or "(no message)"
            git(folder, "commit", "--quiet", "--allow-empty", "--message", message, date=row["date"])
        git(folder, "tag", row["commit"][:10])


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("--project", default="requests")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="make the repository in this new folder and leave it there")
    parser.add_argument("--show", action="store_true", help="each commit's verdicts")
    given = parsed(parser)
    rows = chosen(given.datasets, given.project, given.count)
    if not rows:
        raise SystemExit(f"error: no unlabelled commits of `{given.project}`\nhint: flask, black, scrapy or requests")
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch) / "repository"
        folder.mkdir()
        make_repository(folder, rows)
        seconds, verdicts, changed, unlike = [], Counter(), [0, 0], 0
        for row in rows:
            commit = row["commit"][:10]
            begin = time.monotonic()
            found = documents(given, "--repo", folder, commit)
            seconds.append(time.monotonic() - begin)
            words = [document["verdict"] for document in found] or ["no function"]
            verdicts.update(words)
            for document in found:
                changed[0] += document["changed_lines"]["covered"]
                changed[1] += document["changed_lines"]["total"]
            pair = Path(scratch) / "pair.jsonl"
            pair.write_text(json.dumps(row) + "\n", encoding="utf-8")
            unlike += [document["verdict"] for document in documents(given, "--jsonl", pair)] != words
            if given.show:
                title = (row["message"].splitlines() or [""])[0]
                print(f"{commit} {', '.join(words)}: {title}")
                for document in found:
                    print(f"    {document['name']}: {document['reason']}")
                sys.stdout.flush()
    print(f"{given.project}: {len(rows)} commits, {sum(verdicts.values())} functions")
    print("  verdicts   " + ", ".join(f"{count} {word}" for word, count in sorted(verdicts.items())))
    print(f"  changed lines covered  {changed[0]} of {changed[1]}, until a difference was found")
    print(f"  other verdict than for the pair by itself  {unlike}")
    print_seconds(seconds)


if __name__ == "__main__":
    main()
