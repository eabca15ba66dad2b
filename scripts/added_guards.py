"""Finds the one guard that a change of a Python file adds, if it adds nothing else.

A guard is an `if` without `else` around statements that were there before (`wrapped`), an `if` in front of them that
leaves the block (`exit`), an `assert` in front of them (`assert`), or a further test of a condition that was there
(`test`, of which no region is known).
"""

import ast
import re
import warnings
from dataclasses import dataclass, replace

from normal_conditions import is_single, normal, spelled

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# Statements of an `if` that leaves the block, such as a line for the log and the `return`.
MOST_STATEMENTS = 3
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# A line that begins a statement of a module, rather than a part of one.
BEGINNING = re.compile(r"(?!(else|elif|except|finally)\b)[A-Za-z_@]")
# Lines that a change may add or take away to be looked at, and how those with and without a guard begin.
MOST_LINES = 12
GUARD = re.compile(r"(el)?if\b|assert\b|while\b|not\b|and\b|\S.* and\b")
NO_GUARD = re.compile(r"(async\s+)?def\b|class\b|for\b|with\b|try\b|import\b|from\b|@")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass
class Guard:
    """A guard that was added; lines are those of the version before."""

    kind: str
    condition: str
    is_single: bool
    line: int
    end_line: int
    in_function: bool
    region: str


def parsed(text):
    """The tree of a source; None if it is no Python 3."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def added_guard(before, after):
    """The guard that one version of a file has and the version before lacks, if that is all that differs."""
    for old, new, skipped in parts(before.splitlines(), after.splitlines()):
        trees = parsed("\n".join(old)), parsed("\n".join(new))
        if all(trees):
            try:
                found = of_blocks(trees[0].body, trees[1].body, Surroundings(old, new))
            except RecursionError:
                return None
            return found and replace(found, line=found.line + skipped, end_line=found.end_line + skipped)
    return None


def could_add_a_guard(before, after):
    """A quick look at the lines: few are new, one of them may begin a guard, and hardly any is gone."""
    old, new = before.splitlines(), after.splitlines()
    start, end = differing_lines(old, new)
    old = [line.strip() for line in old[start : len(old) - end]]
    new = [line.strip() for line in new[start : len(new) - end]]
    if len(new) - len(old) > MOST_LINES:
        return False
    known, gone = set(old), set(old) - set(new)
    fresh = [line for line in new if line not in known]
    if len(gone) > MOST_LINES or any(NO_GUARD.match(line) for line in fresh):
        return False
    return any(GUARD.match(line) for line in fresh)


def parts(old, new):
    """The statements of the module that differ, which are parsed quickly, then all of both versions."""
    start, end = differing_lines(old, new)
    while start > 0 and not (start < len(old) and BEGINNING.match(old[start])):
        start -= 1
    while end > 0 and not BEGINNING.match(old[len(old) - end]):
        end -= 1
    yield old[start : len(old) - end], new[start : len(new) - end], start
    yield old, new, 0


def differing_lines(old, new):
    """How many lines are equal at the beginning and at the end."""
    start, end = 0, 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


@dataclass
class Surroundings:
    """Lines of both versions, and whether the statements are those of a function."""

    old: list
    new: list
    in_function: bool = False

    def is_same(self, old, new):
        """True if two statements differ in nothing but spacing and comments."""
        return text_of(old, self.old) == text_of(new, self.new) or ast.dump(old) == ast.dump(new)

    def inside(self, statement):
        is_inside = isinstance(statement, FUNCTIONS) or (self.in_function and not isinstance(statement, ast.ClassDef))
        return replace(self, in_function=is_inside)


def text_of(statement, lines):
    if not hasattr(statement, "col_offset"):
        return statement
    return (statement.col_offset, lines[first_line(statement) - 1 : statement.end_lineno])


def first_line(statement):
    """Its first line, a decorator's if it has one."""
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def window(old, new, around):
    """Where two lists of statements begin to differ, and what of each differs."""
    start, end = 0, 0
    while start < min(len(old), len(new)) and around.is_same(old[start], new[start]):
        start += 1
    while end < min(len(old), len(new)) - start and around.is_same(old[-1 - end], new[-1 - end]):
        end += 1
    return start, old[start : len(old) - end], new[start : len(new) - end]


def of_blocks(old, new, around):
    """The guard by which two lists of statements differ."""
    start, own, other = window(old, new, around)
    if len(other) != 1:
        return None
    if not own:
        return in_front(other[0], old[start:], around)
    if len(own) == len(getattr(other[0], "body", [])):
        found = wrapped(other[0], own, around)
        if found:
            return found
    return of_statements(own[0], other[0], around) if len(own) == 1 else None


def in_front(statement, rest, around):
    """A guard that leaves the block, or asserts, in front of the rest of the block."""
    if not rest:
        return None
    if isinstance(statement, ast.Assert):
        return guard("assert", normal(statement.test), rest, around)
    is_exit = isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], LEAVING)
    if is_exit and len(statement.body) <= MOST_STATEMENTS:
        return guard("exit", normal(statement.test, negated=True), rest, around)
    return None


def wrapped(statement, inner, around):
    """An `if` around statements that were there before."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return None
    if not all(map(around.is_same, inner, statement.body)):
        return None
    return guard("wrapped", normal(statement.test), inner, around)


def of_statements(old, new, around):
    """The guard by which two statements of one kind differ."""
    if type(old) is not type(new) or not hasattr(old, "body"):
        return None
    inner = around.inside(old)
    differing = []
    for name in old._fields:
        one, other = getattr(old, name), getattr(new, name)
        is_same = window(one, other, inner)[1:] == ([], []) if name in BLOCKS else dumped(one) == dumped(other)
        differing += [] if is_same else [(name, one, other)]
    if len(differing) != 1:
        return None
    name, one, other = differing[0]
    if name == "test" and isinstance(old, (ast.If, ast.While)):
        return further_test(old, other, around)
    if name in ("handlers", "cases"):
        _, one, other = window(one, other, inner)
        return of_statements(one[0], other[0], inner) if len(one) == len(other) == 1 else None
    return of_blocks(one, other, inner) if name in BLOCKS else None


def dumped(field):
    fields = field if isinstance(field, list) else [field]
    return [ast.dump(part) if isinstance(part, ast.AST) else part for part in fields]


def further_test(old, condition, around):
    """A test that a condition has and the one before lacks: `x.y` has become `x and x.y`."""
    before, after = normal(old.test), normal(condition)
    if not is_all(after):
        return None
    known = [ast.dump(part) for part in (before.values if is_all(before) else [before])]
    new = [part for part in after.values if ast.dump(part) not in known]
    rest = [ast.dump(part) for part in after.values if ast.dump(part) in known]
    return guard("test", new[0], [old], around) if len(new) == 1 and rest == known else None


def is_all(condition):
    return isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And)


def guard(kind, condition, region, around):
    return Guard(
        kind=kind,
        condition=spelled(condition),
        is_single=is_single(condition),
        line=first_line(region[0]),
        end_line=region[-1].end_lineno,
        in_function=around.in_function,
        region="\n".join(ast.dump(statement) for statement in region),
    )
