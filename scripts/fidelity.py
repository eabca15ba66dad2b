"""Lines of functions as real and guided executions have them, and how far the two agree: for bench-fidelity.py.

A function's *own lines* are the first lines of the statements of its body. Headers, decorators and docstring do not
count, nor do the bodies of functions and classes inside, which run in frames of their own, nor statements without code
of their own (`global`). Handlers (`except`) and cases are lines as well.
"""

import ast
import dis
import random
import statistics

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
SEARCHED = 64
FIGURES = ("exact", "recall", "precision")
# Statements after which not every call has the same lines. `try*` and `match` are newer than some Pythons.
NEWER = tuple(getattr(ast, name) for name in ("TryStar", "Match") if hasattr(ast, name))
BRANCHES = (ast.If, ast.Try, *LOOPS, *NEWER)


class Function:
    """One function of a module."""

    def __init__(self, node, coded, nested):
        self.node = node
        # Inside another function: no name reaches it.
        self.nested = nested
        # Each line of the body to the first line of its statement.
        self.statement_of = {}
        inside = list(own_nodes(node))
        self.has_loop = any(isinstance(inner, LOOPS) for inner in inside)
        self.has_branch = any(isinstance(inner, BRANCHES) for inner in inside)
        # A recording of a generator or coroutine ends where it is first suspended.
        self.suspends = isinstance(node, ast.AsyncFunctionDef) or any(
            isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in inside
        )
        self.calls_itself = any(
            node.name in (getattr(inner, "id", None), getattr(inner, "attr", None)) for inner in inside
        )
        header = [part.end_lineno for part in ast.walk(node.args) if hasattr(part, "end_lineno")]
        header = max([*header, node.returns.end_lineno if node.returns else node.lineno])
        self._suite(node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body)
        self.own = {self.statement_of[line] for line in coded if line in self.statement_of and line > header}

    def _suite(self, suite):
        for statement in suite:
            if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                # With its decorators one line: a recording does not have all of them where it starts with a definition.
                first = first_line(statement)
                self._span(first, first_line(statement.body[0]), first)
                self._span(first_line(statement.body[0]), statement.end_lineno, None)
                continue
            self._span(statement.lineno, statement.end_lineno, statement.lineno)
            for field in ("body", "orelse", "finalbody"):
                self._suite(getattr(statement, field, []))
            for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
                first = getattr(part, "pattern", part).lineno
                self._span(first, part.body[0].lineno, first)
                self._suite(part.body)

    def _span(self, first, last, statement):
        for line in range(first, last + 1):
            if statement is None:
                # A class on one line is still a statement of ours.
                if self.statement_of.get(line) != line:
                    self.statement_of.pop(line, None)
            else:
                self.statement_of[line] = statement

    def sequence(self, lines):
        """The own lines among these, in the order of their first."""
        found = (self.statement_of.get(line) for line in lines)
        return list(dict.fromkeys(line for line in found if line in self.own))


