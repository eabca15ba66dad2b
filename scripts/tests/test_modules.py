"""No two modules of one room import each other, directly or in a circle, in any crate of the workspace."""

import re
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

NAME = r"[A-Za-z_][A-Za-z_0-9]*"
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{.*\Z", re.M | re.S)
COMMENT = re.compile(r"//[^\n]*")
USE = re.compile(r"^ *(pub(?:\([^)]*\))? +)?use ([\w:{}, \n*]+);", re.M)
PATH = re.compile(rf"\b(?:crate|self|super)(?:::{NAME})+")


def crates():
    manifest = (ROOT / "Cargo.toml").read_text()
    members = re.search(r"^members = \[(.*?)\]", manifest, re.M | re.S)
    for pattern in re.findall(r'"([^"]+)"', members[1]):
        yield from sorted(folder for folder in ROOT.glob(pattern) if (folder / "src").is_dir())


def imported(tree, before=()):
    """The paths of a `use`: `a::{b, c::d as e}` is `a::b` and `a::c::d`."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    path = before + tuple(part.strip() for part in head.split(" as ")[0].split("::") if part.strip())
    if not brace:
        return [path]
    found, depth, start = [], 0, 0
    inner = rest[: rest.rindex("}")] + ","
    for at, sign in enumerate(inner):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            if inner[start:at].strip():
                found += imported(inner[start:at], path)
            start = at + 1
    return found


class Crate:
    """The modules of a crate, by path, with what they import and what they pass on."""

    def __init__(self, folder):
        self.texts = {}
        for file in sorted((folder / "src").rglob("*.rs")):
            parts = file.relative_to(folder / "src").with_suffix("").parts
            parts = () if parts in (("lib",), ("main",)) else parts
            parts = parts[:-1] if parts[-1:] == ("mod",) else parts
            if "tests" not in parts:
                text = TESTS.sub("", file.read_text())
                self.texts[parts] = self.texts.get(parts, "") + COMMENT.sub("", text)
        self.passed_on = {}
        for module, text in self.texts.items():
            for public, tree in USE.findall(text):
                for path in imported(tree) if public else ():
                    self.passed_on[module + path[-1:]] = self.absolute(module, path)

    def absolute(self, module, path):
        """A path from the root of the crate, or None where it leads out of it."""
        if path[:1] == ("crate",):
            return path[1:]
        here = module
        while path[:1] in (("self",), ("super",)):
            here, path = here[:-1] if path[0] == "super" else here, path[1:]
        if here == module and path[:1] and module + path[:1] not in self.texts:
            return None
        return here + path

    def module_of(self, path, depth=9):
        """The module that defines what a path names, through what other modules pass on."""
        for length in range(len(path), -1, -1):
            onward = self.passed_on.get(path[:length])
            if onward is not None and onward != path[:length] and depth:
                return self.module_of(onward + path[length:], depth - 1)
            if path[:length] in self.texts:
                return path[:length]
        return ()

    def imports(self):
        for module, text in self.texts.items():
            paths = [path for _, tree in USE.findall(text) for path in imported(tree)]
            paths += [tuple(path.split("::")) for path in PATH.findall(USE.sub("", text))]
            for path in paths:
                absolute = self.absolute(module, path)
                if absolute is not None:
                    yield module, self.module_of(absolute)

    def rooms(self):
        """For each folder of modules, which of them import which."""
        rooms = defaultdict(lambda: defaultdict(set))
        for module, other in self.imports():
            shared = 0
            while module[: shared + 1] == other[: shared + 1] and shared < min(len(module), len(other)):
                shared += 1
            if shared < min(len(module), len(other)):
                rooms[module[:shared]][module[shared]].add(other[shared])
        return rooms


def circles(graph):
    """The strongly connected sets of a graph that have more than one member."""

    def reached(start):
        seen, open_ = set(), [start]
        while open_:
            for after in graph.get(open_.pop(), ()):
                if after not in seen:
                    seen.add(after)
                    open_.append(after)
        return seen

    reach = {node: reached(node) for node in graph}
    return {
        frozenset(other for other in reach[node] if node in reach.get(other, ()))
        for node in graph
        if node in reach[node] and len(reach[node]) > 1
    }


def all_circles():
    for folder in crates():
        for room, graph in sorted(Crate(folder).rooms().items()):
            for circle in circles({node: others - {node} for node, others in graph.items()}):
                place = "/".join((folder.relative_to(ROOT).as_posix(), *room))
                yield f"{place}: {', '.join(sorted(circle))}"


class ModulesTest(unittest.TestCase):
    def test_imports_run_one_way(self):
        self.assertEqual(list(all_circles()), [])

    def test_a_circle_is_found(self):
        self.assertEqual(circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}), {frozenset("abc")})
        self.assertEqual(circles({"a": {"b", "c"}, "b": {"c"}}), set())
        self.assertEqual(imported("a::{b, c::{d as e, f}}"), [("a", "b"), ("a", "c", "d"), ("a", "c", "f")])


if __name__ == "__main__":
    unittest.main()
