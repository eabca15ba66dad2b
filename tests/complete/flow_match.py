# requires: 3.10
"""match statements: every pattern kind, guards, captures, fallthrough."""
import dataclasses
import enum


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Lazy:
    __match_args__ = ("first",)
    reads = 0

    @property
    def first(self):
        Lazy.reads += 1
        return "lazy"


LIMIT = 10


class consts:
    ZERO = 0


def check(label, v):
    print("guard", label, v, end="; ")
    return v


def describe(obj):
    match obj:
        case None | True | False:
            return f"singleton {obj}"
        case 0 | 0.0:
            return "zero"
        case -1 | 3 + 4j | "lit" 'eral' | b"bytes":
            return f"literal {obj!r}"
        case Color.RED:
            return "red"
        case Color():
            return f"color {obj.name}"
        case int(n) if check("big", n > LIMIT):
            return f"big {n}"
        case int() | float() as number:
            return f"number {number}"
        case "go", ("north" | "south") as where:
            return f"go {where}"
        case ["take", *things] if things:
            return f"take {things}"
        case [x, y, *_, z] if (s := x == z):
            return f"same ends {x} {y} {s}"
        case (single,):
            return f"one {single}"
        case []:
            return "empty"
        case [[a, b], [c, *d]]:
            return f"nested {a} {b} {c} {d}"
        case {"type": "user", "name": str(name), **rest}:
            return f"user {name} {rest}"
        case {"x": 1 | 2 as x, "y": [y, *_]}:
            return f"map {x} {y}"
        case {"k": Point(x=0)} | {"k": None}:
            return "origin or none"
        case {}:
            return f"mapping of {len(obj)}"
        case Point(0, 0):
            return "origin"
        case Point(x, y=0) if x > 5:
            return f"far x {x}"
        case Point(x=px, y=py):
            return f"point {px} {py}"
        case Lazy("lazy" as f):
            return f"lazy {f} {Lazy.reads}"
        case str() as text if text.startswith("p") and (up := text.upper()):
            return up
        case str(text):
            return text[::-1]
        case set() | frozenset():
            return "set"
        case _ if callable(obj):
            return "callable"


samples = [None, True, 0, 0.0, -1, 3 + 4j, "literal", b"bytes", Color.RED, Color.BLUE, 11, 5, 2.5,
           ("go", "north"), ("go", "up"), ["take", 1, 2], ["take"], [1, 2, 3, 1], [1, 2], [[1, 2], [3, 4, 5]], [],
           {"type": "user", "name": "ann", "age": 3}, {"type": "user", "name": 5}, {"x": 2, "y": (9, 8)},
           {"k": Point(0, 5)}, {"k": None}, {}, Point(0, 0), Point(9), Point(1, 2), Lazy(), "python", "abc",
           {1}, print, object(), range(2), (5,), "xy"]
for s in samples:
    print(type(s).__name__, "->", describe(s))

match = {"match": 1}
case = [match]
print(match["match"], case[0] is match)
match case:
    case [{"match": m}]: print("soft keywords", m)
match (1, 2), 3:
    case (a, b), c: print(a, b, c)
match LIMIT:
    case consts.ZERO: print("no")
    case other: print("captured", other)
for i in range(4):
    match i:
        case 0: continue
        case 2: break
    print("loop", i)
match *case, 5:
    case _, n if n == 0: print("zero")
    case _: print("default", n)


def binds(v):
    try:
        match v:
            case [a, 1]: pass
            case {"z": b}: pass
        return sorted(locals())
    finally:
        print("binds", end=" ")


print(binds([7, 2]), binds([7, 1]), binds({"z": 0}))
try:
    match Point(1):
        case Point(1, 2, 3): pass
except TypeError as e:
    print(e)
try:
    match 5:
        case undefined_class(): pass
except NameError as e:
    print(e)
match[LIMIT]: print("annotation, subscript target") if 0 else None
print(match (-LIMIT) if callable(match) else "not callable")
print("unreached" if 0 else "done")
