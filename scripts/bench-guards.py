#!/usr/bin/env python3
"""Measures `surmise invariants` on guards that people really had forgotten: commits of Git histories that add one guard
and nothing else.

    python3 scripts/bench-guards.py ../mirror/*/repo --work ../guards
    python3 scripts/bench-guards.py ../mirror/*/repo --work ../guards --half held-out --json

Given are repositories, bare or not, as OWNER+NAME or OWNER+NAME/repo. Those that the model has learned from are left out
(`corpora/projects.json`, `corpora/wheels.json`). A commit counts if it changes one Python file outside tests and documentation, and this by
one guard: an `if` around statements that were there, an `if` that leaves the block in front of them, or an `assert`.
The model sees the version before. Asked for the place, it says five conditions; asked for the whole function or file, it
says for each region its likeliest condition, and these are ranked by their entropy. An answer is right if it is the
condition, in the normal form of `surmise invariants`. "certain tenth" is the share that is right of the tenth of the
guards whose first answer has the least entropy. Further tests of conditions that were there, and guards outside
functions, are not evaluated, only their numbers are printed.

A project belongs to the half that the checksum of its name says. `--half held-out` is for final figures: nothing may be
tuned after looking at them. What was found in a repository is kept in the folder of --work, and is not looked for again
while its newest commit is the same; nor is a command asked again about the same guard.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import git_changes
from added_guards import added_guard, could_add_a_guard
from command_line import ROOT, add_surmise, check_positive, check_surmise, parser_of, print_json
from guard_ranks import placed, summary

sys.path.insert(0, str(ROOT / "corpora"))

from manifest import RESERVED  # noqa: E402

ASKED = ("wrapped", "exit", "assert")
ANSWERS = 5
LOCK = threading.Lock()
FIX = re.compile(r"\b(fix|bug|fault|issue|crash|error)", re.IGNORECASE)


def name_of(repository):
    """OWNER/NAME of a repository's folder."""
    folder = repository.parent if repository.name == "repo" else repository
    return folder.name.replace("+", "/")


def plain(name):
    return re.sub(r"[-_.]+", "-", name.lower())


def learned_or_reserved(manifest):
    """Names of projects, and of their packages, that may not be measured."""
    names = {"cpython", *RESERVED}
    for project in manifest:
        if project["split"] != "test":
            names |= {project["name"], *project.get("packages", [])}
    return {plain(name) for name in names}


def half_of(name):
    return "held-out" if hashlib.sha256(name.encode()).digest()[0] % 2 else "dev"


def found_in(repository, work):
    """Guards that the history of a repository adds, with their commits."""
    name = name_of(repository)
    head = git_changes.head(repository)
    kept = work / f"{name.replace('/', '+')}.jsonl"
    if kept.is_file():
        first, *rows = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
        if first["head"] == head:
            return first, rows
    first = {"repository": name, "head": head, "changes": 0}
    rows = []
    with git_changes.objects(repository) as read:
        for change in git_changes.changes(repository):
            first["changes"] += 1
            before, after = read(change.before), read(change.after)
            if before is None or after is None or not could_add_a_guard(before, after):
                continue
            guard = added_guard(before, after)
            if guard:
                is_fix = FIX.search(change.message) is not None
                own = {"commit": change.commit, "path": change.path, "before": change.before, "is_fix": is_fix}
                rows.append({"repository": name, **own, **asdict(guard)})
    kept.write_text("".join(json.dumps(row) + "\n" for row in [first, *rows]), encoding="utf-8")
    return first, rows


def without_duplicates(rows):
    """Of guards with one condition and one region, such as those of branches, the first."""
    seen = {}
    for row in rows:
        seen.setdefault((row["condition"], row["region"]), row)
    return list(seen.values())