def own_nodes(function):
    """All nodes of the body, without those of functions and classes inside."""
    left = list(function.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            left.extend(ast.iter_child_nodes(node))


def functions(source):
    """Functions of a module by qualified name without `<locals>`; names of several functions are excluded."""
    found = {}
    coded = code_lines(compile(source, "<module>", "exec", dont_inherit=True))

    def collect(node, prefix, nested):
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                inner = f"{prefix}{child.name}."
            if isinstance(child, FUNCTIONS):
                own = coded.get((child.name, first_line(child)), set())
                found.setdefault(inner[:-1], []).append((child, own, nested))
            collect(child, inner, nested or isinstance(child, FUNCTIONS))

    collect(ast.parse(source), "", False)
    return {name: Function(*all_of[0]) for name, all_of in found.items() if len(all_of) == 1}


def first_line(statement):
    """First line of a definition: its own, or that of its first decorator."""
    return min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", []))])


def code_lines(code):
    """Lines of each code object, by name and first line."""
    found = {(code.co_name, code.co_firstlineno): {line for _, line in dis.findlinestarts(code) if line}}
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            found.update(code_lines(constant))
    return found


def isolated(source, function):
    """The module with `pass` for all functions that neither hold the function nor lie in it: `surmise cover
    --functions`, which takes each function without the others anyway, has only this one to run."""
    lines = source.splitlines(keepends=True)

    def is_wanted(node):
        return isinstance(node, FUNCTIONS) and (node.lineno, node.name) == (function.node.lineno, function.node.name)

    def blank(node):
        for child in ast.iter_child_nodes(node):
            if is_wanted(child):
                continue
            if not isinstance(child, FUNCTIONS) or any(map(is_wanted, ast.walk(child))):
                blank(child)
                continue
            first = first_line(child)
            indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
            lines[first - 1 : child.end_lineno] = [f"{indent}pass\n"] + ["\n"] * (child.end_lineno - first)

    blank(ast.parse(source))
    return "".join(lines)


def agreement(guided, call):
    """(exact, recall, precision) of two sets of lines. Nothing that ran agrees with nothing."""
    both = len(guided & call)
    return guided == call, both / len(call), both / len(guided) if guided else 0.0


def prefix(guided, call):
    """(recall, precision) of the longest common prefix of two sequences."""
    common = 0
    while common < min(len(guided), len(call)) and guided[common] == call[common]:
        common += 1
    return common / len(call), common / len(guided) if guided else 0.0


def closest(guided, calls):
    """The call with the best harmonic mean of recall and precision; of several equal ones the first."""

    def score(call):
        both = len(guided & set(call))
        return 2 * both / (len(guided) + len(call))

    return max(calls, key=score)


def compare(guided, calls, ordered):
    """The figures of one function: `guided` is a set of lines, `calls` are sequences. `ordered` where the lines of a
    set can only have run in the order of the text."""
    nearest = closest(guided, calls)
    agreements = [agreement(guided, set(call)) for call in calls]
    union = set().union(*calls)
    figures = dict(zip(FIGURES, agreement(guided, set(nearest))))
    for number, name in enumerate(FIGURES):
        figures[f"mean_{name}"] = sum(found[number] for found in agreements) / len(agreements)
    _, figures["union_recall"], figures["union_precision"] = agreement(guided, union)
    if ordered:
        figures["prefix_recall"], figures["prefix_precision"] = prefix(sorted(guided), nearest)
    return figures


def difference(ones, others, seed):
    """(mean, low, high) of the differences of two lists, pair by pair; 95 % of 1000 draws with replacement are between
    low and high."""
    pairs = [one - other for one, other in zip(ones, others)]
    return interval(lambda dice: dice.choices(pairs, k=len(pairs)), pairs, seed)


def difference_over_groups(groups, seed):
    """As `difference`, of groups of (one, other): each draw takes groups first, and then pairs of each of them."""
    groups = [[one - other for one, other in group] for group in groups]

    def drawn(dice):
        chosen = dice.choices(groups, k=len(groups))
        return [pair for group in chosen for pair in dice.choices(group, k=len(group))]

    return interval(drawn, [pair for group in groups for pair in group], seed)


def interval(drawn, values, seed):
    """(mean, low, high) of values, `low` and `high` from the means of 1000 draws."""
    dice = random.Random(seed)
    means = sorted(statistics.fmean(drawn(dice)) for _ in range(1000))
    return statistics.fmean(values), means[25], means[974]


def chosen_call(row, seed):
    """Number of the call that stands for a real one."""
    return random.Random(f"{seed} {row['file']} {row['function']}").randrange(len(row["calls"]))


def own_exact(rows, label, seed):
    """The share of functions whose guided lines are those of the chosen call, and their number."""
    rows = [row for row in rows if label in row["guided"]]
    same = [set(row["guided"][label]) == set(row["calls"][chosen_call(row, seed)]) for row in rows]
    return (sum(same) / len(same) if same else 0.0), len(same)


def measure(rows, label, seed):
    """The figures of each function, where the row applies."""
    found = []
    for row in rows:
        calls = row["calls"]
        guided = row["own"] if label == "every line" else row["guided"].get(label)
        if label.startswith("recorded"):
            if len(calls) < 2:
                continue
            chosen = chosen_call(row, seed)
            guided = calls[chosen] if label == "recorded call" else guided
            calls = calls[:chosen] + calls[chosen + 1 :]
        if guided is not None:
            found.append(compare(set(guided), calls, row["ordered"]))
    return found


def mean(found, name):
    values = [figures[name] for figures in found if name in figures]
    return sum(values) / len(values) if values else None


def table(rows, labels, seed):
    lines = []
    for label in [*labels, "every line", "recorded call"]:
        found = measure(rows, label, seed)
        names = [*FIGURES, *(f"mean_{name}" for name in FIGURES), "union_recall", "union_precision"]
        names += ["prefix_recall", "prefix_precision"]
        line = {name: mean(found, name) for name in names}
        if f" x{SEARCHED}" in label:  # A union of runs is no one call.
            line = {name: value if name.startswith("union") else None for name, value in line.items()}
        lines.append({"row": label, "functions": len(found), **line})
    return lines


def differences(rows, labels, seed):
    """How much more often the last of the predictors is exact than each of the others; where all have a result. With an
    interval for other functions of these projects, and, if there are several, with one for other projects."""
    rows = [row for row in rows if not row["failures"]]
    exact = {label: [figures["exact"] for figures in measure(rows, label, seed)] for label in labels}
    found, over_projects = {}, {}
    for label in labels[:-1] if rows else []:
        found[label] = difference(exact[labels[-1]], exact[label], seed)
        groups = {}
        for row, *pair in zip(rows, exact[labels[-1]], exact[label]):
            groups.setdefault(row["project"], []).append(pair)
        if len(groups) > 1:
            over_projects[label] = difference_over_groups(list(groups.values()), seed)
    return found, over_projects


def by_project(rows, labels, seed):
    """The share of each project's functions that are exact, by row of the table; None where a row does not apply."""
    groups = {}
    for row in rows:
        groups.setdefault(row["project"], []).append(row)
    return [
        {
            "project": project,
            "functions": len(group),
            "exact": {label: mean(measure(group, label, seed), "exact") for label in labels},
        }
        for project, group in groups.items()
    ]
