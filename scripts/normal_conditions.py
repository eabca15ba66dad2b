"""Conditions of Python code in a normal form, in which two spellings of a condition are equal.

It is the form that `surmise invariants` writes (`instrument::guards`): `not` stands only before what has no negation of
its own, chains of comparisons are taken apart, and `and` within `and` is one.
"""

import ast

NEGATIONS = {
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
}
NEGATIONS |= {negation: operator for operator, negation in NEGATIONS.items()}


def normal(condition, negated=False):
    """The normal form of an expression, or of its negation, as a new tree."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return normal(condition.operand, not negated)
    if isinstance(condition, ast.BoolOp):
        is_all = isinstance(condition.op, ast.And) != negated
        return joined(is_all, [normal(value, negated) for value in condition.values])
    if isinstance(condition, ast.Compare):
        operands = [condition.left, *condition.comparators]
        links = [
            ast.Compare(left, [NEGATIONS[type(operator)]() if negated else operator], [right])
            for left, operator, right in zip(operands, condition.ops, operands[1:])
        ]
        return links[0] if len(links) == 1 else joined(not negated, links)
    return ast.UnaryOp(ast.Not(), condition) if negated else condition


def joined(is_all, parts):
    """All of the parts, or any of them."""
    kind = ast.And if is_all else ast.Or
    values = []
    for part in parts:
        inner = part.values if isinstance(part, ast.BoolOp) and isinstance(part.op, kind) else [part]
        values.extend(inner)
    return ast.BoolOp(kind(), values)


def is_single(condition):
    """True for one test, without `and` and `or`."""
    return not isinstance(condition, ast.BoolOp)


def spelled(condition):
    """The text of a condition in the normal form, equal for equal ones."""
    return ast.unparse(ast.fix_missing_locations(condition))


def respelled(text):
    """The text of a condition that is given as a text."""
    return spelled(normal(ast.parse(text, mode="eval").body))
