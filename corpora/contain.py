"""Runs one command for `run.py`: loopback up, devices as they are, a time limit, and nothing left behind.

usage: contain.py SECONDS GRACE USAGE COMMAND...

It is the init process of its own PID and network namespaces where the machine allows them (see `run.wrapper`), so
that whatever a test suite leaves running dies with it. At the limit the command's process group gets SIGINT, as from
Ctrl-C, so that a test runner can write what it has, and once more after half of the grace time, as the test that ran
may have caught the first; after the grace time, SIGKILL. Exits with the command's code, or with 124 at the limit. USAGE
is a file that it writes: see `usage`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

LIMIT_REACHED = 124
INTERRUPTS = 2
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1


def raise_loopback() -> None:
    """A new network namespace has its loopback down. Elsewhere it is up, and nothing changes."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(handle, SIOCGIFFLAGS, request))
        if not flags & IFF_UP:
            fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def protect_devices() -> None:
    """Devices stay usable, but not to be changed: as root, one suite left /dev/null unwritable for everybody.

    Only in a mount namespace of our own, which comes with that of processes.
    """
    if os.getpid() == 1:
        for words in (["--rbind", "/dev", "/dev"], ["-o", "remount,bind,ro", "/dev"]):
            subprocess.run(["mount", *words], check=True, capture_output=True)


def signal_group(process: subprocess.Popen, number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def run(command: list[str], seconds: float, grace: float) -> int:
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)

    def stop(*_):
        signal_group(process, signal.SIGKILL)
        sys.exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    code = wait(process, seconds)
    if code is None:
        for _ in range(INTERRUPTS):
            signal_group(process, signal.SIGINT)
            if wait(process, grace / INTERRUPTS) is not None:
                break
        else:
            signal_group(process, signal.SIGKILL)
            process.wait()
        code = LIMIT_REACHED
    signal_group(process, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def wait(process: subprocess.Popen, seconds: float) -> int | None:
    """Like Popen.wait, but also reaps orphans, which become children of an init process."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if (code := process.poll()) is not None:
            return code
        if os.getpid() == 1:
            reap_orphans(process.pid)
        time.sleep(0.05)
    return process.poll()


def reap_orphans(keep: int) -> None:
    """Reaps orphans, but leaves the exit status of the command itself to Popen."""
    while True:
        try:
            waiting = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if waiting is None or waiting.si_pid == keep:
            return
        os.waitpid(waiting.si_pid, 0)


def usage() -> dict[str, float]:
    """What the kernel counted of all descendants that were waited for: the peak of the largest process, in MB, and the
    CPU seconds of all. Unlike samples of /proc it misses no short peak and costs nothing, and unlike cgroups it is there
    everywhere; it does not add up processes that run at the same time.
    """
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"peak_mb": round(found.ru_maxrss * 1024 / 1e6, 1), "cpu_seconds": round(found.ru_utime + found.ru_stime, 1)}


def main(arguments: list[str]) -> int:
    # A shell starts background commands with SIGINT ignored, and that is inherited.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        raise_loopback()
    except OSError as error:
        print(f"contain.py: loopback stays as it is: {error}", file=sys.stderr)
    try:
        protect_devices()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"contain.py: devices are not protected: {error}", file=sys.stderr)
    code = run(arguments[3:], float(arguments[0]), float(arguments[1]))
    with open(arguments[2], "w", encoding="utf-8") as file:
        json.dump(usage(), file)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
