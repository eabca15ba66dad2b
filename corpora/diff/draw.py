"""Draw the commits to label: python3 draw.py MIRROR [--seed 7] [--random 4] [--enriched 12] [--pools].

MIRROR is a folder with bare repositories at OWNER+NAME/repo. Prints a JSON object a
line: id, project, repository, commit, parent, date, part, subject, and the changed functions with their files.

A commit can be drawn if it is not a merge, is dated SINCE or later, changes at most LINES lines of the package's own
modules, and changes 1 to FUNCTIONS functions or methods that both versions have under one qualified name. A function
counts as changed if its syntax tree differs, annotations and decorators included, docstrings, comments and layout not.
A nested function belongs to the outermost one. Functions that exist twice in a module are compared as a group.

`random`: the commits of a project are sorted, shuffled with the seed, and the first so many are taken.
`enriched`: the same among the others whose subject has one of HARMLESS. Commits that keep behaviour are rare among
real ones; this part has more of them.
"""

import argparse
import ast
import json
import random
import re
import subprocess
from pathlib import Path

SEED, RANDOM, ENRICHED = 7, 4, 12
SINCE, LINES, FUNCTIONS = "2018-11-24T00:00:00Z", 200, 6
# The folders of each project's own modules, also where they were before a move into src/.
PROJECTS = {
    "hynek/structlog": ("src/structlog/",),
    "jaraco/inflect": ("inflect/", "inflect.py"),
    "mahmoud/boltons": ("boltons/",),
    "more-itertools/more-itertools": ("more_itertools/",),
    "pallets/itsdangerous": ("src/itsdangerous/", "itsdangerous/"),
    "pypa/packaging": ("src/packaging/", "packaging/"),
    "pytest-dev/pluggy": ("src/pluggy/", "pluggy/"),
    "python-attrs/attrs": ("src/attr/", "src/attrs/"),
    "python-humanize/humanize": ("src/humanize/", "humanize/"),
    "pytoolz/toolz": ("toolz/", "tlz/"),
}
NOT_OURS = re.compile(r"(^|/)(tests?|_vendor|sandbox)/|(^|/)(_version|version|conftest|test_\w*)\.py$")
HARMLESS = re.compile(
    r"\b(refactor|clean|simpl|styl|typ(e|es|ed|ing|o|os)\b|lint|renam|readab|document|doc(s|strings?)?\b|unused|"
    r"redundan|un-?n?ec|un-?need|leftover|duplicat|mypy|perf|optimi[sz]|comment|messag|minor|consisten|cast|annotat|"
    r"hint|pyupgrade|ruff|black|flake8|f-?strings?\b|format|faster|speed|modern|drop|python ?2|py2|six\b|tidy|"
    r"reorgani[sz])",
    re.IGNORECASE,
)


def git(repository, *arguments):
    """What a Git command prints; undecodable bytes are replaced."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace")


def show(repository, revision, path):
    """A file at a revision."""
    return git(repository, "show", f"{revision}:{path}")


class WithoutDocstrings(ast.NodeTransformer):
    """Removes docstrings."""

    def visit(self, node):
        self.generic_visit(node)
        body = getattr(node, "body", None)
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = body[1:]
        return node


def functions(source):
    """The dumped syntax trees of a module's functions by qualified name."""
    found = {}

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(prefix + child.name, []).append(ast.dump(child))
            elif isinstance(child, ast.ClassDef):
                walk(child, f"{prefix}{child.name}.")
            else:
                walk(child, prefix)

    walk(WithoutDocstrings().visit(ast.parse(source)), "")
    return found


def commits(repository, folders):
    """The non-merge commits since SINCE with their dates, subjects and modified or renamed modules."""
    log = git(
        repository,
        "log",
        "--no-merges",
        f"--since={SINCE}",
        "-M",
        "--numstat",
        "-z",
        "--format=%x01%H%x02%P%x02%cs%x02%s",
    )
    for entry in log.split("\x01")[1:]:
        head, _, rest = entry.partition("\0")
        commit, parent, date, subject = head.split("\x02")
        if parent:
            yield commit, parent, date, subject, list(modules(rest, folders))


def modules(numstat, folders):
    """The old path, new path and number of changed lines of each of the package's modules in one commit."""
    fields = iter(numstat.strip("\n").split("\0"))
    for field in fields:
        added, _, rest = field.strip("\n").partition("\t")
        removed, _, path = rest.partition("\t")
        old, new = (path, path) if path else (next(fields, ""), next(fields, ""))
        ours = new.endswith(".py") and new.startswith(folders) and not NOT_OURS.search(new)
        if ours and added.isdigit():
            yield old, new, int(added) + int(removed)


def changed(repository, commit, parent, files):
    """The changed functions that both versions have; none if a version can't be read."""
    found = []
    for old, new, _ in files:
        try:
            before, after = functions(show(repository, parent, old)), functions(show(repository, commit, new))
        except (subprocess.CalledProcessError, SyntaxError, ValueError):
            continue
        found += [{"file": new, "qualname": name} for name in before if name in after and before[name] != after[name]]
    return found


def candidates(repository, name, folders):
    """Every commit of a project that can be drawn, sorted by its hash."""
    found = []
    for commit, parent, date, subject, files in commits(repository, folders):
        if not files or sum(lines for _, _, lines in files) > LINES:
            continue
        names = changed(repository, commit, parent, files)
        if 1 <= len(names) <= FUNCTIONS:
            project = name.split("/")[1]
            found.append(
                {
                    "id": f"{project}-{commit[:10]}",
                    "project": project,
                    "repository": name,
                    "commit": commit,
                    "parent": parent,
                    "date": date,
                    "subject": subject,
                    "functions": names,
                }
            )
    return sorted(found, key=lambda record: record["commit"])


def draw(records, seed, random_count, enriched_count):
    """The drawn commits of one project with their parts; larger numbers of `enriched` only add commits."""
    records = list(records)
    random.Random(f"{seed}:{records[0]['project']}").shuffle(records)
    parts = [(record, "random") for record in records[:random_count]]
    harmless = [record for record in records[random_count:] if HARMLESS.search(record["subject"])]
    parts += [(record, "enriched") for record in harmless[:enriched_count]]
    return [dict(record, part=part) for record, part in parts]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mirror", type=Path, help="folder with bare repositories at OWNER+NAME/repo")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--random", type=int, default=RANDOM, help="commits a project drawn from all")
    parser.add_argument(
        "--enriched", type=int, default=ENRICHED, help="commits a project drawn by words in the subject"
    )
    parser.add_argument(
        "--pools", action="store_true", help="print only how many commits each project has to draw from"
    )
    options = parser.parse_args()
    for name, folders in PROJECTS.items():
        records = candidates(options.mirror / name.replace("/", "+") / "repo", name, folders)
        if options.pools:
            harmless = sum(bool(HARMLESS.search(record["subject"])) for record in records)
            print(f"{name}: {len(records)} commits, {harmless} of them with a word of HARMLESS")
            continue
        for record in draw(records, options.seed, options.random, options.enriched):
            print(json.dumps(record))


if __name__ == "__main__":
    main()
