#!/usr/bin/env python3
"""Runs many snippets through `surmise cover`, kills it at random moments, and looks at what is left.

    scripts/bench-soak.py                          # 20,000 snippets, with 5 % hostile ones, and 100 kills
    scripts/bench-soak.py --snippets 2000 --kills 10 --json
    scripts/bench-soak.py --sets functions.jsonl so_snippets.jsonl --jobs 8 --kills 0 --no-hostile

Three batches over the records of ../shared/datasets, repeated under other names, one run each, --predictor model:

plain      undisturbed: snippets a second (in all, and once each text was seen, so that its predictions are cached),
           memory of all processes over time, what is left behind
hostile    the same with 5 % snippets of tests/hostile mixed in (left out where that folder is not there)
killed     a smaller batch, whose parent, zygotes or workers are killed (SIGKILL) at random moments and which is started
           again each time. Its results must equal those of an undisturbed run. Snippets on which two undisturbed runs
           differ (addresses, clocks, random numbers) are left out and counted; so is one whose result an undisturbed
           run of it gives, among many that are tried after. Runs have ten times the time here, as many that come near
           a limit differ by the machine's load.

Left behind counts processes of ours, mounts and files in the temporary folder that were not there before.

Exit code: 0, or 1 if results were lost, doubled or different, or something was left behind, or 2 for bad usage.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from command_line import DATASETS, ROOT, add_surmise, check_surmise, parser_of, print_json, progress
from processes import family, left_behind, memory, surroundings
from records import read_jsonl

SETS = ["functions.jsonl", "so_snippets.jsonl", "so_snippets_extra.jsonl"]
HOSTILE_SHARE = 0.05
SAMPLE_SECONDS = 0.5
# The killed batch: its snippets at most, its time for each against that of the others, and how often a snippet whose
# result differs is run again.
KILLED_SNIPPETS, KILLED_PATIENCE, TRIES = 1500, 10, 100
# Below the parent: launcher, zygote, worker. What a program itself starts is not ours to kill.
GENERATIONS = 3


def parse_arguments():
    parser = parser_of(__doc__, skipped=2)
    parser.add_argument("--snippets", type=int, default=20_000, help="of the first two batches (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=2 * os.cpu_count(), help="snippets at a time (default: two a core)")
    parser.add_argument(
        "--sets", nargs="+", default=SETS, metavar="FILE", help="of ../shared/datasets (default: %(default)s)"
    )
    parser.add_argument("--no-hostile", action="store_true", help="leave the second batch out")
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds for each snippet (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of kills and mixing (default: %(default)s)")
    add_surmise(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if min(arguments.snippets, arguments.jobs) < 1 or arguments.kills < 0 or arguments.timeout <= 0:
        parser.error("--snippets, --jobs and --timeout must be above 0")
    check_surmise(parser, arguments)
    return parser, arguments


def batch(path, sources, count, hostile, seed):
    """Writes a JSONL file with a number of records, each with a text of its own."""
    chance = random.Random(seed)
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as out:
        for number in range(count):
            bad = hostile and chance.random() < HOSTILE_SHARE
            code = chance.choice(hostile) if bad else sources[number % len(sources)]
            # Equal texts under other names are other snippets.
            out.write(json.dumps({"id": f"{number}", "code": code}) + "\n")


def command(arguments, path, out, patience=1):
    timeout = arguments.timeout * patience
    words = [arguments.surmise, "cover", "--jsonl", path, "--out", out, "--runs", "1", "--json"]
    words += ["--jobs", arguments.jobs, "--timeout", timeout, "--time", timeout]
    return [str(word) for word in words]


class Finished:
    """Counts the results in a store, a line each after the first, while it grows."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder, "results.jsonl")
        self.offset = 0
        self.lines = 0

    def count(self):
        try:
            with open(self.path, "rb") as store:
                store.seek(self.offset)
                new = store.read()
        except OSError:
            return 0
        self.offset += len(new)
        self.lines += new.count(b"\n")
        return max(0, self.lines - 1)


def results(text):
    """Results that a batch printed, without times, and the milliseconds of runs that reached a time limit."""
    rows, late = {}, 0
    for line in text.splitlines():
        row = json.loads(line)
        if "file" in row:
            times = row.pop("time_ms", {})
            late += times.get("execute", 0) if row.get("outcome") == "timeout" else 0
            assert row["file"] not in rows, f"{row['file']} is there twice"
            rows[row["file"]] = row
    return rows, late


