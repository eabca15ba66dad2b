"""Preconditions of functions as Daikon mines them: a template is filled with a parameter, and kept if it was true of each
recorded call.

The templates are `x is not None`, `isinstance(x, T)` for builtin classes, `x`, `len(x) > 0`, `x >= 0`, `x == a` and
`x in (a, b)`. Calls come from a recording with `surmise trace --lines '*' --call-values`: a call has the class of each
value that it read (with its sign, or whether it is empty), and short literals.
"""

import ast
from collections import defaultdict

from added_guards import first_line

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Class of a recording to the builtin class that it implies. Sets may be frozen, and others are no builtins.
BUILTIN = {"True": "bool", "False": "bool", "bytes": "bytes"}
BUILTIN |= {f"{name}_{sign}": name for name in ("int", "float") for sign in ("neg", "zero", "pos")}
BUILTIN |= {f"{name}_{size}": name for name in ("str", "list", "tuple", "dict") for size in ("empty", "nonempty")}
FALSE = {"None", "False", "int_zero", "float_zero"}
TRUE = {"True", "int_pos", "int_neg", "float_pos", "float_neg"}
NATURAL = {"int_zero", "int_pos", "float_zero", "float_pos"}
# Values of one parameter that are listed at most.
MOST_VALUES = 3


def preconditions(source):
    """Parameters and the first statement of each function of a source, by qualified name; none that is there twice."""
    found, twice = {}, set()

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                name = prefix + child.name
                twice.update({name} & found.keys())
                found[name] = child
                walk(child, f"{name}.<locals>.")
            else:
                walk(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)

    walk(ast.parse(source), "")
    places = {}
    for name, node in found.items():
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if name not in twice and body:
            places[name] = (first_line(body[0]), body[0].col_offset, parameters(node))
    return places


def parameters(node):
    """Parameters that the function never binds anew."""
    all_of_them = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    inner = (part for statement in node.body for part in ast.walk(statement))
    bound = {part.id for part in inner if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    return [argument.arg for argument in all_of_them if argument.arg not in bound]


def first_reads(values):
    """Class and literal that a call first read under each name."""
    found = {}
    for value in values:
        if value["kind"] == "variable":
            found.setdefault(value["name"], (value["class"], value["literal"]))
    return found


def observed(rows):
    """What recorded calls read under each name, by function: {function: {name: [(class, literal)]}}."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for name, read in first_reads(row["values"]).items():
            found[row["function"]][name].append(read)
    return found


def conditions(name, reads):
    """The templates that are true of all that was read of a parameter."""
    classes = {kind for kind, _ in reads}
    if classes == {"None"}:
        return [f"{name} is None"]
    found = [] if "None" in classes else [f"{name} is not None"]
    builtin = {BUILTIN.get(kind) for kind in classes}
    if builtin == {"int", "bool"}:
        builtin = {"int"}
    if len(builtin) == 1 and None not in builtin:
        found.append(f"isinstance({name}, {builtin.pop()})")
    sized = {kind for kind in classes if kind.endswith("empty")}
    if classes and all(kind.endswith("_nonempty") for kind in classes):
        found.append(f"len({name}) > 0")
    elif not sized and classes and classes <= TRUE:
        found.append(name)
    elif classes and classes <= FALSE:
        found.append(f"not {name}")
    if classes and classes <= NATURAL:
        found.append(f"{name} >= 0")
    return found + listed(name, reads)


def listed(name, reads):
    """`x == a` or `x in (a, b)`, if each value is known and they are few."""
    values = {literal_of(kind, literal) for kind, literal in reads}
    if None in values or not values or len(values) > MOST_VALUES:
        return []
    if len(values) == 1:
        return [f"{name} == {values.pop()}"]
    return [f"{name} in ({', '.join(sorted(values))})"]


def literal_of(kind, literal):
    """A recorded value as Python; None if it is not known."""
    if kind in ("None", "True", "False"):
        return kind
    if kind.startswith("str_"):
        return None if literal is None else repr(literal)
    return literal if kind.startswith(("int_", "float_")) else None


def mined(source, calls, least):
    """Conditions at the beginnings of functions, each with its line and column, of parameters with enough calls."""
    found = []
    for function, (line, column, names) in preconditions(source).items():
        reads = calls.get(function, {})
        for name in names:
            if len(reads.get(name, [])) >= least:
                for condition in conditions(name, reads[name]):
                    found.append({"function": function, "line": line, "column": column, "condition": condition})
    return found
