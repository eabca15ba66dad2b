#!/usr/bin/env python3
"""Time of `import surmise`, and of `surmise.run` on a snippet of five lines in a warm process.

Needs the package `surmise`. Each run has another number in the snippet, so that nothing is answered from a cache; beside the
time of the clock stands that of the processors, this process and its workers together, which other work hardly changes.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

from processes import processor_seconds

SNIPPET = (
    "total = {number}\nfor order in orders:\n    total += order.price\naverage = total / len(orders)\nprint(average)\n"
)


def seconds(code):
    """Time of the clock and of the processor that a new interpreter takes."""
    began, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=100, metavar="N", help="runs (default: %(default)s)")
    arguments = parser.parse_args()
    print(f"load before {os.getloadavg()[0]:.2f}")
    pairs = [(seconds("import surmise"), seconds("pass")) for _ in range(40)]
    clock, used = (1000 * statistics.fmean(one[at] - other[at] for one, other in pairs) for at in (0, 1))
    print(f"import: {clock:.1f} ms more than `python -c pass`; {used:.1f} ms of the processor")

    import surmise

    surmise.run(SNIPPET.format(number=-1), runs=1, settings=False)
    took = []
    before = processor_seconds(os.getpid())
    for number in range(arguments.times):
        began = time.perf_counter()
        surmise.run(SNIPPET.format(number=number), runs=1, settings=False)
        took.append(1000 * (time.perf_counter() - began))
    used = 1000 * (processor_seconds(os.getpid()) - before) / arguments.times
    print(f"run: median {statistics.median(took):.1f} ms, best {min(took):.1f} ms; {used:.1f} ms of processors a run")


if __name__ == "__main__":
    main()
