#!/usr/bin/env python3
"""Snippets a second of `surmise.ray` with one actor and with more, on a local Ray cluster.

Needs the package `surmise` and `ray[data]`. Each configuration runs the same programs, after a round that starts the actors;
the ratio is that of the times without the start of the cluster. A row is checked against the run on one machine first.
"""

import argparse
import json
import os
import sys
import time

import ray
import surmise.batches
import surmise.ray


def programs(path, count):
    with open(path, encoding="utf-8") as file:
        codes = [json.loads(line)["code"] for line in file]
    return [{"number": number, "code": codes[number % len(codes)]} for number in range(count)]


def seconds(rows, actors, batch_size, options):
    dataset = surmise.ray.run(
        ray.data.from_items(rows, override_num_blocks=len(rows) // batch_size),
        batch_size=batch_size,
        concurrency=actors,
        **options,
    )
    began = time.perf_counter()
    found = dataset.take_all()
    took = time.perf_counter() - began
    if len(found) != len(rows):
        sys.exit(f"error: {len(found)} results of {len(rows)} programs")
    return took, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, metavar="FILE", help="JSON Lines with `code` in each object")
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="programs (default: %(default)s)")
    parser.add_argument("--batch-size", type=int, default=50, metavar="N", help="programs in a batch")
    parser.add_argument("--actors", type=int, nargs="+", default=[1, 2], metavar="N", help="numbers of actors")
    arguments = parser.parse_args()
    options = {"runs": 1, "timeout": 1.0, "settings": False}
    rows = programs(arguments.data, arguments.count)
    ray.init(num_cpus=max(arguments.actors), include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    print(f"{len(rows)} programs, load before {os.getloadavg()[0]:.2f}")
    few = rows[: arguments.batch_size]
    _, found = seconds(few, 1, arguments.batch_size, options)
    single = surmise.batches.results([row["code"] for row in few], options)
    by_number = {row["number"]: row["outcome"] for row in found}
    if [by_number[row["number"]] for row in few] != single["outcome"]:
        sys.exit("error: the cluster has other outcomes than one machine")
    first = None
    for actors in arguments.actors:
        took, _ = seconds(rows, actors, arguments.batch_size, options)
        first = first or took
        print(
            f"{actors} actors: {took:.1f} s, {len(rows) / took:.1f} programs a second, {first / took:.2f} times the first"
        )
    ray.shutdown()


if __name__ == "__main__":
    main()
