#!/usr/bin/env python3
"""Measures `surmise diff` on labelled pairs: precision and recall of `different`, unknowns, seconds a pair.

    python3 scripts/bench-diff.py --binary target/release/surmise --datasets ../shared/datasets
    python3 scripts/bench-diff.py --only synthetic --show-errors

`--half held-out` is for final figures: nothing may be tuned after looking at them. Unknown counts as not different.
"""

import json
import os
import random
import tempfile

from command_line import ROOT
from diff_runs import diff_parser, documents, lines, print_seconds


def labelled(datasets, half):
    """Pairs of real commits whose label is decided, as (id, label, old, new)."""
    wanted = {
        row["id"]: row["label"]
        for row in lines(ROOT / "corpora/diff/labels.jsonl")
        if row["half"] == half and not row.get("unsure")
    }
    found = {}
    for name in ("function_pairs.jsonl", "function_pairs_extra.jsonl"):
        for row in lines(datasets / name):
            if row["id"] in wanted:
                found[row["id"]] = (row["id"], wanted[row["id"]], row["old_function"], row["new_function"])
    if missing := sorted(set(wanted) - set(found)):
        raise SystemExit(
            f"error: not in the data sets: {', '.join(missing[:5])}\nhint: give their folder with --datasets"
        )
    return [found[name] for name in sorted(found)]


def synthetic():
    rows = lines(ROOT / "corpora/diff/synthetic.jsonl")
    return [(row["id"], row["label"], row["old"], row["new"]) for row in rows]


def run(given, pairs):
    """Compares all pairs; returns the result of each by its id."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
        for name, _label, old, new in pairs:
            file.write(json.dumps({"id": name, "old_function": old, "new_function": new}) + "\n")
    try:
        return {document["name"]: document for document in documents(given, "--jsonl", file.name)}
    finally:
        os.unlink(file.name)


def interval(hits, total):
    """95 % bootstrap interval of a share."""
    if not total:
        return "-"
    draw = random.Random(0)
    shares = sorted(sum(draw.random() < hits / total for _ in range(total)) / total for _ in range(2000))
    return f"{shares[50]:.1%} to {shares[1949]:.1%}"


def measure(title, pairs, said, show):
    rows = [(name, label, said[name]) for name, label, _old, _new in pairs]
    called = [(name, label) for name, label, found in rows if found["verdict"] == "different"]
    truly = [row for row in rows if row[1] == "different"]
    hits = sum(label == "different" for _name, label in called)
    unknown = sum(found["verdict"] == "unknown" for _name, _label, found in rows)
    equal = [row for row in rows if row[1] == "equal"]
    wrong = sum(found["verdict"] == "different" for _name, _label, found in equal)
    changed = [found["changed_lines"] for _name, _label, found in rows if found["changed_lines"]["total"]]
    covered = sum(row["covered"] for row in changed) / max(1, sum(row["total"] for row in changed))
    print(f"{title}: {len(rows)} pairs, {len(truly)} different, {len(equal)} equal")
    print(f"  precision  {hits / max(1, len(called)):.1%} of {len(called)} ({interval(hits, len(called))})")
    print(f"  recall     {hits / max(1, len(truly)):.1%} of {len(truly)} ({interval(hits, len(truly))})")
    print(f"  equal pairs called different  {wrong} of {len(equal)}")
    print(f"  unknown    {unknown}")
    print(f"  changed lines covered  {covered:.1%}, until a difference was found")
    print_seconds([found["time_ms"] / 1000 for _name, _label, found in rows])
    if show:
        for name, label, found in rows:
            if (found["verdict"] == "different") != (label == "different"):
                print(f"    {name}: {label}, said {found['verdict']}: {found['reason']}")
                if witness := found.get("witness"):
                    print(f"        old {witness['old']}\n        new {witness['new']}")


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--only", choices=("labels", "synthetic"))
    parser.add_argument("--show-errors", action="store_true")
    given = parser.parse_args()
    if given.only != "labels":
        pairs = synthetic()
        measure("synthetic", pairs, run(given, pairs), given.show_errors)
    if given.only != "synthetic":
        pairs = labelled(given.datasets, given.half)
        measure(f"labels, {given.half}", pairs, run(given, pairs), given.show_errors)


if __name__ == "__main__":
    main()
