#!/usr/bin/env python3
"""Runs every function of packages in its imported module, and says how many did run there and what was found.

    python3 scripts/bench-packages.py ../packages/click/src ../packages/flask/src

Each PATH is a folder with the sources of a package; its environment is found as `surmise cover` finds it (a `.venv`
beside its `pyproject.toml`, or --python after `--`). Prints a row for each: functions, how many ran in place, the mean
coverage of their bodies in percent, functions of which no line was reached, and errors called certain. --show lists those,
and why functions did not run in place.
"""

import json
import subprocess
import sys
from collections import Counter

from command_line import add_surmise, check_surmise, parser_of


def documents(arguments, path):
    """The report of each function."""
    command = [
        str(arguments.surmise),
        "cover",
        "--functions",
        path,
        "--json",
        "--jobs",
        "2",
        "--runs",
        str(arguments.runs),
    ]
    ended = subprocess.run([*command, *arguments.options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if ended.returncode:
        raise SystemExit(ended.returncode)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    return [document for document in found if document.get("schema") == "surmise.run/1"]


def share(lines):
    return 100 * lines["covered"] / lines["total"] if lines["total"] else 100.0


def main():
    parser = parser_of(__doc__)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--runs", type=int, default=64, help="at most, of each function (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="list certain errors, and why functions ran as excerpts")
    add_surmise(parser)
    arguments, arguments.options = parser.parse_known_args([word for word in sys.argv[1:] if word != "--"])
    check_surmise(parser, arguments)
    print(f"{'functions':>9} {'in place':>8} {'body %':>7} {'unreached':>9} {'certain':>7}  path")
    for path in arguments.paths:
        found = documents(arguments, path)
        if not found:
            parser.error(f"`{path}` has no functions")
        placed = sum(document["surroundings"]["in_place"] is True for document in found)
        body = sum(share(document["lines"]) for document in found) / len(found)
        unreached = sum(not document["lines"]["covered"] and document["lines"]["total"] > 0 for document in found)
        certain = [
            f"{document['file']}:{error['line']}: {error['type']}: {error['message']}"
            for document in found
            for error in document["errors"]
            if error["verdict"] == "certain"
        ]
        print(f"{len(found):9} {placed:8} {body:7.2f} {unreached:9} {len(certain):7}  {path}", flush=True)
        if arguments.show:
            problems = Counter(document["surroundings"]["problem"] for document in found)
            for problem, count in problems.most_common():
                if problem:
                    print(f"  {count} ran as excerpts: {problem}")
            for error in certain:
                print(f"  {error}")


if __name__ == "__main__":
    main()
