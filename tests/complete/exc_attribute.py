"""AttributeError of many shapes; .name and .obj where the version has them."""
import math
import types


class Point:
    __slots__ = ("x", "y")
    kind = "point"

    def __init__(self, x, y):
        self.x = x
        self.y = y

    @property
    def norm(self):
        return self.x ** 2 + self.y ** 2

    @property
    def broken(self):
        return self.nothing_here


def report(fn):
    try:
        print("value", fn())
    except AttributeError as e:
        print(type(e).__name__, "|", e, "| name:", getattr(e, "name", None),
              "| obj:", type(getattr(e, "obj", None)).__name__)


p = Point(3, 4)
report(lambda: p.norm)
report(lambda: p.z)
report(lambda: p.broken)
report(lambda: Point.nope)
report(lambda: p.kind.nope)
report(lambda: math.pie)
report(lambda: None.upper())
report(lambda: (1).foo)
report(lambda: "abc".push("d"))
report(lambda: [].add(1))
report(lambda: {}.append)
report(lambda: report.missing)
report(lambda: types.SimpleNamespace(a=1).b)
report(lambda: getattr(p, "q"))
report(lambda: getattr(p, "q", "default"))
report(lambda: super(Point, p).nothing)


def set_attr(o, n, v):
    setattr(o, n, v)


report(lambda: set_attr(p, "z", 1))
report(lambda: set_attr(p, "norm", 1))
report(lambda: set_attr(p, "kind", 1))
report(lambda: set_attr(1, "a", 1))
report(lambda: delattr(p, "norm"))
report(lambda: delattr(p, "x"))
report(lambda: p.x)
p.x = 10
report(lambda: p.norm)
try:
    p.w = p.x
except AttributeError as e:
    print("stmt", e)
try:
    del p.w
except AttributeError as e:
    print("del", e)
try:
    raise AttributeError("custom", name="n", obj=3)
except TypeError as e:
    print("old python", type(e).__name__)
except AttributeError as e:
    print(e.name, e.obj, e.args)
