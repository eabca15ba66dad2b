#!/usr/bin/env python3
"""Prints what recording the corpus cost and gave: see --help."""

from __future__ import annotations

import json
import statistics

import recordings
from manifest import ManifestError
from recordings import Recording
from tables import listed, megabytes, number, text_table

DESCRIPTION = """\
What recording cost and what it gave, from the status files of `build.py` and the trace.json of each recording: a row a
project, then the figures of the section "Recording" of BENCHMARKS.md.
"""

EPILOG = """\
columns:
  plain, traced   wall seconds of the suite's two runs, the writing of the tables included
  slow-down       traced over plain; `-` where one of them was stopped at its limit
  differ          tests with another outcome than in the plain run
  sites, ran      places in the sources where a value is read; those where one was
  pairs, events   unique pairs of a site and a class; values observed
  memory          what the largest process took at its peak, traced over plain; `-` where it was not measured

examples:
  python3 corpora/summary.py --work ../corpus-work
  python3 corpora/summary.py --work ../corpus-work --json > summary.json

Exit code: 0 when every project of the manifest was recorded, or has an explanation in notes.json; 1 when some are
missing; 2 for bad usage.
"""

# Of shorter suites the times say more about start-up than about recording.
LEAST_SECONDS = 2.0

TOTALS = ("events", "sites", "sites_hit", "pairs")


def row(recording: Recording) -> dict:
    found = {"name": recording.name, "split": recording.project.split, "problem": recording.problem}
    if recording.done:
        found |= {"plain_seconds": recording.plain["seconds"], "traced_seconds": recording.trace["seconds"]}
        found |= {"slow_down": recording.slow_down, "capped": recording.capped}
        found |= {"tests": sum(recording.plain[outcome] for outcome in ("passed", "failed", "skipped"))}
        found |= {"differences": len(recording.trace["differences"])}
        found |= {name: recording.summary[name] for name in recordings.COUNTS}
        found |= {"bytes": recording.bytes, "damaged": len(recording.summary.get("damaged", []))}
        found |= {"memory_over_plain_mb": recording.over_plain("peak_mb")}
    return found


def totals(rows: list[dict], least: float, explained: dict[str, str]) -> dict:
    """The figures of all rows together. Slow-downs are of suites that take `least` seconds plain and were not cut."""
    done = [row for row in rows if row["problem"] is None]
    timed = [row for row in done if row["slow_down"] is not None and row["plain_seconds"] >= least]
    worst = max(timed, key=lambda row: row["slow_down"], default=None)
    measured = [row for row in done if row["memory_over_plain_mb"] is not None]
    heaviest = max(measured, key=lambda row: row["memory_over_plain_mb"], default=None)
    missing = [row["name"] for row in rows if row["problem"] is not None and row["name"] not in explained]
    return {
        "projects": len(rows),
        "recorded": len(done),
        "missing": missing,
        "unexplained_failures": [name for name in missing if problem_of(rows, name) != "not run yet"],
        "not_comparable": {
            row["name"]: f"{explained[row['name']]} ({row['problem']})"
            for row in rows
            if row["problem"] is not None and row["name"] in explained
        },
        "capped": [row["name"] for row in done if row["capped"]],
        **{name: sum(row[name] for row in done) for name in TOTALS},
        "bytes": sum(row["bytes"] for row in done),
        "plain_seconds": sum(row["plain_seconds"] for row in done),
        "traced_seconds": sum(row["traced_seconds"] for row in done),
        "least_seconds": least,
        "timed": len(timed),
        "median_slow_down": statistics.median(row["slow_down"] for row in timed) if timed else None,
        "worst_slow_down": worst and {"name": worst["name"], "slow_down": worst["slow_down"]},
        "same_outcomes": sum(row["differences"] == 0 for row in done),
        "differences": {row["name"]: row["differences"] for row in done if row["differences"]},
        "damaged": [row["name"] for row in done if row["damaged"]],
        "memory_measured": len(measured),
        "median_memory_over_plain_mb": statistics.median(row["memory_over_plain_mb"] for row in measured)
        if measured
        else None,
        "worst_memory_over_plain_mb": heaviest and {"name": heaviest["name"], "mb": heaviest["memory_over_plain_mb"]},
    }


def problem_of(rows: list[dict], name: str) -> str | None:
    return next(row["problem"] for row in rows if row["name"] == name)


