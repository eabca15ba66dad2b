"""Identity (is) of objects, constants, bound methods, and call results."""


class A:
    def m(self): return self

    @classmethod
    def c(cls): return cls

    @staticmethod
    def s(x): return x

    attr = []


def f(x=[], *a): return x


a, b = A(), A()
print(a.m() is a, a.m is a.m, a.m == a.m, A.m is A.m, a.c is a.c, A.s is A.s, a.s is A.s, a.attr is A.attr is b.attr)
print(f() is f(), f([]) is f([]), f(a) is a, (lambda: a)() is a, [a][0] is a, (a,)[0] is a, {"k": a}["k"] is a)
x = y = []
print(x is y, x is not [], [] is [], () is (), x[:] is x, (1, 2)[:] == (1, 2), "ab"[:] is "ab"[:])
n = 257; m = 257; s = "hello world!"; t = "hello world!"; u = "".join(["hello ", "world!"])
print(n is m, s is t, s is u, s == u, 256 is not None, float("nan") is float("nan"))
t1 = (1, "a", None); t2 = (1, "a", None); print(t1 is t2, t1 == t2)
def const(): return (1, 2, 3)
def const2(): return "some constant string", 10 ** 3, 1000
print(const() is const(), const2()[0] is const2()[0], const2()[1] is const2()[1])
nan = float("nan"); print(nan in [nan], nan == nan, [nan] == [nan], nan is nan, {nan: 1}[nan])
print(None is None, True is (1 == 1), type(1) is int, type(a) is A, a.__class__ is A, type is type(type), NotImplemented is NotImplemented, ... is Ellipsis)
z = x; z += [1]; print(z is x, x); z = z + [2]; print(z is x); w = (1,); v = w; w += (2,); print(v is w)
g = (i for i in x); print(iter(g) is g, iter(x) is iter(x), next(iter([a])) is a, g.__iter__() is g)
print(max(a, b, key=id) in (a, b), min([a], key=lambda q: 0) is a, sorted([a])[0] is a, dict(k=a)["k"] is a, [*[a]][0] is a, (lambda *p: p)(*w) is w)
def args(*p, **k): return p, k
tup, d = (1, 2), {"k": 1}; print(args(*tup)[0] is tup, args(**d)[1] is d, args(*tup)[0] == tup)
class D(dict): pass
dd = D(k=a); print(dd["k"] is a, {**dd}["k"] is a, type({**dd}) is dict, dd.get("k") is a, dd.setdefault("k", b) is a)
p = print; print(p is print, print.__self__.__name__, len is len, A.m.__get__(a).__self__ is a, a.m.__func__ is A.__dict__["m"])
import copy, math; import math as m2; print(math is m2, copy.copy(tup) is tup, copy.deepcopy(f) is f, copy.copy(x) is x, math.pi is m2.pi)
e1 = ValueError("e")
try: raise e1
except ValueError as e2: print(e2 is e1, e2.__traceback__ is e1.__traceback__)
try: raise e1 from e1
except ValueError as e3: print(e3.__cause__ is e3)
with open("/dev/null") as fh: fh2 = fh.__enter__() ; print(fh2 is fh)
c = a if a is not None else b; q = a or b; r = a and b; print(c is a, q is a, r is b, (k := a) is k, not a is b)
for item in [a]: print(item is a)
print([item is a for item in (a,)], (lambda o=a: o is a)(), f"{a is a}", all(i is a for i in [a, a]))
h = a.m; del a; print(h() is h.__self__, type(h()).__name__); o = object(); print(o is o, o == o, o is not object(), id(o) == id(o))
