"""Star-unpacking targets and displays everywhere they may stand."""

a, *b = 1, 2, 3
*c, d = "xyz"
e, (f, *g), *h = [1, (2, 3, 4), 5, 6]
[i, [j, *k]] = 0, range(3)
(l), = [9]
print(a, b, c, d, e, f, g, h, i, j, k, l)
first, *_, last = range(10)
print(first, _, last)
x = y, *z = [1, 2, 3]
print(x, y, z)
for idx, (key, *vals) in enumerate([("a", 1, 2), ("b",)]):
    print(idx, key, vals)
print([p + q for p, *q in ["ab", "cd"] for q in q], [(m, n) for m, (n, *_) in zip("ab", ["xy", "zw"])])
print({k: v for k, *v in [(1, 2, 3)]}, [*range(3), *"ab"], (*[1], *(2,)), {*(), *[1]}, {**{}, "a": 1, **{"b": 2}})


class T:
    pass


o = T()
o.x, o.y, *o.rest = 1, 2, 3, 4
d2 = {}
d2["p"], *d2["q"] = "hello"
lst = [0] * 5
lst[0], *lst[1:3], lst[3] = "abcd"
print(vars(o), d2, lst)


def ret():
    return 1, *[2, 3]


def gen():
    got = yield 1, *[2]
    yield *"ab", got


g2 = gen()
print(ret(), next(g2), g2.send("s"))
i, j = 1, 2
i, j = j, i
lst = [3, 1, 2]
lst[0], lst[1] = lst[1], lst[0]
print(i, j, lst)
n = 0
n, lst[n] = 2, "n first"
print(n, lst)
with open("/dev/null") as o.fh, open("/dev/null") as (d2["h"]):
    print(o.fh.closed, d2["h"].name)
o.fh = d2["h"] = None
for o.i, d2["k"] in [(1, 2), (3, 4)]:
    print(o.i, d2["k"])
for lst[0] in "zy":
    pass
print(lst, [*map(str, [*lst, *o.rest])], print(*lst, *o.rest, sep="|"))
def f(*args, **kw): return args, kw
print(f(*lst, *(q for q in "q"), **{**{"a": 1}}, b=2), f(*[]), [*f(1)[0]])
try:
    a, *b, c = [1]
except ValueError as err:
    print(err)
try:
    *a, b = 5
except TypeError as err:
    print(err)
() = []
[] = ()
[[]] = [[]]
(a, b), c = [1, 2], 3; [a, b] = [b, a]; print(a, b, c)
*x, = 1, 2; print(x, *x, (*x,)); print(*(*x, 3), *[] or "e")
subs = {"k": [1, 2]}; [r, *subs["k"]] = subs["k"] + [3]; print(r, subs)
t = 1,; u = 1, *t,; print(t, u); print(f"{(*u,)} {[*t, *u]}")
