#!/usr/bin/env python3
"""Snippets a second of `surmise.ray` with one actor and with more, on a local Ray cluster.

Needs the package `surmise` and `ray[data]`. Each number of actors runs the same programs in turn, for several rounds; times
are without the start of the cluster, and with that of the actors. Beside the time of the clock stands that of the processors,
which other work on the machine hardly changes: what a program costs on one processor, and the speed-up that the numbers of
actors have where each has a processor of its own. The cluster's rows are checked against a run on one machine first.
"""

import argparse
import json
import os
import statistics
import sys
import time

import ray
import surmise.batches
import surmise.ray

# Ray lets its workers import what lies beside the script.
from processes import processor_seconds


class Measured(surmise.ray.Runner):
    """A runner that says what each batch has cost, in its last row, and which actor ran it."""

    def __call__(self, batch):
        before = processor_seconds(os.getpid())
        found = super().__call__(batch)
        seconds = processor_seconds(os.getpid()) - before
        count = len(found["outcome"])
        return {**found, "seconds": [0.0] * (count - 1) + [seconds], "actor": [os.getpid()] * count}


def programs(path, count):
    with open(path, encoding="utf-8") as file:
        codes = [json.loads(line)["code"] for line in file]
    return [{"number": number, "code": codes[number % len(codes)]} for number in range(count)]


def work(rows, actors, batch_size, options):
    """Seconds of the clock, seconds of processors, the largest share of one actor, and the rows."""
    dataset = surmise.ray.run(
        ray.data.from_items(rows, override_num_blocks=max(1, len(rows) // batch_size)),
        batch_size=batch_size,
        concurrency=actors,
        **options,
    )
    began = time.perf_counter()
    found = dataset.take_all()
    took = time.perf_counter() - began
    if len(found) != len(rows):
        sys.exit(f"error: {len(found)} results of {len(rows)} programs")
    ran = [row["actor"] for row in found]
    share = max(ran.count(actor) for actor in set(ran)) / len(ran)
    return took, sum(row["seconds"] for row in found), share, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, metavar="FILE", help="JSON Lines with `code` in each object")
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="programs (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, default=50, metavar="N", help="programs in a batch")
    parser.add_argument("--actors", type=int, nargs="+", default=[1, 2], metavar="N", help="numbers of actors")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds (default: %(default)s)")
    arguments = parser.parse_args()
    options = {"runs": 1, "timeout": 1.0, "settings": False}
    rows = programs(arguments.data, arguments.count)
    ray.init(num_cpus=max(arguments.actors), include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    surmise.ray.Runner = Measured
    print(f"{len(rows)} programs, load before {os.getloadavg()[0]:.2f}", flush=True)
    few = rows[: arguments.batch_size]
    *_, found = work(few, 1, arguments.batch_size, options)
    single = surmise.batches.results([row["code"] for row in few], options)
    by_number = {row["number"]: row["outcome"] for row in found}
    if [by_number[row["number"]] for row in few] != single["outcome"]:
        sys.exit("error: the cluster has other outcomes than one machine")
    clock, processors = {}, {}
    for number in range(arguments.rounds):
        for actors in arguments.actors:
            took, seconds, share, _ = work(rows, actors, arguments.batch_size, options)
            clock.setdefault(actors, []).append(took)
            # The actor with the most work ends last.
            processors.setdefault(actors, []).append(seconds * share)
            print(
                f"round {number + 1}, {actors} actors: {took:.1f} s, {len(rows) / took:.1f} programs a second;"
                f" {1000 * seconds / len(rows):.2f} ms of processors a program, at most {share:.0%} of them by one actor",
                flush=True,
            )
    first = arguments.actors[0]
    for actors in arguments.actors:
        by_clock, by_processors = (
            statistics.median(one / other for one, other in zip(times[first], times[actors]))
            for times in (clock, processors)
        )
        print(f"{actors} actors: {by_clock:.2f} times the first by the clock, {by_processors:.2f} by processor time")
    ray.shutdown()


if __name__ == "__main__":
    main()
