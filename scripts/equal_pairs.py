"""Rewrites of released packages that keep their behaviour: by ruff's safe fixes, by pyupgrade and by LibCST codemods.

Each package becomes a Git repository whose first commit is the release and whose tags `ruff`, `pyupgrade`, `libcst`
and `refactoring` are rewrites of it. Run by `bench-equal-pairs.py` with an interpreter that has `requirements-equal-pairs.txt`.
"""

import ast
import random
import subprocess
import sys
from pathlib import Path

from libcst.codemod import CodemodContext, transform_module
from libcst.codemod.commands.convert_format_to_fstring import ConvertFormatStringCommand
from libcst.codemod.commands.convert_percent_format_to_fstring import ConvertPercentFormatStringCommand
from refactor import REFACTORINGS
from rename_locals import RenameLocals

# Files of a package that are rewritten, and functions of each that stay so.
MOST_FILES = 25
MOST_OF_A_FILE = 5

# Rules of ruff whose fixes edit no code that runs, or the order of `__all__` and `__slots__`, which programs can see.
LEFT_OUT = "D,COM,I,W,Q,E2,E3,ERA,FA,ANN,INP,CPY,T20,UP007,UP045,RUF100,RUF022,RUF023"


def by_ruff(files):
    command = ["-m", "ruff", "check", "--isolated", "--quiet", "--fix-only", "--preview", "--target-version", "py39"]
    subprocess.run([sys.executable, *command, "--select", "ALL", "--ignore", LEFT_OUT, *files], check=True)


def by_pyupgrade(files):
    # It ends with 1 when it has rewritten something.
    subprocess.run([sys.executable, "-m", "pyupgrade", "--py39-plus", *files], stderr=subprocess.DEVNULL)


def by_codemods(files, codemods):
    for path in files:
        text = path.read_text(encoding="utf-8")
        for codemod in codemods:
            result = transform_module(codemod(CodemodContext(filename=str(path))), text)
            text = getattr(result, "code", text)
        path.write_text(text, encoding="utf-8")


def by_libcst(files):
    by_codemods(files, (ConvertFormatStringCommand, ConvertPercentFormatStringCommand, RenameLocals))


def by_refactoring(files):
    by_codemods(files, REFACTORINGS)


TOOLS = {"ruff": by_ruff, "pyupgrade": by_pyupgrade, "libcst": by_libcst, "refactoring": by_refactoring}


def functions(text):
    """The functions of a source, and the methods of its classes, by qualified name: (first line, last line, code)."""
    found = {}

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([child, *child.decorator_list], key=lambda part: part.lineno).lineno
                found[prefix + child.name] = (first - 1, child.end_lineno, ast.dump(child))
            elif isinstance(child, ast.ClassDef):
                walk(child, f"{prefix}{child.name}.")

    walk(ast.parse(text), "")
    return found


def changed(before, after):
    return [name for name in before if name in after and before[name][2] != after[name][2]]


def with_few(old, new, most, random):
    """The new text in which all but `most` of the functions that differ are the old ones; and how many these are."""
    try:
        before, after = functions(old), functions(new)
    except SyntaxError:
        return old, 0
    names = changed(before, after)
    left = set(random.sample(names, max(0, len(names) - most)))
    lines, old_lines = new.splitlines(keepends=True), old.splitlines(keepends=True)
    for name in sorted(left, key=lambda name: -after[name][0]):
        lines[slice(*after[name][:2])] = old_lines[slice(*before[name][:2])]
    return "".join(lines), len(names) - len(left)


def git(repository, *words):
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", repository, *identity, *words], check=True, stdout=subprocess.DEVNULL)


def make(repository, most, seed):
    """Commits the rewrites of the package in `repository`, each of at most so many functions of files that are drawn."""
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "the release")
    git(repository, "tag", "release")
    own = [path for path in sorted(repository.rglob("*.py")) if not {"test", "tests"} & set(path.parts)]
    drawn = random.Random(seed)
    drawn.shuffle(own)
    files = own[:MOST_FILES]
    for tool, rewrite in TOOLS.items():
        before = [path.read_text(encoding="utf-8") for path in files]
        rewrite(files)
        left = most
        for path, old in zip(files, before):
            new, count = with_few(old, path.read_text(encoding="utf-8"), min(left, MOST_OF_A_FILE), drawn)
            path.write_text(new if count else old, encoding="utf-8")
            left -= count
        git(repository, "commit", "--quiet", "--all", "--allow-empty", "-m", f"what {tool} rewrites")
        git(repository, "tag", tool)
        git(repository, "checkout", "--quiet", "--detach", "release")


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
