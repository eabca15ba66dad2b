"""What the conditions of recorded functions came to, from the lines that ran: the table of conditions of a data set.

A recording with `--lines '*'` has the lines of the first calls of each function in each test, in the order in which
they ran (docs/trace-format.md, `lines.parquet`). The line after the header of an `if`, `while` or `for` says whether
its block was entered. Conditions that share a line with their block, and `x if c else y`, are not decided by lines.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import sites
from manifest import Project
from places import Places

# Bump when the bytes of the same recording change.
FORM = "surmise.corpus-conditions/1"

# Loops are counted by how often their block was entered: 0, 1, 2-3, more.
ROUNDS = (0, 1, 3)

HEADERS = (ast.If, ast.While, ast.For, ast.AsyncFor)


@dataclass(eq=False)
class Condition:
    """One `if`, `while` or `for`. Lines are inclusive."""

    line: int
    column: int
    kind: str
    header: tuple[int, int]
    block: tuple[int, int]
    inside: tuple[int, int]
    # Of each call: what it came to first.
    first: Counter = field(default_factory=Counter)
    every: Counter = field(default_factory=Counter)
    rounds: list[int] = field(default_factory=lambda: [0] * (len(ROUNDS) + 1))


def first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))])


def conditions(tree: ast.AST) -> dict[int, Condition]:
    """The conditions of a source that lines decide, by each line of their headers."""
    found: dict[int, Condition] = {}
    shared = set()
    for node in ast.walk(tree):
        if not isinstance(node, HEADERS):
            continue
        decides = node.iter if isinstance(node, (ast.For, ast.AsyncFor)) else node.test
        first, last = node.lineno, decides.end_lineno
        block = (first_line(node.body[0]), node.body[-1].end_lineno)
        if block[0] <= last:
            shared.update(range(first, last + 1))
            continue
        kind = {ast.If: "if", ast.While: "while"}.get(type(node), "for")
        condition = Condition(
            decides.lineno, decides.col_offset, kind, (first, last), block, (first, node.body[-1].end_lineno)
        )
        for line in range(first, last + 1):
            if line in found:
                shared.add(line)
            found[line] = condition
    return {line: condition for line, condition in found.items() if line not in shared}


class Sequence:
    """What the conditions come to in one call."""

    def __init__(self, found: dict[int, Condition], handlers: set[int]):
        self.found = found
        self.handlers = handlers
        self.decided: set[Condition] = set()
        # How often the blocks of loops that have not ended were entered.
        self.rounds: dict[Condition, int] = {}

    def follow(self, lines: list[int], cut: bool) -> None:
        previous = None
        for line in lines:
            condition = self.found.get(line)
            again = condition is previous and previous is not None and previous.header == (line, line)
            # Where the next line is that of a handler, the condition itself failed.
            if previous is not None and (again or condition is not previous) and line not in self.handlers:
                self.decide(previous, previous.block[0] <= line <= previous.block[1])
            for loop in [loop for loop in self.rounds if not loop.inside[0] <= line <= loop.inside[1]]:
                self.ended(loop)
            previous = condition
        for loop in [] if cut else list(self.rounds):
            self.ended(loop)

    def decide(self, condition: Condition, answer: bool) -> None:
        if condition not in self.decided:
            self.decided.add(condition)
            condition.first[answer] += 1
        condition.every[answer] += 1
        if condition.kind != "if":
            self.rounds[condition] = self.rounds.get(condition, 0) + answer
            if not answer:
                self.ended(condition)

    def ended(self, loop: Condition) -> None:
        count = self.rounds.pop(loop)
        loop.rounds[next((at for at, most in enumerate(ROUNDS) if count <= most), len(ROUNDS))] += 1


def parsed(source: str | None) -> tuple[dict[int, Condition], set[int]]:
    """Conditions by line, and the lines of handlers; nothing for a source that is not there or does not parse."""
    try:
        tree = ast.parse(source or "")
    except (SyntaxError, ValueError, RecursionError):
        return {}, set()
    handlers = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)}
    return conditions(tree), handlers


def sources_of(project: Project, places: Places):
    """A function that reads the source of a recorded file; it gives None where nothing has its checksum."""
    roots = [*places.venv(project).glob("lib/python*/site-packages"), places.source(project)]
    roots += [places.source(project) / name for name in ("src", "lib")]

    def read(file: str, digest: str) -> str | None:
        for path in (root / file for root in roots):
            try:
                content = path.read_bytes()
            except OSError:
                continue
            if hashlib.sha256(content).hexdigest() == digest:
                try:
                    return content.decode("utf-8")
                except UnicodeDecodeError:
                    return None
        return None

    return read


def rows_of(folder: Path, read) -> list[dict]:
    """Rows of one recording."""
    parquet = sites.parquet()
    checksums = {
        row["file"]: row["sha256"]
        for row in parquet.read_table(folder / "files.parquet", columns=["file", "sha256"]).to_pylist()
    }
    known: dict[str, tuple[dict[int, Condition], set[int]]] = {}
    for batch in parquet.ParquetFile(folder / "lines.parquet").iter_batches(columns=["file", "lines", "cut"]):
        for row in batch.to_pylist():
            file = row["file"]
            if file not in known:
                known[file] = parsed(read(file, checksums.get(file)))
            Sequence(*known[file]).follow(row["lines"], row["cut"])
    rows = []
    for file, (found, _) in sorted(known.items()):
        for condition in dict.fromkeys(sorted(found.values(), key=lambda one: (one.line, one.column))):
            if condition.every:
                rows.append({
                    "file": file, "sha256": checksums[file], "line": condition.line, "column": condition.column,
                    "kind": condition.kind, "first_true": condition.first[True], "first_false": condition.first[False],
                    "true": condition.every[True], "false": condition.every[False], "rounds": condition.rounds,
                })  # fmt: skip
    return rows


def has_lines(folder: Path) -> bool:
    return (folder / "lines.parquet").exists()


def write(project: Project, places: Places, target: Path) -> None:
    """The same bytes for the same recording and the same pyarrow. Raises TableError when it cannot be read."""
    library = sites.parquet()
    import pyarrow

    folder = places.trace(project)
    try:
        rows = rows_of(folder, sources_of(project, places))
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise sites.TableError(
            f"`{folder}` cannot be read: {error}\nhint: record it again with build.py --lines --redo"
        ) from error
    texts, numbers = pyarrow.string(), pyarrow.uint32()
    types = {"file": texts, "sha256": texts, "kind": texts, "rounds": pyarrow.list_(numbers)}
    names = ("file", "sha256", "line", "column", "kind", "first_true", "first_false", "true", "false", "rounds")
    schema = pyarrow.schema([(name, types.get(name, numbers)) for name in names])
    options = {"compression": "zstd", "compression_level": 19, "write_statistics": False, "store_schema": False}
    with library.ParquetWriter(target, schema, **options) as writer:
        writer.write_table(pyarrow.Table.from_pylist(rows, schema))
        writer.add_key_value_metadata({"conditions": FORM, "project": project.name, "version": project.version or ""})
