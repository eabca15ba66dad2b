"""In-place operators on names, attributes, subscripts, globals and nonlocals."""


class Acc:
    def __init__(self, log):
        self.log = log

    def __iadd__(self, o):
        self.log.append(("iadd", o))
        return self

    def __add__(self, o):
        self.log.append(("add", o))
        return Acc(self.log + ["new"])

    __isub__ = None


class Desc:
    def __get__(self, o, t):
        print("get", end=" ")
        return 10

    def __set__(self, o, v):
        print("set", v)


class Host:
    d = Desc()
    shared = []
    count = 0


x = 1
x += 2; x -= 1; x *= 10; x //= 3; x **= 2; x %= 7; x <<= 4; x >>= 1; x |= 3; x &= 6; x ^= 1
print(x)
y = 7; y /= 2; print(y)
h = Host()
h.d += 5
h.d **= 2
h.count += 1
h.shared += [1]
print(h.count, Host.count, h.shared is Host.shared, Host.shared)
a = Acc([])
b = a
a += 1; a += (2, 3)
print(a is b, b.log)
a = a + 4
print(a is b, a.log)
try:
    a -= 1
except TypeError as e:
    print(e)
t = ([1], 2)
try:
    t[0] += [2]
except TypeError as e:
    print(e, t)
d = {"n": 1, "l": []}
d["n"] += d["n"]; d["l"] += "ab"; d["l"] *= 2; d |= {"m": 0}
print(d)
calls = []
def idx(i): calls.append(i); return i
grid = [[1, 2], [3, 4]]
grid[idx(0)][idx(1)] += idx(10)
grid[idx(1)][:] += [idx(5)]
print(grid, calls)
def outer():
    n = [0]; m = 0
    def inc():
        nonlocal m
        m += 1; n[0] += m
        return m
    inc(); inc()
    return m, n
print(outer())
def bump():
    global total
    total += 1
    return total
total = 10
print(bump(), total)
s = "a"; s2 = s; s += "b"; s *= 2; print(s, s2)
i = 1; i += i + (i := 5); print(i)
class C:
    v = 1
    v += 2
    w = v; w *= v
print(C.v, C.w)
import operator
print(operator.iadd([1], [2]), operator.imul("x", 3))
lst = [1, 2]; alias = lst; lst += (3,); lst = lst + [4]; print(alias, lst)
try:
    undefined_name += 1
except NameError as e:
    print(e)
try:
    h.missing += 1
except AttributeError as e:
    print(e)
try:
    d["nope"] += 1
except KeyError as e:
    print(repr(e))
for n in (f := [0]): f[n] += 2
print(f); z = w = [1]; z += [w]; print(len(z), z[1] is z); st = {1}; st |= {2}; st -= {1}; print(st)
