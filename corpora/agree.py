#!/usr/bin/env python3
"""Compares the corpus with the public value_use tables, site by site: see --help."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import recordings
import sites
from manifest import ManifestError
from places import Places
from recordings import Recording
from tables import listed, number, text_table

DESCRIPTION = """\
Compares the class sets of our recordings with those of the public value_use tables, made by another recorder: on the
sites that both saw, joined by the file's SHA-256 and the position.
"""

EPILOG = """\
columns:
  both      sites that both recorders saw
  agree     of these, the share with the same set of classes
  theirs    sites that only the public table has: `missing` here, unless our run was stopped at its limit (*)
  ours      sites that only our recording has

Below: the disagreements by pattern, the most frequent first. `+x -y` means that ours has class x and lacks y.

examples:
  python3 -m pip install -r corpora/requirements.txt
  python3 corpora/agree.py --work ../corpus-work --data ../shared/datasets/value_use
  python3 corpora/agree.py --work ../corpus-work --data DIR --only tqdm --patterns 5 --examples 3

Exit code: 0 when at least --least of the sites agree; 1 when fewer do; 2 for bad usage.
"""

# Places that are kept of each pattern and project.
EXAMPLES = 10

Place = tuple  # (line, column, end line, end column, kind)


@dataclass
class Agreement:
    """Result of comparing one project, or all projects."""

    both: int = 0
    agree: int = 0
    only_ours: int = 0
    only_theirs: int = 0
    # (kind, mask that only ours has, mask that only theirs has)
    patterns: Counter = field(default_factory=Counter)
    examples: dict = field(default_factory=lambda: defaultdict(list))

    @property
    def share(self) -> float | None:
        return self.agree / self.both if self.both else None

    def add(self, other: Agreement) -> None:
        self.both += other.both
        self.agree += other.agree
        self.only_ours += other.only_ours
        self.only_theirs += other.only_theirs
        self.patterns += other.patterns
        for pattern, places in other.examples.items():
            self.examples[pattern] += places


def compare(
    ours: dict[str, dict[Place, int]], theirs: dict[str, dict[Place, int]], path_of: dict[str, str]
) -> Agreement:
    """Compares masks by file and position. `path_of` maps their paths to ours, for files with equal content."""
    found = Agreement()
    for path, places in theirs.items():
        here = ours.get(path_of.get(path, ""), {})
        for place, mask in places.items():
            own = here.get(place)
            if own is None:
                found.only_theirs += 1
                continue
            found.both += 1
            if own == mask:
                found.agree += 1
                continue
            pattern = (place[-1], own & ~mask, mask & ~own)
            found.patterns[pattern] += 1
            found.examples[pattern].append(f"{path}:{place[0]}:{place[1]}")
    found.only_ours = sum(map(len, ours.values())) - found.both
    return found


def match_paths(theirs: list[str], digests: dict[str, str | None], ours: dict[str, str]) -> dict[str, str]:
    """Their path of a file to ours, where the content is the same: theirs are from the sdist's top, ours from the
    folder of the package. Of files with the same content, that with the longest common end.
    """
    by_digest = defaultdict(list)
    for path, digest in ours.items():
        by_digest[digest].append(path)
    found = {}
    for path in theirs:
        candidates = by_digest.get(digests[path], [])
        if candidates:
            found[path] = max(candidates, key=lambda candidate: common_end(path, candidate))
    return found


def common_end(left: str, right: str) -> int:
    """Number of equal components at the end of two paths."""
    length = 0
    for a, b in zip(reversed(left.split("/")), reversed(right.split("/"))):
        if a != b:
            break
        length += 1
    return length


def by_file(table, key: str) -> dict[str, dict[Place, int]]:
    found: dict[str, dict[Place, int]] = defaultdict(dict)
    for path, *place, mask in sites.rows(table, (key, *sites.PLACE, "classes")):
        found[path][tuple(place)] = mask
    return found


def digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def agreement(recording: Recording, places: Places, reference: Path) -> tuple[Agreement, list[str]]:
    """Agreement of one project, with the names of the bits of masks."""
    mine, other = sites.open_table(places.trace(recording.project) / "sites.parquet"), sites.open_table(reference)
    names = sites.class_names(mine)
    if names != sites.class_names(other):
        raise sites.TableError(f"`{reference}` has other classes than {recording.name}'s recording")
    ours, theirs = by_file(mine, "file"), by_file(other, "file")
    source = places.source(recording.project)
    hashes = dict(sites.rows(mine, ("file", "sha256")))
    digests = {path: digest(source / path) for path in theirs}
    found = compare(ours, theirs, match_paths(list(theirs), digests, hashes))
    for pattern, examples in found.examples.items():
        found.examples[pattern] = [f"{recording.name} {place}" for place in examples[:EXAMPLES]]
    return found, names


def chosen_of(found: list[Recording], public: dict[str, Path], only: list[str]) -> list[Recording]:
    if unknown := sorted(set(only) - {recording.name for recording in found}):
        raise ManifestError(f"not in the manifest: {listed(unknown)}\nhint: --only takes names of projects.json")
    chosen = [each for each in found if each.done and each.name in public and (not only or each.name in only)]
    if not chosen:
        raise ManifestError("no finished trace of a project that the public tables have\nhint: build.py makes them")
    return chosen


def references(folder: Path) -> dict[str, Path]:
    """Paths of the public tables (SPLIT-PROJECT.parquet) by project."""
    found = {path.stem.partition("-")[2]: path for path in sorted(folder.glob("*-*.parquet"))}
    if not found:
        raise ManifestError(
            f"no SPLIT-PROJECT.parquet in `{folder}`\nhint: --data names the folder of the public tables"
        )
    return found


def pattern_text(pattern: tuple, names: list[str]) -> str:
    kind, ours, theirs = pattern
    signs = [f"+{name}" for name in sites.named(ours, names)] + [f"-{name}" for name in sites.named(theirs, names)]
    return f"{kind}: {' '.join(signs)}"


def document(by_project: dict[str, Agreement], capped: set[str], total: Agreement, names: list[str]) -> dict:
    def figures(found: Agreement) -> dict:
        return {"both": found.both, "agree": found.agree, "share": found.share} | {
            "only_ours": found.only_ours,
            "only_theirs": found.only_theirs,
        }

    missing = sum(found.only_theirs for name, found in by_project.items() if name not in capped)
    return {
        "schema": "surmise.corpus-agreement/1",
        "projects": [{"name": name, "capped": name in capped, **figures(found)} for name, found in by_project.items()],
        "total": {**figures(total), "missing": missing},
        "patterns": [
            {
                "kind": pattern[0],
                "only_ours": sites.named(pattern[1], names),
                "only_theirs": sites.named(pattern[2], names),
                "sites": count,
                "examples": total.examples[pattern][:EXAMPLES],
            }
            for pattern, count in total.patterns.most_common()
        ],
    }


def percent(row: dict) -> str:
    return number(None if row["share"] is None else 100 * row["share"], 2, " %")


def print_report(report: dict, total: Agreement, names: list[str], patterns: int, examples: int) -> None:
    head = ["project", "both", "agree", "theirs", "ours"]
    lines = [
        [row["name"] + ("*" if row["capped"] else ""), number(row["both"]), percent(row)]
        + [number(row["only_theirs"]), number(row["only_ours"])]
        for row in sorted(report["projects"], key=lambda row: (row["share"] or 0, row["name"]))
    ]
    print(text_table(head, lines))
    whole = report["total"]
    print(f"\n{percent(whole)} of {whole['both']:,} sites seen by both agree, {len(lines)} projects")
    capped = [row["name"] for row in report["projects"] if row["capped"]]
    print(f"missing here: {whole['missing']:,} sites" + (f", without those of {listed(capped)}*" if capped else ""))
    print(f"only here:    {whole['only_ours']:,} sites")
    shown = total.patterns.most_common(patterns)
    print(
        f"\n{whole['both'] - whole['agree']:,} disagree, by pattern (the first {len(shown)} of {len(total.patterns)}):"
    )
    for pattern, count in shown:
        print(f"{count:8,}  {pattern_text(pattern, names)}")
        for place in total.examples[pattern][:examples]:
            print(f"{'':10}{place}")


def main() -> int:
    parser = recordings.parser("agree.py", DESCRIPTION, EPILOG)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the public tables, value_use")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[], help="these projects")
    parser.add_argument("--least", type=float, default=0.99, help="share that must agree (default: %(default)s)")
    parser.add_argument("--patterns", type=int, default=20, metavar="N", help="patterns to show (default: %(default)s)")
    parser.add_argument("--examples", type=int, default=0, metavar="N", help="places to show of each pattern")
    parser.add_argument("--json", action="store_true", help="one JSON object (schema surmise.corpus-agreement/1)")
    options = parser.parse_args()
    by_project: dict[str, Agreement] = {}
    total, names = Agreement(), []
    try:
        places, found = recordings.from_options(options)
        public = references(options.data)
        chosen = chosen_of(found, public, options.only)
        for recording in chosen:
            by_project[recording.name], names = agreement(recording, places, public[recording.name])
            total.add(by_project[recording.name])
    except (ManifestError, sites.TableError, OSError) as error:
        return recordings.fail(error)
    capped = {recording.name for recording in chosen if recording.capped}
    report = document(by_project, capped, total, names)
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        print_report(report, total, names, options.patterns, options.examples)
    return 0 if total.share is not None and total.share >= options.least else 1


if __name__ == "__main__":
    recordings.run(main)