def conditions(found: list[Recording]) -> dict:
    """How the runs were made, where they were all made alike; else each way."""
    done = [recording for recording in found if recording.done]
    return {
        "python": sorted({recording.summary.get("python") or "?" for recording in done}),
        "limit_seconds": sorted({recording.trace["limit_seconds"] for recording in done}),
        "surmise_sha256": sorted({recording.trace["surmise_sha256"] for recording in done}),
        "isolated": all(recording.trace["isolated"] for recording in done),
    }


def table(rows: list[dict]) -> str:
    head = [
        "project",
        "split",
        "plain s",
        "traced s",
        "slow-down",
        "differ",
        "sites",
        "ran",
        "pairs",
        "events",
        "MB",
        "memory",
    ]
    lines = []
    for row in rows:
        if row["problem"] is None:
            counts = [number(row[name]) for name in ("sites", "sites_hit", "pairs", "events")]
            times = [
                number(row["plain_seconds"], 1),
                number(row["traced_seconds"], 1),
                number(row["slow_down"], 2, "x"),
            ]
            size = [number(row["bytes"] / 1e6, 2), number(row["memory_over_plain_mb"], 0, " MB")]
            lines.append([row["name"], row["split"], *times, number(row["differences"]), *counts, *size])
    return text_table(head, lines)


def sentences(all_of: dict, how: dict) -> list[str]:
    worst, heaviest = all_of["worst_slow_down"], all_of["worst_memory_over_plain_mb"]
    differing = [f"{name} {count}" for name, count in all_of["differences"].items()]
    limits = ", ".join(f"{seconds:g}" for seconds in how["limit_seconds"])
    lines = [
        f"projects recorded         {all_of['recorded']} of {all_of['projects']}, CPython {listed(how['python'])},"
        f" limit {limits} s",
        f"events                    {all_of['events']:,}",
        f"sites                     {all_of['sites_hit']:,} ran, of {all_of['sites']:,} in the recorded files",
        f"(site, class) pairs       {all_of['pairs']:,}",
        f"Parquet                   {megabytes(all_of['bytes'])}",
        f"wall time                 {number(all_of['plain_seconds'] / 60, 1)} min plain,"
        f" {number(all_of['traced_seconds'] / 60, 1)} min traced",
        f"slow-down, median         {number(all_of['median_slow_down'], 2, 'x')} of the {all_of['timed']} suites that"
        f" take {all_of['least_seconds']:g} s and more",
        f"slow-down, worst          {number(worst and worst['slow_down'], 2, 'x')}"
        + (f" ({worst['name']})" if worst else ""),
        f"outcomes the same         {all_of['same_outcomes']} projects"
        + (f"; tests that differ: {', '.join(differing)}" if differing else ""),
    ]
    if heaviest:
        lines.append(
            f"memory over plain         median {number(all_of['median_memory_over_plain_mb'])} MB, worst"
            f" {number(heaviest['mb'])} MB ({heaviest['name']}), of {all_of['memory_measured']} measured"
        )
    for label, key in (("stopped at the limit", "capped"), ("damaged in part", "damaged")):
        if all_of[key]:
            lines.append(f"{label:25} {listed(all_of[key])}")
    lines += [f"not comparable            {name}: {why}" for name, why in all_of["not_comparable"].items()]
    return lines


def main() -> int:
    parser = recordings.parser("summary.py", DESCRIPTION, EPILOG)
    parser.add_argument(
        "--least-seconds",
        type=float,
        default=LEAST_SECONDS,
        metavar="N",
        help="suites that are quicker plain are left out of the slow-downs (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object (schema surmise.corpus-summary/1)")
    options = parser.parse_args()
    try:
        _, found = recordings.from_options(options)
    except (ManifestError, OSError) as error:
        return recordings.fail(error)
    rows = [row(recording) for recording in found]
    all_of, how = totals(rows, options.least_seconds, recordings.notes()), conditions(found)
    if options.json:
        document = {"schema": "surmise.corpus-summary/1", "conditions": how, "projects": rows, "totals": all_of}
        print(json.dumps(document, indent=1))
    else:
        print(table(rows), "", *sentences(all_of, how), sep="\n")
        for name in all_of["unexplained_failures"]:
            print(f"failed                    {name}: {problem_of(rows, name)}")
        if waiting := [name for name in all_of["missing"] if name not in all_of["unexplained_failures"]]:
            print(f"not run yet               {len(waiting)}: {listed(waiting, 100)}")
    return 1 if all_of["missing"] else 0


if __name__ == "__main__":
    recordings.run(main)