def answers(surmise, source):
    """The conditions of each region of a source; None if it is refused, as Python 2 is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.py"
        file.write_text(source, encoding="utf-8")
        options = ["--json", "--every-region", "--most", str(ANSWERS), "--entropy", "99"]
        run = subprocess.run([surmise, "invariants", *options, file], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["invariants"] if run.returncode == 0 else None


def measured(given, repositories, rows):
    """Each guard with where its condition ranks, but for refused files; what a command has been asked for is kept."""
    digest = hashlib.sha256(given.surmise.read_bytes()).hexdigest()[:16]
    kept = given.work / f"ranks-{digest}.jsonl"
    known = read_ranks(kept)

    def one(row):
        if key_of(row) in known:
            return known[key_of(row)]
        before = git_changes.git(repositories[row["repository"]], "cat-file", "blob", row["before"])
        said = answers(given.surmise, before)
        ranks = None if said is None else placed(said, row)
        with LOCK, kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key_of(row), ranks]) + "\n")
        return ranks

    with ThreadPoolExecutor(given.jobs) as pool:
        found = []
        for number, (row, ranks) in enumerate(zip(rows, pool.map(one, rows)), 1):
            if ranks is not None:
                found.append({**row, **ranks})
            if number % 25 == 0:
                print(f"asked for {number} of {len(rows)}", file=sys.stderr, flush=True)
    return found


def key_of(row):
    return f"{row['repository']} {row['commit']} {row['path']} {row['kind']}"


def read_ranks(path):
    """Ranks by the keys of guards; a last line that was cut off is left out."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return dict(json.loads(line) for line in lines if line.endswith("\n"))


def collected(given, repositories):
    """Guards of all repositories of the half, and what was looked at."""
    given.work.mkdir(parents=True, exist_ok=True)
    looked_at, rows = [], []
    with ProcessPoolExecutor(given.jobs) as pool:
        for first, own in pool.map(found_in, repositories.values(), [given.work] * len(repositories)):
            said = f"{first['repository']}: {len(own)} guards in {first['changes']} changes of one file"
            print(said, file=sys.stderr, flush=True)
            looked_at.append(first)
            rows += own
    return looked_at, without_duplicates(rows)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for the guards that are found")
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, with each guard")
    parser.add_argument("--jobs", type=int, default=2, help="at a time (default: %(default)s)")
    parser.add_argument("--limit", type=int, help="ask for only the first so many guards, to try things")
    add_surmise(parser)
    given = parser.parse_args()
    check_positive(parser, given, "jobs", "limit")
    check_surmise(parser, given)
    manifests = [ROOT / "corpora" / name for name in ("projects.json", "wheels.json")]
    excluded = learned_or_reserved(
        [entry for path in manifests for entry in json.loads(path.read_text(encoding="utf-8"))]
    )
    repositories = {name_of(path): path for path in sorted(given.repositories)}
    for name in [name for name in repositories if plain(name.split("/")[-1]) in excluded]:
        print(f"{name}: left out, the model has learned from it or it is reserved", file=sys.stderr)
        del repositories[name]
    repositories = {name: path for name, path in repositories.items() if half_of(name) == given.half}
    looked_at, rows = collected(given, repositories)
    asked = [row for row in rows if row["kind"] in ASKED and row["in_function"]]
    not_evaluated = {"further_tests": sum(row["kind"] == "test" for row in rows)}
    not_evaluated["outside_functions"] = len(rows) - len(asked) - not_evaluated["further_tests"]
    asked = asked[: given.limit]
    not_evaluated["refused"] = len(asked)
    asked = measured(given, repositories, asked)
    not_evaluated["refused"] -= len(asked)
    figures = {"half": given.half, "repositories": looked_at, "not_evaluated": not_evaluated}
    figures |= {"all": summary(asked), "fixes": summary([row for row in asked if row["is_fix"]])}
    figures |= {kind: summary([row for row in asked if row["kind"] == kind]) for kind in ASKED}
    if given.json:
        for row in asked:
            row.pop("region")
        print_json({**figures, "guards": asked})
        return
    changes = sum(first["changes"] for first in looked_at)
    print(f"{given.half}: {len(looked_at)} repositories, {changes} commits that change one file")
    print("not evaluated: " + worded(not_evaluated))
    for name in ("all", "fixes", *ASKED):
        print(f"\n{name}: {figures[name]['guards']} guards")
        for part in ("place", "function", "file"):
            print(f"  {part}: {worded(figures[name].get(part, {}))}")


def worded(figures):
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items())


if __name__ == "__main__":
    main()
