#!/usr/bin/env python3
"""Runs many snippets through `surmise cover`, kills it at random moments, and looks at what is left.

    scripts/bench-soak.py                          # 20,000 snippets, with 5 % hostile ones, and 100 kills
    scripts/bench-soak.py --snippets 2000 --kills 10 --json
    scripts/bench-soak.py --sets functions.jsonl so_snippets.jsonl --jobs 8 --kills 0 --no-hostile

Three batches over the records of ../shared/datasets, repeated under other names, one run each, --predictor model:

plain      undisturbed: snippets a second, memory of all processes over time, what is left behind
hostile    the same with 5 % snippets of tests/hostile mixed in (left out where that folder is not there)
killed     a smaller batch, whose parent, zygotes or workers are killed (SIGKILL) at random moments and which is started
           again each time: its results must equal those of an undisturbed run, but for snippets on which two
           undisturbed runs differ (addresses, clocks, random numbers), which are counted

Left behind counts processes of ours, mounts and files in the temporary folder that were not there before.

Exit code: 0, or 1 if results were lost, doubled or different, or something was left behind, or 2 for bad usage.
"""

import argparse
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

from records import progress, read_jsonl

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATASETS = ROOT.parent / "shared" / "datasets"
SETS = ["functions.jsonl", "so_snippets.jsonl", "so_snippets_extra.jsonl"]
HOSTILE_SHARE = 0.05
SAMPLE_SECONDS = 0.5


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--snippets", type=int, default=20_000, help="of the first two batches (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=2 * os.cpu_count(), help="snippets at a time (default: two a core)")
    parser.add_argument(
        "--sets", nargs="+", default=SETS, metavar="FILE", help="of ../shared/datasets (default: %(default)s)"
    )
    parser.add_argument("--no-hostile", action="store_true", help="leave the second batch out")
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds for each snippet (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of kills and mixing (default: %(default)s)")
    parser.add_argument("--surmise", type=pathlib.Path, default=ROOT / "target" / "release" / "surmise")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if min(arguments.snippets, arguments.jobs) < 1 or arguments.kills < 0 or arguments.timeout <= 0:
        parser.error("--snippets, --jobs and --timeout must be above 0")
    if not os.access(arguments.surmise, os.X_OK):
        parser.error(f"no command at `{arguments.surmise}`: build it (`cargo build --release`) or name it by --surmise")
    return parser, arguments


def batch(path, sources, count, hostile, seed):
    """Writes a JSONL file of so many records, each with a text of its own."""
    chance = random.Random(seed)
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as out:
        for number in range(count):
            bad = hostile and chance.random() < HOSTILE_SHARE
            code = chance.choice(hostile) if bad else sources[number % len(sources)]
            # Equal texts under other names are other snippets.
            out.write(json.dumps({"id": f"{number}", "code": code}) + "\n")


def command(arguments, path, out):
    words = [arguments.surmise, "cover", "--jsonl", path, "--out", out, "--runs", "1", "--json"]
    words += ["--jobs", arguments.jobs, "--timeout", arguments.timeout, "--time", arguments.timeout]
    return [str(word) for word in words]


def family(root):
    """Process ids of a process and all below it, with their resident bytes."""
    children, memory = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry))
        memory[int(entry)] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    found, pending = {}, [root]
    while pending:
        pid = pending.pop()
        found[pid] = memory.get(pid, 0)
        pending.extend(children.get(pid, []))
    return found


def surroundings():
    mounts = pathlib.Path("/proc/self/mounts").read_text().count("\n")
    ours = 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                ours += b"surmise" in pathlib.Path("/proc", entry, "cmdline").read_bytes().split(b"\0")[0]
            except OSError:
                pass
    return {"processes": ours, "mounts": mounts, "temporary files": len(os.listdir(tempfile.gettempdir()))}


def left_behind(before):
    # Dying processes take a moment.
    for _ in range(50):
        after = surroundings()
        left = {what: after[what] - before[what] for what in before if after[what] > before[what]}
        if not left:
            break
        time.sleep(0.1)
    return left


def results(text):
    """What a batch printed, without times, and the milliseconds of runs that were ended for their time."""
    rows, late = {}, 0
    for line in text.splitlines():
        row = json.loads(line)
        if "file" in row:
            times = row.pop("time_ms", {})
            late += times.get("execute", 0) if row.get("outcome") == "timeout" else 0
            assert row["file"] not in rows, f"{row['file']} is there twice"
            rows[row["file"]] = row
    return rows, late


def undisturbed(arguments, path, out, label):
    before = surroundings()
    begin = time.monotonic()
    process = subprocess.Popen(command(arguments, path, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    samples, over = [], threading.Event()

    def watch():
        while not over.wait(SAMPLE_SECONDS):
            resident = family(process.pid)
            samples.append((sum(resident.values()), resident.get(process.pid, 0)))
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
    if process.returncode:
        print(stderr.decode(errors="replace"), file=sys.stderr)
    return figures, rows


def changes(name, expected, found):
    """What is not the same in two results of a snippet."""
    keys = [key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)]
    return name, {key: (expected.get(key), found.get(key)) for key in sorted(keys)}


def killed(arguments, path, out, expected):
    """Runs the batch to its end through kills of the parent, of zygotes and of workers."""
    chance = random.Random(arguments.seed)
    before = surroundings()
    kills = {"parent": 0, "below": 0}
    while True:
        process = subprocess.Popen(command(arguments, path, out), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        drain = []
        reader = threading.Thread(target=lambda pipe=process.stdout, into=drain: into.append(pipe.read()))
        reader.start()
        while process.poll() is None:
            time.sleep(chance.uniform(0.02, 0.4))
            if sum(kills.values()) >= arguments.kills or process.poll() is not None:
                continue
            below = [pid for pid in family(process.pid) if pid != process.pid]
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
    return {
        "kills": kills,
        "exit_code": 0,
        "compared": len(expected),
        "lost": len(expected.keys() - rows.keys()),
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
        figures["plain"], _ = undisturbed(arguments, work / "plain.jsonl", work / "plain", "plain")
        if hostile:
            batch(work / "hostile.jsonl", sources, arguments.snippets, hostile, arguments.seed)
            figures["hostile"], _ = undisturbed(arguments, work / "hostile.jsonl", work / "hostile", "hostile")
        if arguments.kills:
            batch(work / "small.jsonl", sources, min(arguments.snippets, 1500), [], arguments.seed)
            _, expected = undisturbed(arguments, work / "small.jsonl", work / "expected", "undisturbed")
            _, again = undisturbed(arguments, work / "small.jsonl", work / "again", "again")
            steady = {name: row for name, row in expected.items() if again.get(name) == row}
            figures["killed"] = killed(arguments, work / "small.jsonl", work / "killed", steady)
            figures["killed"]["unsteady"] = len(expected) - len(steady)
    if arguments.json:
        json.dump(figures, sys.stdout, indent=1)
        print()
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
