"""The walrus in if, while, comprehensions, f-strings, calls, subscripts, lambdas."""
import io
import re

if (m := re.match(r"(\w+)=(\d+)", "size=42")) and (n := int(m[2])) > 10:
    print(m[1], n)
elif m:
    print("small")
buf = io.StringIO("one\ntwo\n\nthree")
while (line := buf.readline().strip()):
    print("line", line)
print(repr(line))
data = [1, -2, 3, -4]
print([y for x in data if (y := x * x) > 2], y)
print({(k := w[0]): (v := len(w)) for w in ["apple", "fig"]}, k, v)
print(f"{(total := sum(data))} {total=} {(t2 := total * 2)!r:>5}")
print((a := 1) + (b := a + 1) * (c := b + 1), a, b, c)
print([z := 5, z ** 2, (z := z + 1)], z)
print((lambda: (q := 7) + q)(), "q" in globals())
values = [3, 1, 2]
print(values[(i := 1)], values[(i := i - 1):(j := 2)], i, j)
print(len(r := [1, 2]), r, max(s := sorted(values), key=lambda e: -e), s)


def f(x, y=(d := 10)):
    if any((hit := v) > x for v in (1, 5, 9)):
        return hit, y
    return None


print(f(3), f(99), d)


def counter():
    n = 0
    def bump():
        nonlocal n
        return (n := n + 1)
    return bump


bump = counter()
print(bump(), bump())


def uses_global():
    global g
    return [(g := w) for w in "xyz"] and g


print(uses_global(), g)
print([last := w for w in "ab"], last)
print([[(inner := (outer, w)) for w in "xy"] for outer in range(2)][1], inner)
x = 0
while (x := x + 1) < 5 and (half := x / 2) != 1.5:
    pass
print(x, half)
print("long" if (size := len("abcdef")) > 5 else "short", size)
assert (ok := bool(size)), "no"
print(ok, not (neg := False), neg)
try:
    exec("class C:\n    [p := 1 for _ in ()]")
except SyntaxError as e:
    print(e.msg)
with (cm := io.StringIO("ctx")) as fh:
    print(cm is fh, fh.read())
del a, m
print("a" in globals(), (a := "back"), a)
for item in (seq := (1, 2)):
    seq = None
print(seq, item)
print({(e := 1), (e2 := 2)} == {e, e2}, [*(st := "hi")], *(w2 := [1, 2]), w2)
def deco(x): return x
@(used := deco)
def decorated(): return used is deco
print(decorated())
lst = [0, 0]; lst[(pos := 1)] = (val := len(lst) + 5); lst[pos] += (val := val * 2); print(lst, val)
