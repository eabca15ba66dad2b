"""Checks conditions at their places in modules while a command runs.

`surmise invariants --validate` puts the folder of this file in front of PYTHONPATH. A module is compiled with one call
more in front of each place; the call evaluates the condition in the frame of its caller, and counts. A failure of ours
must not disturb the program.
"""

import os
import sys


def _start():
    site = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != site]
    config = os.environ.get("SURMISE_INVARIANTS")
    if not config:
        return
    import json

    with open(config, encoding="utf-8") as file:
        wanted = json.load(file)
    _install(wanted)


def _install(wanted):
    import ast
    import atexit
    import builtins
    import importlib.machinery
    import json
    import threading

    checks = wanted["checks"]
    codes = [compile(check["condition"], "<condition>", "eval") for check in checks]
    counts = [[0, 0, 0] for _ in checks]
    places = {file: {} for file in wanted["files"]}
    for number, found in enumerate(checks):
        places[found["file"]].setdefault((found["line"], found["column"]), []).append(number)
    busy = threading.local()

    def check(number):
        if getattr(busy, "now", False):
            return
        busy.now = True
        try:
            frame = sys._getframe(1)
            try:
                counts[number][0 if eval(codes[number], frame.f_globals, frame.f_locals) else 1] += 1
            except Exception:
                counts[number][2] += 1
        finally:
            busy.now = False

    class Insert(ast.NodeTransformer):
        def __init__(self, file):
            self.places = dict(places[file])

        def generic_visit(self, node):
            super().generic_visit(node)
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    setattr(node, field, [new for stmt in body for new in self.around(stmt)])
            return node

        def around(self, stmt):
            first = min([stmt.lineno, *(found.lineno for found in getattr(stmt, "decorator_list", []))])
            column = stmt.col_offset
            for number in self.places.pop((first, column), []):
                name = ast.Name("_surmise_check_", ast.Load())
                call = ast.Expr(ast.Call(name, [ast.Constant(number)], []))
                yield ast.fix_missing_locations(ast.copy_location(call, stmt))
            yield stmt

    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self, fullname):
        try:
            file = os.path.realpath(self.path)
            if file in places:
                tree = ast.parse(self.get_data(self.path), self.path)
                code = compile(Insert(file).visit(tree), self.path, "exec", dont_inherit=True)
                if not hasattr(builtins, "_surmise_check_"):
                    builtins._surmise_check_ = check
                    atexit.register(write)
                return code
        except Exception:
            pass
        return original(self, fullname)

    def write():
        path = os.path.join(wanted["folder"], f"{os.getpid()}.counts")
        with open(path + ".part", "w") as file:
            json.dump({"counts": counts}, file)
        os.replace(path + ".part", path)

    def forked():
        for count in counts:
            count[:] = [0, 0, 0]

    loader.get_code = get_code
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)


try:
    _start()
except Exception:
    pass

# Another `sitecustomize` further down the path takes this one's place; without one, `site` sees the ImportError.
_this = sys.modules.pop(__name__, None)
import sitecustomize  # noqa: E402, F401
