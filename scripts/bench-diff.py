#!/usr/bin/env python3
"""Measures `surmise diff` on labelled pairs: precision and recall of `different`, unknowns, seconds a pair.

    python3 scripts/bench-diff.py --binary target/release/surmise --datasets ../shared/datasets
    python3 scripts/bench-diff.py --only synthetic --show-errors

`--half held-out` is for final figures: nothing may be tuned after looking at them. Unknown counts as not different.
"""

import json
import os
import tempfile

from command_line import ROOT
from diff_runs import diff_parser, documents, lines, measure, parsed


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


def labels(pairs):
    return [(name, label) for name, label, _old, _new in pairs]


def run(given, pairs):
    """Compares all pairs; returns the result of each by its id."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
        for name, _label, old, new in pairs:
            file.write(json.dumps({"id": name, "old_function": old, "new_function": new}) + "\n")
    try:
        return {document["name"]: document for document in documents(given, "--jsonl", file.name)}
    finally:
        os.unlink(file.name)


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--only", choices=("labels", "synthetic"))
    parser.add_argument("--show-errors", action="store_true")
    given = parsed(parser)
    if given.only != "labels":
        pairs = synthetic()
        measure("synthetic", labels(pairs), run(given, pairs), given.show_errors)
    if given.only != "synthetic":
        pairs = labelled(given.datasets, given.half)
        measure(f"labels, {given.half}", labels(pairs), run(given, pairs), given.show_errors)


if __name__ == "__main__":
    main()
