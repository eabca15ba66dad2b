"""Positional-only and keyword-only parameters, annotations, and signatures."""
import inspect


def area(w, h=None, /, *, unit="cm", **meta):
    h = w if h is None else h
    return f"{w * h}{unit}", meta


def divide(a, /, b, *, mode):
    return {"int": a // b, "float": a / b}[mode]


print(area(2), area(2, 3, unit="m"), area(2, w=9, h=8))
print(divide(7, 2, mode="int"), divide(7, b=2, mode="float"))
for f in (area, divide, lambda x, /, y, *args, z=1, **kw: None, lambda: 0):
    sig = inspect.signature(f)
    print(f.__name__, sig, [p.kind.name for p in sig.parameters.values()])
bound = inspect.signature(area).bind(4, unit="px", extra=1)
bound.apply_defaults()
print(bound.arguments)
print(area.__code__.co_varnames, area.__code__.co_posonlyargcount, area.__code__.co_kwonlyargcount)


class Matrix:
    def __init__(self, rows, /):
        self.rows = rows

    def __getitem__(self, key, /):
        r, c = key
        return self.rows[r][c]

    def apply(self, fn, /, *args, **kwargs):
        return Matrix([[fn(v, *args, **kwargs) for v in row] for row in self.rows])

    def __eq__(self, other, /):
        return self.rows == other.rows


m = Matrix([[1, 2], [3, 4]])
print(m[0, 1], m[1, -1], m.apply(pow, 2).rows, m.apply(round, ndigits=-1).rows)
print(m == Matrix([[1, 2], [3, 4]]), m != Matrix([]))
for call in ("area(w=1)", "area(1, 2, 3)", "divide(1, 2)", "divide(1, 2, 'int')", "Matrix(rows=[])"):
    try:
        print(call, eval(call))
    except TypeError as e:
        print(call, "->", e)
