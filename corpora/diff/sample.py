"""Draw the pairs to label: python3 corpora/diff/sample.py DATA [--seed 7] [--first 12] [--extra 30].

DATA is the folder with function_pairs.jsonl and function_pairs_extra.jsonl. Prints an id and the part of the sample
that it belongs to, a line each.

`random`: every project of every file is a stratum of its own. Its ids are sorted, shuffled with the seed, and the
first so many are taken; a larger number only adds pairs to those of a smaller one.

`enriched`: every other pair of both files that looks harmless from outside, whatever its functions say: one that the
data set flags as a refactoring or as a change of strings or annotations only, or whose commit message has in its first
line one of HARMLESS. Pairs of equal behaviour are rare among real commits; this part has more of them.
"""

import argparse
import json
import random
import re
from pathlib import Path

SEED, FIRST, EXTRA = 7, 12, 30
PROJECTS = ("black", "flask", "requests", "rich", "scrapy")
FLAGS = ("msg_refactor", "only_strings_changed", "only_annotations_changed")
HARMLESS = re.compile(
    r"\b(refactor|clean|simpl|styl|typ(e|o|ing)\b|lint|renam|readab|document|doc(s|strings?)?\b|unused|redundan|"
    r"un-?n?ec|un-?need|leftover|duplicat|mypy|perf|optimi[sz]|comment|messag|minor|consisten|cast)",
    re.IGNORECASE,
)


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def draw(records, seed, per_project):
    """The ids of one file's random part, project after project."""
    found = []
    for project in PROJECTS:
        ids = sorted(record["id"] for record in records if record["project"].split("/")[-1] == project)
        random.Random(f"{seed}:{project}").shuffle(ids)
        found += ids[:per_project]
    return found


def harmless(record):
    """Whether a pair belongs to the enriched part, judged without a look at the functions."""
    lines = record["message"].splitlines() or [""]
    return any(record[flag] for flag in FLAGS) or bool(HARMLESS.search(lines[0]))


def parts(first, extra, seed=SEED, first_count=FIRST, extra_count=EXTRA):
    """The part of the sample by id, for the records of both files."""
    found = dict.fromkeys(draw(first, seed, first_count) + draw(extra, seed, extra_count), "random")
    for record in first + extra:
        if record["id"] not in found and harmless(record):
            found[record["id"]] = "enriched"
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=FIRST, help="pairs a project from function_pairs.jsonl")
    parser.add_argument("--extra", type=int, default=EXTRA, help="pairs a project from function_pairs_extra.jsonl")
    options = parser.parse_args()
    first = read(options.data / "function_pairs.jsonl")
    extra = read(options.data / "function_pairs_extra.jsonl")
    for found, part in parts(first, extra, options.seed, options.first, options.extra).items():
        print(found, part)


if __name__ == "__main__":
    main()
