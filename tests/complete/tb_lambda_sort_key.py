"""Uncaught: a lambda called back from C code (sorted, map, reduce, re.sub)."""
import functools
import re

rows = [{"n": 3, "w": "c"}, {"n": 1, "w": "a"}, {"w": "b"}]
print(sorted(rows[:2], key=lambda r: r["n"]))
print(functools.reduce(lambda a, r: a + r["w"], rows, ""))
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "1 and 20"))
print(list(map(lambda r: r.get("n"), rows)), [*filter(lambda r: "n" in r, rows)])
print(max(rows, key=lambda r: (
    r["w"],
    -r["n"],
)))
