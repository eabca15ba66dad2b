"""Makes a complete program incomplete, line by line the same: the statements stay, what surrounds them goes.

    import math                               pass
    class Grid:
        def rows(self, text):
            if not text:                      if not text:
                return []                         exit([])
            n = int(input())                  n = int(input_1)
            return text[:n]                   text[:n]

- An import becomes `pass`, so that what it bound is undefined.
- The headers of functions and classes go, with their decorators; the bodies run where the definitions stood, at the
  level of the block around them. Parameters are undefined unless something else binds them, and so are the names of
  the functions and classes themselves.
- A `return` that ends its function, on whatever way through the last statement, becomes its value as an expression
  statement (`pass` if it has none), so that what follows the function runs. Any other `return X` becomes `exit(X)`:
  without it a function that leaves early would run into code that it never reaches. `yield X` becomes `(X)`.
- `global` and `nonlocal` become `pass`: all is global.
- Calls of `input` and `raw_input`, reads of `sys.stdin` and `open(0)` become `input_1`, `input_2`, ...: undefined
  names, one for each place. They stay where the input is given (`keep_input`), with the `import sys` that they need.

Line numbers hold, columns do not. Local names have become global ones: an UnboundLocalError of the complete program is
a NameError of the incomplete one.
"""

import ast
import io
import tokenize
import warnings

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
READERS = {"buffer", "read", "readline", "readlines"}
LAYOUT = {tokenize.NL, tokenize.COMMENT, tokenize.ENCODING, tokenize.ENDMARKER}


class Unusable(Exception):
    """Raised for a program that cannot be made incomplete."""


def make_incomplete(source, keep_input=False):
    """The incomplete program, and the set of the lines of `source` of which nothing is left.

    Raises Unusable if `source`, or what becomes of it, does not parse.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cuts = Cuts(source, ast.parse(source), keep_input)
            text = reindented(source, cuts)
            compile(text, "incomplete", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError) as error:
        raise Unusable(str(error)) from error
    return text, cuts.gone


class Cuts(ast.NodeVisitor):
    """The edits of a program: (start, end, text), places as (line from 1, column in bytes)."""

    def __init__(self, source, tree, keep_input):
        self.keep_input = keep_input
        self.lines = [line.encode() for line in source.split("\n")]
        self.edits = []
        self.gone = set()
        # First and last line of each body that moves one level out.
        self.bodies = []
        self.ends = set()
        self.prefix = "input_"
        while self.prefix in source:
            self.prefix += "_"
        self.inputs = 0
        self.visit(tree)

    def replace(self, node, text):
        self.edits.append(((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text))

    def keyword(self, node, length, before, after):
        """Replaces the keyword at the start of a node, and adds text after the node."""
        start = (node.lineno, node.col_offset)
        end = (node.end_lineno, node.end_col_offset)
        after_keyword = node.col_offset + length
        after_keyword += self.lines[node.lineno - 1][after_keyword:].startswith(b" ")
        self.edits.append((start, (node.lineno, after_keyword), before))
        self.edits.append((end, end, after))

    def visit_definition(self, node):
        start = first_line(node)
        body = first_line(node.body[0])
        if body > node.lineno:
            self.edits.append(((start, 0), (body, 0), ""))
            self.gone.update(range(start, body))
            self.bodies.append((body, node.end_lineno))
        else:
            self.edits.append(((start, 0), (body, node.body[0].col_offset), ""))
        if not isinstance(node, ast.ClassDef):
            self.ends.update(ends(node.body))
        # Not the decorators, defaults, bases and annotations, which are gone.
        for statement in node.body:
            self.visit(statement)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_definition

    def visit_import(self, node):
        if self.keep_input and isinstance(node, ast.Import) and [alias.name for alias in node.names] == ["sys"]:
            return
        self.replace(node, "pass")
        self.gone.update(range(node.lineno, node.end_lineno + 1))

    visit_Import = visit_ImportFrom = visit_import

    def visit_scope(self, node):
        self.replace(node, "pass")

    visit_Global = visit_Nonlocal = visit_scope

    def visit_Return(self, node):
        if node.value is None:
            self.replace(node, "pass" if node in self.ends else "exit()")
        elif node in self.ends:
            self.keyword(node, len("return"), "", "")
        elif isinstance(node.value, ast.Tuple):
            self.keyword(node, len("return"), "exit((", "))")
        else:
            self.keyword(node, len("return"), "exit(", ")")
        self.generic_visit(node)

    def visit_Yield(self, node):
        if node.value is None:
            self.replace(node, "None")
        else:
            self.keyword(node, len("yield"), "(", ")")
            self.generic_visit(node)

    def visit_Call(self, node):
        function = node.func
        is_input = isinstance(function, ast.Name) and function.id in ("input", "raw_input")
        is_open = isinstance(function, ast.Name) and function.id == "open" and node.args and is_zero(node.args[0])
        if is_input or is_open or reads_stdin(node):
            self.visit_input(node)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node):
        if reads_stdin(node):
            self.visit_input(node)
        else:
            self.generic_visit(node)

    def visit_input(self, node):
        if self.keep_input:
            self.generic_visit(node)
            return
        self.inputs += 1
        self.replace(node, f"{self.prefix}{self.inputs}")


def first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def is_zero(node):
    return isinstance(node, ast.Constant) and node.value == 0


def reads_stdin(node):
    """Whether an expression reads `sys.stdin`, as `sys.stdin.buffer.readline()` does."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in READERS:
            node = node.value
        else:
            break
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return named and (node.value.id, node.attr) == ("sys", "stdin")


def ends(body):
    """The `return` statements after which nothing of their function would run anyway."""
    last = body[-1]
    if isinstance(last, ast.Return):
        return {last}
    inner = []
    if isinstance(last, ast.If):
        inner = [last.body, last.orelse]
    elif isinstance(last, (ast.With, ast.AsyncWith)):
        inner = [last.body]
    elif isinstance(last, ast.Try) and not last.finalbody:
        inner = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
    return set().union(*(ends(block) for block in inner if block))


def reindented(source, cuts):
    """The edited source, with each statement indented to its new depth."""
    depths = statement_depths(source)
    lines = list(cuts.lines)
    # From the last to the first: no edit moves another.
    for (first, left), (last, right), text in sorted(cuts.edits, reverse=True):
        replaced = lines[first - 1][:left] + text.encode() + b"\n" * (last - first) + lines[last - 1][right:]
        lines[first - 1 : last] = replaced.split(b"\n")
    for number, depth in depths.items():
        outer = sum(first <= number <= last for first, last in cuts.bodies)
        lines[number - 1] = b"    " * (depth - outer) + lines[number - 1].lstrip()
    return b"\n".join(lines).decode()


def statement_depths(source):
    """Number of blocks around each line that begins a statement or a clause."""
    depths = {}
    depth = 0
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.INDENT:
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
        elif token.type == tokenize.NEWLINE:
            begins = True
        elif begins and token.type not in LAYOUT:
            depths[token.start[0]] = depth
            begins = False
    return depths
