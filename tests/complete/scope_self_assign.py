"""Names that take the value of a builtin or outer name of the same name."""
import math

len = len
print(len([1]), len is __builtins__.len)
str, int = str, int
x = "module"


class C:
    x = x
    len = len
    math = math
    y = x + "!"
    x = x + "?"
    print = print
    print("class body print", x)

    def m(self, x=x, len=len): return x, len("ab"), self.x

    class Inner:
        x = x
        pi = math.pi

    class C:
        name = __qualname__
        outer = "C" in globals() or "not yet"


print(C.x, C.y, C().m(), C.Inner.x, C.len("abc"), C.C.name, C.C.outer, C.Inner.pi == math.pi)


def bad():
    x = x
    return x


def bad2(): len = len([1]); return len


def bad3():
    for x in [x]: pass


def bad4(): math = math.pi


def bad5():
    import math as x2
    print = print or x2


for fn in (bad, bad2, bad3, bad4, bad5):
    try: fn()
    except UnboundLocalError as e: print(fn.__name__, e)


def good(x=x, *, len=len): x = x + "_"; return x, len(x)


def outer():
    x = "outer"
    class K:
        x = x if False else "k"
        y = x
    def inner(x=x): return x
    class L:
        seen = x
        def get(self): return x
    return K.y, inner(), L.seen, L().get(), [x for x in x][:2]


try: print(outer())
except (NameError, UnboundLocalError) as e: print(type(e).__name__, e)
print(good(), [x for x in x][:3], {x: x for x in x[:1]}, (lambda x=x: x)())
for x in x[:2]: print(x)
x = [x for x in range(3)]; print(x)
def f(): return f
f = f(); print(f.__name__, f() is f)
def g(n): return g0(n - 1) if n else "done"
g0 = g
def g(n): return "new g"
print(g0(2), g(2))
def deco(fn): fn.old = globals().get(fn.__name__); return fn
@deco
def g(): return g.old(1)
print(g())
class P:
    v = 1
class P(P):
    w = P.v + 1
    def sup(self): return super().v, P.w
print(P().sup(), P.__mro__[1].__name__, P.__mro__[1] is not P)
def P(P=P): return P
print(P().w); with_ = open("/dev/null")
with with_ as with_: print(with_.closed)
print(with_.closed); del len, str, int
try: del len
except NameError as e: print(e)
print(len("builtin again"), str(int("5")))
try: e = e
except NameError as e2: print(e2)
import sys as sys; from math import pi as pi; import math as math; print(pi == math.pi, sys is sys)
y: y if False else "ann" = 5 if "y" not in globals() else 6; print(y)
(z := (z := 1) + 1); print(z); t = t2 = (t := 3) + 1; print(t, t2); i = 5; i = [i := i + 1, i][0] + i; print(i)
