"""Shared parts of the benchmarks over data sets: reading JSONL files, and running `surmise run --json`."""

import concurrent.futures
import json
import os
import signal
import subprocess

from command_line import progress

INTERNAL = 70
# What a run may take beyond its own limit before it counts as hanging.
GRACE_SECONDS = 25.0


def read_jsonl(parser, path, fields):
    """The records of a file as (line number, record). All hold text under each of the fields, else `parser` ends."""
    records = []
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                record = json.loads(line)
                for field in fields:
                    if not isinstance(record, dict) or not isinstance(record.get(field), str):
                        parser.error(f"`{path}` line {number} has no text under `{field}`")
                records.append((number, record))
    except (OSError, ValueError) as error:
        parser.error(f"cannot read `{path}`: {error}")
    if not records:
        parser.error(f"`{path}` has no records")
    return records


def report_of(command, folder, seconds):
    """Runs a command in a folder, without standard input. Returns (exit code, report, failure), where each may be None."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, None, "hang"
    message = stderr.decode(errors="replace").strip()
    try:
        report = json.loads(stdout)
    except ValueError:
        return process.returncode, None, f"no report: {message or stdout[:200].decode(errors='replace')}"
    failure = (message or f"exit code {INTERNAL}") if process.returncode == INTERNAL else None
    return process.returncode, report, failure


def in_parallel(jobs, label, work, *tasks):
    """What `work` returns for each tuple of `tasks`, in their order, some at a time and with progress on a terminal."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, done in enumerate(pool.map(work, *tasks), 1):
            progress(f"{label} {number}/{len(tasks[0])}")
            yield done
    progress("")


def add_program(folder, name, text):
    """Writes a program into a folder of its own: what lies next to a program can be imported."""
    folder.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return folder / name
