"""Processes of a batch, observed from outside: its members, their memory, and what they leave behind."""

import os
import pathlib
import tempfile
import time


def family(root, generations=None):
    """Process ids of a process and all below it (so many generations), with their resident bytes."""
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
    found, pending = {}, [(root, 0)]
    while pending:
        pid, depth = pending.pop()
        found[pid] = memory.get(pid, 0)
        if depth != generations:
            pending.extend((child, depth + 1) for child in children.get(pid, []))
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
