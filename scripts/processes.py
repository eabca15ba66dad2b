"""Processes of a batch, observed from outside: its members, their memory, and what they leave behind."""

import os
import pathlib
import tempfile
import time


def processes():
    """Process ids with the fields of their `stat` from the state on, as proc(5) lists them."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            yield (
                int(entry),
                pathlib.Path("/proc", entry, "stat").read_text(errors="replace").rpartition(")")[2].split(),
            )
        except OSError:
            continue


def family(root, generations=None):
    """Process ids of a process and all below it (so many generations), with the fields of their `stat`."""
    children, fields = {}, {}
    for pid, found in processes():
        children.setdefault(int(found[1]), []).append(pid)
        fields[pid] = found
    members, pending = {}, [(root, 0)]
    while pending:
        pid, depth = pending.pop()
        members[pid] = fields.get(pid)
        if depth != generations:
            pending.extend((child, depth + 1) for child in children.get(pid, []))
    return members


def memory(root, generations=None):
    """Process ids of a process and all below it (so many generations), with their resident bytes."""
    page = os.sysconf("SC_PAGE_SIZE")
    return {pid: int(fields[21]) * page if fields else 0 for pid, fields in family(root, generations).items()}


def processor_seconds(root):
    """Processor time of a process, of those below it, and of those that these have waited for."""
    ticks = sum(sum(map(int, fields[11:15])) for fields in family(root).values() if fields)
    return ticks / os.sysconf("SC_CLK_TCK")


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
