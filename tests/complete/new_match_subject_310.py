# requires: 3.10
"""A command interpreter written with match, with classes and nested data."""
from dataclasses import dataclass
from typing import NamedTuple, Union


@dataclass
class Num: value: float


@dataclass
class Bin:
    op: str
    left: "Union[Num, Bin, Neg, Var]"
    right: "Union[Num, Bin, Neg, Var]"


@dataclass
class Neg: operand: object


class Var(NamedTuple): name: str


def simplify(e):
    match e:
        case Bin("+", Num(0), x) | Bin("+", x, Num(0)):
            return simplify(x)
        case Bin("*", Num(1), x) | Bin("*", x, Num(1)):
            return simplify(x)
        case Bin("*", Num(0), _) | Bin("*", _, Num(0)):
            return Num(0)
        case Bin(op, Num(a), Num(b)):
            return Num({"+": a + b, "-": a - b, "*": a * b}[op])
        case Neg(Neg(x)):
            return simplify(x)
        case Neg(Num(v)): return Num(-v)
        case Bin(op, l, r) if (sl := simplify(l)) != l or (sr := simplify(r)) != r:
            return simplify(Bin(op, sl, simplify(r)))
        case _: return e


def show(e):
    match e:
        case Num(value=int() | float() as v): return f"{v:g}"
        case Var(name): return name
        case Bin(op=o, left=l, right=r): return f"({show(l)} {o} {show(r)})"
        case Neg(operand=x): return f"-{show(x)}"
        case unknown: raise TypeError(f"cannot show {unknown!r}")


x = Var("x")
for e in (Bin("+", Num(0), x), Bin("*", Bin("+", Num(1), Num(2)), Bin("*", x, Num(1))), Neg(Neg(Bin("-", Num(5), Num(2)))), Bin("*", Num(0), Bin("+", x, x))):
    print(show(e), "=>", show(simplify(e)))


def run(line, state):
    match line.split():
        case []: pass
        case ["set", name, "=", value] if value.isdigit(): state[name] = int(value)
        case ["set", name, "=", other] if other in state: state[name] = state[other]
        case ["add" | "plus" as verb, target, *nums]: state[target] = state.get(target, 0) + sum(map(int, nums)); print(verb, end=" ")
        case ["show", *names] if not names: print(dict(sorted(state.items())))
        case ["show", *names]: print([state.get(n) for n in names])
        case ["del", name, ("now" | "later") as when]: print(when, state.pop(name, None))
        case [cmd, *_]: print("unknown", cmd)


state = {}
for line in ("set a = 5", "set b = a", "set c = zz", "add a 1 2", "plus q 9", "show", "show a zz", "del b now", "del b never", ""): run(line, state)
def http(resp):
    match resp:
        case {"status": 200 | 201, "body": {"items": [{"id": int(first)}, *others]}}: return f"{first}+{len(others)}"
        case {"status": 404}: return "nf"
        case {"status": int(s), **rest} if s >= 500 and not rest: return "server"
        case {"error": str(msg)} | {"message": str(msg)}: return msg
print([http(r) for r in ({"status": 200, "body": {"items": [{"id": 7}, 1, 2]}}, {"status": 404, "x": 1}, {"status": 503}, {"status": 503, "y": 1}, {"message": "m"})])
show(simplify(Bin("+", "bad", Num(0))))
