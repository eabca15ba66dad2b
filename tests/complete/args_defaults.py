"""Defaults: evaluated once, in order, mutable, referring to outer names."""

order = []


def note(label, value=None):
    order.append(label)
    return value


def f(a=note("a", 1), b=note("b", 2), *, c=note("c", 3), d: note("annotation d") = note("d", 4)) -> note("returns"):
    return a, b, c, d


print(order)
print(f(), f(10, d=40), f.__defaults__, f.__kwdefaults__)


def append(item, bucket=[]):
    bucket.append(item)
    return bucket


def fresh(item, bucket=None):
    bucket = [] if bucket is None else bucket
    bucket.append(item)
    return bucket


print(append(1), append(2), append(3, []), append(4))
print(fresh(1), fresh(2))


def counter(_state={"n": 0}):
    _state["n"] += 1
    return _state["n"]


print(counter(), counter(), counter.__defaults__)
x = 1


def late(y=x, z=lambda: x):
    return y, z()


x = 2
print(late())
funcs = [lambda n=n: n * 10 for n in range(3)]
wrong = [lambda: n * 10 for n in range(3)]
print([g() for g in funcs], [g() for g in wrong])
f.__defaults__ = ("changed",)
try:
    f()
except TypeError as e:
    print(e)
print(f("a"))
f.__kwdefaults__["c"] = "kw"
print(f("a", "b"))


def recursive_default(n, go=lambda n: n if n < 2 else recursive_default(n - 1) + recursive_default(n - 2)):
    return go(n)


print(recursive_default(15))


class Widget:
    size = 5

    def grow(self, by=size, *, times=size * 2):
        return by * times

    def same(self, other=None, /, **options):
        return options.get("other", other)


print(Widget().grow(), Widget().grow(1, times=2), Widget().same(1, other=2))
