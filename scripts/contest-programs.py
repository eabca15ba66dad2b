#!/usr/bin/env python3
"""Takes solutions of programming contests out of Git repositories, as programs for `surmise label` and bench-inputs.py.

Each --repository is a directory of Git's objects (a bare repository or `.git`) with the name that its programs get. Of its
last commit all Python files are taken that read standard input, each text once, without tests. The problem of a program is the
folder that it lies in. Repositories whose licence allows it, and which hold no solutions of AtCoder and AIZU, from which
codenet_errors_valid.jsonl is:

  RussellDash332/kattis (MIT), kopok2/CodeforcesSolutionsPython (MIT), rene-d/hackerrank (Unlicense)

Exit code: 0, or 2 for bad usage.
"""

import hashlib
import json
import pathlib
import re
import subprocess

from command_line import parser_of

READS = re.compile(r"\binput\b|\bstdin\b")
MOST = 6000  # characters of a program


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument(
        "--repository",
        action="append",
        required=True,
        metavar="NAME=DIR",
        help="a repository and its name (repeatable)",
    )
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True, metavar="FILE", help="the programs, as JSONL")
    arguments = parser.parse_args()
    arguments.repositories = [one.partition("=")[::2] for one in arguments.repository]
    for name, folder in arguments.repositories:
        command = ["git", "--git-dir", folder, "rev-parse", "--verify", "--quiet", "HEAD"]
        if not name or subprocess.run(command, capture_output=True).returncode != 0:
            parser.error(f"`{name}={folder}` is no name with a directory of Git's objects")
    return arguments


def git(folder, *arguments):
    return subprocess.run(["git", "--git-dir", folder, *arguments], stdout=subprocess.PIPE, check=True).stdout


def programs(name, folder):
    """(name, problem, code) of each solution."""
    owner = name.partition("/")[0]
    for entry in git(folder, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0"):
        about, _, path = entry.partition("\t")
        path = pathlib.PurePosixPath(path)
        if path.suffix != ".py" or path.stem.startswith("test"):
            continue
        blob = about.split()[2]
        try:
            code = git(folder, "cat-file", "blob", blob).decode()
        except UnicodeDecodeError:
            continue
        if len(code) <= MOST and READS.search(code):
            yield f"{name}-{blob[:12]}", owner + ":" + (path.parent.name or path.name), code


def main():
    arguments = parse_arguments()
    seen, counts = set(), {}
    with arguments.out.open("w") as file:
        for name, folder in arguments.repositories:
            for identifier, problem, code in programs(name, folder):
                text = hashlib.sha256("".join(code.split()).encode()).digest()
                if text in seen:
                    continue
                seen.add(text)
                counts[name] = counts.get(name, 0) + 1
                row = {
                    "id": identifier,
                    "problem_id": problem,
                    "code": code,
                    "description": "",
                    "error_class": "No error",
                    "error_line": None,
                }
                file.write(json.dumps(row) + "\n")
    for name, count in counts.items():
        print(f"{count} programs of {name}")


if __name__ == "__main__":
    main()
