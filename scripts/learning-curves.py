#!/usr/bin/env python3
"""What more data, a larger model, another query or other weights of classes buy: small models, measured side by side.

Each is trained by `surmise train` (built with `--features torch`) from random weights, with the options of its line and
otherwise the same: seed 0, width 128, 4 layers, windows of 256, 4000 steps of 2560 tokens, bf16. Then `surmise eval
--split dev` measures it on projects of which nothing was learned. What was measured before is not done again; a
training that was stopped continues where it was.
"""

import argparse
import json
import pathlib
import subprocess
import sys

COMMON = {"--steps": "4000", "--batch": "2560", "--rate": "0.002"}
# Name: options that differ.
RUNS = {
    "base": {},
    "projects-6": {"--share": "0.0625"},
    "projects-12": {"--share": "0.125"},
    "projects-25": {"--share": "0.25"},
    "projects-50": {"--share": "0.5"},
    "width-64": {"--width": "64"},
    "width-256": {"--width": "256", "--rate": "0.0012"},
    "layers-2": {"--layers": "2"},
    "layers-8": {"--layers": "8"},
    "steps-1000": {"--steps": "1000"},
    "steps-2000": {"--steps": "2000"},
    "steps-8000": {"--steps": "8000"},
    "window-64": {"--window": "64"},
    "window-128": {"--window": "128"},
    "window-512": {"--window": "512"},
    # Its tokens differ, so that it cannot learn from the others' bundle and makes one of its own.
    "vocabulary-16384": {"--vocabulary": "16384"},
    "plain": {"--query": "plain"},
    "plain-steps-16000": {"--query": "plain", "--steps": "16000"},
    "balance-50": {"--balance": "0.5"},
    "balance-100": {"--balance": "1"},
    "smoothing-10": {"--smoothing": "0.1"},
}
# The paper's weak classes.
WEAK = ["empty string", "zero integer", "True", "None"]


def call(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"error: `{' '.join(str(part) for part in command)}` ended with {done.returncode}")
    return done.stdout


def measure(arguments: argparse.Namespace, name: str) -> dict:
    folder = arguments.work / name
    result = folder / "measured.json"
    if not result.exists():
        options = [part for pair in (COMMON | RUNS[name]).items() for part in pair]
        on = [*(part for data in arguments.data for part in ("--data", data)), "--sources", arguments.sources]
        learned = on if "--vocabulary" in RUNS[name] else ["--bundle", arguments.bundle]
        call(arguments.surmise, "train", *learned, "-o", folder, "--bf16", *options)
        on += ["--split", "dev"]
        found = json.loads(call(arguments.surmise, "eval", *on, "--model", folder / "int8", "--json"))
        last = json.loads((folder / "log.jsonl").read_text().splitlines()[-1])
        classes = {row["class"]: row["top1"] for row in found["classes"]}
        row = {"name": name, "options": RUNS[name], "sites_seen": last["sites"], "minutes": last["seconds"] / 60}
        row |= {"fine": found["fine"], "coarse": found["coarse"], "calibration_error": found["calibration_error"]}
        row["weak"] = {weak: classes[weak] for weak in WEAK}
        unfinished = result.with_suffix(".part")
        unfinished.write_text(json.dumps(row, indent=2) + "\n")
        unfinished.replace(result)
    return json.loads(result.read_text())


def table(rows: list[dict]) -> str:
    lines = [
        f"| run | sites seen | minutes | top-1 | top-5 | seen there | coarse | ECE | {' | '.join(WEAK)} |",
        f"|---|{'---:|' * (7 + len(WEAK))}",
    ]
    for row in rows:
        fine = row["fine"]
        shares = [fine["top1"], fine["top5"], fine["site_acceptable"], row["coarse"]["top1"], row["calibration_error"]]
        shares = " | ".join(f"{share * 100:.1f}" for share in [*shares, *row["weak"].values()])
        lines.append(f"| {row['name']} | {row['sites_seen']:,} | {row['minutes']:.1f} | {shares} |")
    return "\n".join(lines)


def main() -> None:
    names = f"of {', '.join(RUNS)}"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surmise", required=True, type=pathlib.Path)
    parser.add_argument("--bundle", required=True, type=pathlib.Path, help="its tokenizer.json lies beside it")
    parser.add_argument(
        "--data",
        required=True,
        type=pathlib.Path,
        action="append",
        help="recorded executions, dev-*.parquet among them; may be given several times, as the bundle was made",
    )
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="where models and results are kept")
    parser.add_argument("--only", nargs="+", choices=RUNS, metavar="NAME", help=names)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.bundle.exists():
        parser.error(f"there is no bundle `{arguments.bundle}`: `surmise train --bundle-only` makes one")
    rows = []
    for name in arguments.only or RUNS:
        rows.append(measure(arguments, name))
        print(table(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(json.dumps(rows, indent=2) if arguments.json else table(rows))


if __name__ == "__main__":
    main()
