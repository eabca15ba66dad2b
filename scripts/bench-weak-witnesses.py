#!/usr/bin/env python3
"""Measures what it would do to `surmise diff` if a difference that is only shown under values which violate a condition of
`surmise invariants` were called possible rather than different.

    python3 scripts/bench-weak-witnesses.py --binary target/release/surmise --datasets ../shared/datasets

Of each labelled pair that is called different, both versions are asked for their conditions. A witness is weak if one of
its values makes a condition false that is about this value alone. The pairs are those of `bench-diff.py`; `--half
held-out` is for final figures, of which only totals are printed.
"""

import ast
import importlib.util
import json
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from diff_runs import diff_parser, parsed

BITS = (1.0, 2.0, 3.0, 4.0)

spec = importlib.util.spec_from_file_location("bench_diff", Path(__file__).with_name("bench-diff.py"))
bench_diff = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_diff)


class Replaced(ast.NodeTransformer):
    """Puts a value in the place of a path."""

    def __init__(self, path, value):
        self.path, self.value = path, value

    def visit(self, node):
        if isinstance(node, ast.expr) and ast.unparse(node) == self.path:
            return ast.Constant(self.value)
        return self.generic_visit(node)


def violates(path, text, condition):
    """True if a value makes a condition false that names nothing but its path and builtins."""
    try:
        value = ast.literal_eval(text)
        path = ast.unparse(ast.parse(path, mode="eval").body)
        tree = Replaced(path, None).visit(ast.parse(condition, mode="eval"))
        if ast.unparse(tree) == ast.unparse(ast.parse(condition, mode="eval")):
            return False
        tree = Replaced(path, value).visit(ast.parse(condition, mode="eval"))
        return not eval(compile(ast.fix_missing_locations(tree), "<condition>", "eval"))
    except Exception:
        # The value is no literal, or the condition names something else.
        return False


def conditions(binary, source):
    """Condition, entropy and kind for each condition of a function."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.py"
        file.write_text(textwrap.dedent(source), encoding="utf-8")
        command = [binary, "invariants", "--json", "--every-region", "--entropy", str(BITS[-1]), file]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(ended.stdout)["invariants"] if ended.returncode == 0 else []


def weakest(binary, versions, found):
    """The least entropy of a condition that the witness violates, for preconditions and for all; infinite if none."""
    least = {"precondition": float("inf"), "region": float("inf")}
    for source in versions:
        for one in conditions(binary, source):
            values = (found.get("witness") or {}).get("values", [])
            if any(violates(value["path"], value["value"], one["condition"]) for value in values):
                least[one["kind"]] = min(least[one["kind"]], one["entropy"])
    return least["precondition"], min(least.values())


def main():
    parser = diff_parser(__doc__)
    parser.add_argument("--half", choices=("dev", "held-out"), default="dev")
    given = parsed(parser)
    pairs = bench_diff.labelled(given.datasets, given.half)
    said = bench_diff.run(given, pairs)
    called, truly = [], sum(label == "different" for _, label, _, _ in pairs)
    for name, label, *versions in pairs:
        if said[name]["verdict"] == "different":
            called.append((label == "different", *weakest(given.binary, versions, said[name])))
            print(f"asked for {len(called)}", file=sys.stderr, flush=True)
    print(f"real commits, {given.half}: {len(pairs)} pairs, {truly} different")
    print_row("as it is", [is_right for is_right, *_ in called], truly)
    for at, kind in enumerate(("preconditions", "all conditions"), 1):
        for bits in BITS:
            print_row(f"{kind} up to {bits} bits", [row[0] for row in called if row[at] > bits], truly)


def print_row(title, called, truly):
    hits = sum(called)
    precision = 100 * hits / max(1, len(called))
    print(f"  {title}: precision {precision:.1f} % of {len(called)}, recall {100 * hits / truly:.1f} % of {truly}")


if __name__ == "__main__":
    main()
