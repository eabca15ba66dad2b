"""Calls with star-args and double-star in every mixture."""


def show(*args, **kwargs):
    return args, kwargs


def fixed(a, b, c=30, *rest, d, e=50, **extra):
    return [a, b, c, rest, d, e, extra]


pos, more = [1, 2], (3,)
kw, kw2 = {"d": 4}, {"z": 26}
print(show(*pos), show(*pos, *more), show(0, *pos, 9, *more, 8))
print(show(**kw), show(**kw, **kw2), show(x=1, **kw, y=2, **kw2))
print(show(*pos, x=1, *more), show(*(), **{}))
print(show(*"ab", *{"k": 1}, *range(2), *(i for i in "yz")))
print(fixed(*pos, **kw), fixed(*pos, *more, 9, 8, **kw, **kw2), fixed(1, *[2], d=0))
print(fixed(**{"a": 1, "b": 2, "d": 3}), fixed(*[1, 2, 3, 4, 5], **dict(d=6, e=7)))
print([*pos, *more], (*pos, 0), {*pos, *more} == {1, 2, 3}, {**kw, "y": 1, **kw2})
print([*pos, *[*more, *[]]], *pos, *more, sep="~")


def tag(name):
    def f(x):
        print("eval", name)
        return x
    return f


show(tag("p1")(1), *tag("star")([2]), tag("p2")(3), k=tag("kw1")(4), **tag("dstar")({"q": 5}), j=tag("kw2")(6))
tag("callee")(show)(*tag("args")([1]), **tag("kwargs")({}))


class Proxy:
    def __init__(self, target):
        self.target = target

    def __call__(self, *a, **k):
        print("calling", a, sorted(k))
        return self.target(*a, **k)

    def __repr__(self):
        return "<proxy>"

    def keys(self):
        return ["p", "q"]

    def __getitem__(self, key):
        return key * 2


p = Proxy(show)
print(p(*pos, **p), p(p) == ((p,), {}))
print({**p}, dict(p))
forward = lambda *a, **k: show(*a[::-1], **{n: v for n, v in sorted(k.items(), reverse=True)})
print(forward(1, 2, b=1, a=2))
first, *middle, last = *pos, *more, 4
print(first, middle, last)
for head, *tail in [(1, 2, 3), "ab", [9]]:
    print(head, tail)
print(max(*pos, *more, key=lambda v: -v), "{} {k}".format(*pos, k=1), "%s-%s" % (*pos,))
