"""TypeError from operators, iteration, calling and subscripting."""


class Thing:
    def __repr__(self):
        return "<thing>"

    def __len__(self):
        return "seven"

    def __iter__(self):
        return 5

    def __hash__(self):
        return "h"

    def __bool__(self):
        return 1

    def __index__(self):
        return 1.5

    def __contains__(self, x):
        raise TypeError("no containment for %r" % (x,))


def check(fn):
    try:
        v = fn()
        print("ok", v)
    except TypeError as e:
        print(type(e).__name__, e)


t = Thing()
n, s, lst, fn = 3, "s", [1], print
check(lambda: n + s)
check(lambda: s + n)
check(lambda: lst + s)
check(lambda: n - None)
check(lambda: s * s)
check(lambda: -s)
check(lambda: ~1.5)
check(lambda: n < s)
check(lambda: None >= None)
check(lambda: n in n)
check(lambda: 1 in t)
check(lambda: n())
check(lambda: s())
check(lambda: None())
check(lambda: n[0])
check(lambda: s["a"])
check(lambda: lst["a"])
check(lambda: lst[1.0])
check(lambda: (1, 2)[None])
check(lambda: fn[1])
check(lambda: None[0])
check(lambda: {[]: 1})
check(lambda: {{}})
check(lambda: {lst: 2 for _ in lst})
check(lambda: len(t))
check(lambda: len(5))
check(lambda: iter(t))
check(lambda: list(n))
check(lambda: hash(t))
check(lambda: bool(t))
check(lambda: [0, 1][t])
check(lambda: next(lst))
check(lambda: sum(["a", "b"]))
check(lambda: sorted([1, "a"]))
check(lambda: max(1, "a"))
check(lambda: int([]))
check(lambda: "".join([1]))
check(lambda: "%d" % "x")
check(lambda: "%s %s" % (1,))
check(lambda: "%s" % (1, 2))
check(lambda: isinstance(1, 1))
check(lambda: issubclass(1, int))
check(lambda: [*n])
check(lambda: {**lst})
check(lambda: pow(2, "x"))
check(lambda: round("x"))
check(lambda: abs("x"))
check(lambda: chr("x"))
check(lambda: ord("xy"))
check(lambda: range(1.5))


def assign_item(x):
    x[0] = 1


def unpack(x):
    a, b = x


def iterate(x):
    for _ in x:
        pass


def raise_it(x):
    raise x


def with_it(x):
    with x:
        pass


def aug(x):
    x += "a"


for f in (assign_item, unpack, iterate, raise_it, aug):
    check(lambda: f(42))
check(lambda: assign_item("str"))
check(lambda: aug([]) or "extended")
try:
    with_it(3)
except (TypeError, AttributeError) as e:
    print(type(e).__name__, e)
