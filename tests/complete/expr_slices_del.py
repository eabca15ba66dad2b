"""Slices of every form, custom __getitem__, and del of all targets."""


class Probe:
    def __getitem__(self, key):
        return key

    def __setitem__(self, key, value):
        print("set", key, value)

    def __delitem__(self, key):
        print("del", key)


p = Probe()
print(p[1], p[1:2], p[::], p[:-1], p[1, 2], p[1:2, ::3], p[...], p[()], p[(1,)], p[None:None], p[1:2, 3])
print(p[-1:][0:1] if isinstance(p[-1:], Probe) else p[-1:], p[lambda: 1] is not None, p["k"]["0":] if 0 else p["k"])
p[1:2] = 3; p[..., 0] = "e"; p[0:1, 2:3] = p[4]
del p[1], p[2:3], p[4, 5]
s = "abcdefgh"
print(s[2], s[-1], s[1:4], s[::-1], s[::2], s[5:1:-2], s[:100], s[100:], s[-3:], s[:-3][::-1][0])
lst = list(range(10))
lst[2:5] = ["x"]; lst[::4] = [0, 0]; lst[len(lst):] = [9]; lst[:0] = [-1]
print(lst)
del lst[0], lst[-1], lst[::3]
print(lst)
lst[1:2] += [7, 8]; lst[0:1] *= 3
print(lst, lst[lst.index(7):][0], lst[slice(None, None, 2)], lst[slice(*[1, 3])])
i, j = 1, 3
print(lst[i:j], lst[i:j][0], lst[i + 1:j * 2], lst[i if i else 0:], lst[(k := 1):], lst[-len(lst):])
m = [[1, 2, 3], [4, 5, 6]]
print([r[::-1] for r in m[::-1]], [row[1] for row in m], m[1][0:2][1], list(zip(*m))[0])
m[0][1:] = m[1][:1]; print(m)
a = b = c = 1
del a, (b, c)
print([n for n in ("a", "b", "c") if n in globals()])
d = {"x": 1, "y": {"z": 2}}
del d["y"]["z"], d["x"]
print(d)


class O:
    attr = 1

    def __delattr__(self, n):
        print("delattr", n)


o = O()
o.q = 1
del o.q, o.attr, O.attr
print(hasattr(O, "attr"))


def f():
    x = y = 1
    del x
    try:
        x
    except UnboundLocalError:
        x = "again"
    del (y), [x]
    return sorted(locals())


print(f())
for err in ("del s[0]", "del lst[99]", "del d['q']", "del zzz", "s[0] = 'x'", "lst['a':]", "lst[::0]", "lst[::2] = [1]", "del f.nope"):
    try:
        exec(err)
    except Exception as e:
        print(err, "|", type(e).__name__, e)
b2 = bytearray(b"hello"); b2[1:3] = b"EY"; del b2[::2]; print(b2, memoryview(b"abcdef")[1:4:2].tolist())
del lst[:]; print(lst, [1, 2, 3][True], "ab"[False], (0, 1)[-True])
