#!/usr/bin/env python3
"""Runs a Python file under plain Python and prints the lines of it that ran, as a JSON list.

    scripts/executed_lines.py FILE [ARGS]

Lines are counted as coverage.py does: those of a statement count as its first. What the file prints is thrown away,
and how it ends changes nothing.
"""

import ast
import json
import os
import sys
import threading


def first_lines(source):
    """Maps each line to the first line of the innermost statement around it."""
    first = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):  # outer statements come before inner ones
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            children = getattr(node, block, [])
            for child in children if isinstance(children, list) else []:
                if type(child).__name__ == "match_case":
                    line, end = child.pattern.lineno, child.body[0].lineno - 1
                else:
                    line, end = child.lineno, child.end_lineno
                for decorator in getattr(child, "decorator_list", []):
                    line = min(line, decorator.lineno)
                    for inside in range(decorator.lineno, decorator.end_lineno + 1):
                        first[inside] = decorator.lineno
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    line = child.lineno
                for inside in range(line, end + 1):
                    first[inside] = line
    return first


def main():
    path = sys.argv[1]
    sys.argv[:] = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    result = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    with open(path, "rb") as file:
        source = file.read()
    code = compile(source, path, "exec", dont_inherit=True)
    lines = set()

    def trace(frame, event, argument):
        if frame.f_code.co_filename != path:
            return None
        lines.add(frame.f_lineno) if event == "line" else None
        return trace

    own = sys.modules["__main__"]
    main = sys.modules["__main__"] = type(sys)("__main__")
    namespace = main.__dict__
    namespace.update(__file__=path, __builtins__=own.__builtins__)
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        exec(code, namespace)
    except BaseException:
        pass  # how it ended is not the question
    sys.settrace(None)
    first = first_lines(source)
    found = sorted({first.get(line, line) for line in lines})
    os.write(result, json.dumps(found).encode())
    os._exit(0)


main()