def undisturbed(arguments, path, out, label, different=None, patience=1):
    """Runs a batch to its end. `different`: how many texts there are, after which all predictions are cached."""
    before = surroundings()
    begin = time.monotonic()
    process = subprocess.Popen(command(arguments, path, out, patience), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    samples, over, finished, cached = [], threading.Event(), Finished(out), []

    def watch():
        while not over.wait(SAMPLE_SECONDS):
            resident = memory(process.pid)
            samples.append((sum(resident.values()), resident.get(process.pid, 0)))
            if different and not cached and (done := finished.count()) > different + 2 * arguments.jobs:
                cached.append((time.monotonic(), done))
            progress(f"{label} {time.monotonic() - begin:.0f} s, {samples[-1][0] >> 20} MiB")

    watcher = threading.Thread(target=watch)
    watcher.start()
    stdout, stderr = process.communicate()
    seconds = time.monotonic() - begin
    over.set()
    watcher.join()
    progress("")
    rows, late = results(stdout.decode())
    quarter = max(1, len(samples) // 4)
    figures = {
        "snippets": len(rows),
        "exit_code": process.returncode,
        "seconds": seconds,
        "per_second": len(rows) / seconds,
        "per_second_per_core": len(rows) / seconds / os.cpu_count(),
        "timeouts": sum(row.get("outcome") == "timeout" for row in rows.values()),
        "seconds_in_timeouts": late / 1000,
        "failures": sum("failure" in row for row in rows.values()),
        "parent_mib_first_quarter": max((own for _, own in samples[:quarter]), default=0) / 2**20,
        "parent_mib_last_quarter": max((own for _, own in samples[-quarter:]), default=0) / 2**20,
        "all_mib_most": max((everything for everything, _ in samples), default=0) / 2**20,
        "left_behind": left_behind(before),
    }
    if cached:
        since, done = cached[0]
        figures["per_second_per_core_cached"] = (len(rows) - done) / (begin + seconds - since) / os.cpu_count()
    if process.returncode:
        print(stderr.decode(errors="replace"), file=sys.stderr)
    return figures, rows


def changes(name, expected, found):
    """The name of a snippet, and the keys and values in which two results of it differ."""
    keys = [key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)]
    return name, {key: (expected.get(key), found.get(key)) for key in sorted(keys)}


def unsteady(arguments, path, different, found):
    """Which of these snippets give the result that was found in an undisturbed run, too, if they are run often."""
    with open(path, encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["id"] in different]
    again = path.with_name("tried.jsonl")
    with open(again, "w", encoding="utf-8") as out:
        for record in records:
            for number in range(TRIES):
                out.write(json.dumps({"id": f"{record['id']}/{number}", "code": record["code"]}) + "\n")
    _, rows = undisturbed(arguments, again, path.with_name("tried"), "tried again", patience=KILLED_PATIENCE)
    return {
        name
        for name in different
        if any(unnamed(rows[f"{name}/{number}"]) == unnamed(found[name]) for number in range(TRIES))
    }


def unnamed(row):
    return {key: value for key, value in row.items() if key != "file"}


def killed(arguments, path, out, expected):
    """Runs a batch to its end while its parent, zygotes and workers are killed again and again."""
    chance = random.Random(arguments.seed)
    before = surroundings()
    kills = {"parent": 0, "below": 0}
    while True:
        words = command(arguments, path, out, KILLED_PATIENCE)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        drain = []
        reader = threading.Thread(target=lambda pipe=process.stdout, into=drain: into.append(pipe.read()))
        reader.start()
        while process.poll() is None:
            time.sleep(chance.uniform(0.02, 0.4))
            if sum(kills.values()) >= arguments.kills or process.poll() is not None:
                continue
            below = [pid for pid in family(process.pid, GENERATIONS) if pid != process.pid]
            if chance.random() < 0.5:
                victim = process.pid
            elif below:
                victim = chance.choice(below)
            else:
                continue
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            kills["parent" if victim == process.pid else "below"] += 1
            progress(f"killed {sum(kills.values())}/{arguments.kills}")
        reader.join()
        if process.returncode == 0:
            break
        if process.returncode != -signal.SIGKILL:
            return {"kills": kills, "exit_code": process.returncode, "equal": False, "left_behind": left_behind(before)}
    progress("")
    rows, _ = results(drain[0].decode())
    different = [name for name in expected if name in rows and rows[name] != expected[name]]
    by_themselves = unsteady(arguments, path, different, rows) if different else set()
    different = [name for name in different if name not in by_themselves]
    return {
        "kills": kills,
        "exit_code": 0,
        "compared": len(expected),
        "lost": len(expected.keys() - rows.keys()),
        "unsteady_by_themselves": len(by_themselves),
        "different": len(different),
        "equal": not different and expected.keys() <= rows.keys(),
        "examples": [changes(name, expected[name], rows[name]) for name in different[:5]],
        "left_behind": left_behind(before),
    }


def main():
    parser, arguments = parse_arguments()
    sources = [record["code"] for name in arguments.sets for _, record in read_jsonl(parser, DATASETS / name, ["code"])]
    folder = ROOT / "tests" / "hostile"
    files = [] if arguments.no_hostile else sorted(folder.glob("*.py"))
    hostile = [path.read_text(encoding="utf-8") for path in files]
    figures = {"schema": "surmise.bench-soak/1", "jobs": arguments.jobs, "seed": arguments.seed}
    with tempfile.TemporaryDirectory(prefix="surmise-soak-") as name:
        work = pathlib.Path(name)
        batch(work / "plain.jsonl", sources, arguments.snippets, [], arguments.seed)
        figures["plain"], _ = undisturbed(arguments, work / "plain.jsonl", work / "plain", "plain", len(set(sources)))
        if hostile:
            batch(work / "hostile.jsonl", sources, arguments.snippets, hostile, arguments.seed)
            figures["hostile"], _ = undisturbed(arguments, work / "hostile.jsonl", work / "hostile", "hostile")
        if arguments.kills:
            batch(work / "small.jsonl", sources, min(arguments.snippets, KILLED_SNIPPETS), [], arguments.seed)
            expected, again = (
                undisturbed(arguments, work / "small.jsonl", work / label, label, patience=KILLED_PATIENCE)[1]
                for label in ("undisturbed", "again")
            )
            steady = {name: row for name, row in expected.items() if again.get(name) == row}
            figures["killed"] = killed(arguments, work / "small.jsonl", work / "killed", steady)
            figures["killed"]["unsteady"] = len(expected) - len(steady)
    if arguments.json:
        print_json(figures)
    else:
        for part in ("plain", "hostile", "killed"):
            for key, value in figures.get(part, {}).items():
                print(
                    f"{part:<8} {key:<26} {value:.1f}" if isinstance(value, float) else f"{part:<8} {key:<26} {value}"
                )
    clean = all(not figures.get(part, {}).get("left_behind") for part in ("plain", "hostile", "killed"))
    return 0 if clean and figures.get("killed", {"equal": True})["equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
