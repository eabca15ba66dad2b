"""Changes of single files in the history of a Git repository, by the `git` command."""

import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass

# Folders and files that hold no code of the project itself.
EXCLUDED = re.compile(
    r"(^|/)(tests?|testing|docs?|examples?|samples?|demos?|benchmarks?|vendor|_?vendored|_vendor|extern|externals?"
    r"|third_?party|bundled)(/|$)"
    r"|(^|/)(test_[^/]*|[^/]*_tests?|tests?|conftest|doctest[^/]*)\.py$",
    re.IGNORECASE,
)


@dataclass
class Change:
    """The one Python file outside tests and documentation that a commit changes."""

    commit: str
    message: str
    path: str
    before: str
    after: str


def is_excluded(path):
    """True for tests, documentation, examples, and code that was copied from elsewhere."""
    return EXCLUDED.search(path) is not None


def head(repository):
    """The newest commit."""
    return git(repository, "rev-parse", "HEAD").strip()


def git(repository, *arguments):
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def changes(repository):
    """Commits that change one Python file outside tests and documentation, and add or delete none; the newest first.

    `before` and `after` are the names of Git's objects.
    """
    options = ["--no-merges", "--raw", "--no-abbrev", "--no-renames", "--format=%x00%H%x00%B%x00"]
    text = git(repository, "-c", "core.quotePath=false", "log", *options, "HEAD", "--", "*.py")
    fields = text.split("\0")[1:]
    for commit, message, files in zip(fields[::3], fields[1::3], fields[2::3]):
        found = changed_file(files)
        if found:
            path, before, after = found
            yield Change(commit, message.strip(), path, before, after)


def changed_file(raw):
    """Path and both objects of the only file of interest in the raw lines of a commit, if it is changed."""
    found = []
    for line in raw.splitlines():
        if not line.startswith(":"):
            continue
        (_, _, before, after, status), path = line[1:].split("\t")[0].split(" "), line.split("\t", 1)[1]
        if not is_excluded(path):
            found.append((status, path, before, after))
    if len(found) != 1 or found[0][0] != "M":
        return None
    return found[0][1:]


@contextmanager
def objects(repository):
    """A function that reads the text of an object by its name; None for what is no text in UTF-8."""
    command = ["git", "-C", str(repository), "cat-file", "--batch"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(name):
        process.stdin.write(f"{name}\n".encode())
        process.stdin.flush()
        header = process.stdout.readline().split()
        if len(header) != 3:
            return None
        data = process.stdout.read(int(header[2]) + 1)[:-1]
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None

    try:
        yield read
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()
