"""Annotations of functions, classes and the module, evaluated at run time."""
import typing

order = []


def note(x):
    order.append(x)
    return x


count: int = 0
label: note("module ann")
typed: "forward" = None


def f(a: note("a"), *args: note("args"), b: note("b") = 1, **kw: note("kw")) -> note("ret"):
    local: note("local, not evaluated")
    value: note("also not") = 5
    (paren): note("paren not") = 6
    return value + paren


class C:
    x: note("C.x")
    y: note("C.y") = note(int)
    z: typing.ClassVar[int] = 3
    __private: int = 4

    def m(self: "C", other: typing.Optional["C"] = None) -> "C":
        self.attr: note("attr ann") = 1
        return self


print(f(1))
print(f.__annotations__)
print(C.__annotations__)
print(sorted(__annotations__) if "__annotations__" in globals() else sorted(globals()["__annotate__"](1)))
print(C.m.__annotations__, C().m().attr)
print(order)
try:
    def bad(x: undefined_annotation_name): pass
    bad.__annotations__
except NameError as e:
    print(e)
try:
    print(label)
except NameError as e:
    print(e)
g = lambda q: q
print(g.__annotations__)
f.__annotations__["extra"] = "added"
print(typing.get_type_hints(C.m, {"C": C})["return"] is C, list(f.__annotations__)[-1])
def nested():
    T = int
    def inner(p: T, q: typing.List[T] = []) -> T: return p
    v: T
    try: v
    except UnboundLocalError: return inner.__annotations__
print(nested())
async def co(a: int) -> str: ...
def gen(a: 5 = 6) -> [1, 2]: yield
print(co.__annotations__, gen.__annotations__)
del count
class D(C):
    pass
print("x" in getattr(D, "__annotations__", {}), sorted(C.__annotations__))
