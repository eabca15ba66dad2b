"""while/for with else, nested breaks, loop variables, iteration protocol."""


def find(n):
    for d in range(2, n):
        if n % d == 0:
            print(n, "=", d, "*", n // d)
            break
    else:
        print(n, "is prime")


for k in range(2, 9):
    find(k)
n = 3
while n:
    n -= 1
    if n == 1: continue
    print("n", n)
else:
    print("while else")
while True:
    n += 1
    if n > 2:
        break
else:
    print("never")
for i in range(3):
    for j in range(3):
        if j == i: break
        if (i, j) == (2, 1): continue
        print(i, j)
    else:
        print("inner complete", i)
        continue
    if i == 2:
        break
else:
    print("outer complete")
print(i, j)


class Seq:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * i


class It:
    def __iter__(self):
        print("iter")
        return (x for x in "ab")


print([x for x in Seq()], [*It()], 4 in Seq(), list(zip(Seq(), It())))
for x in It(): print(x)
for x in []: pass
else: print("empty else", x)
lst = [1, 2, 3]
for v in lst:
    if v < 10: lst.append(v * 10)
    if len(lst) > 6: break
print(lst)
for v in list(lst): lst.remove(v) if v > 5 else None
print(lst)
d = {"a": 1}
for k in list(d): d[k + k] = d.pop(k)
for k, v in d.items(): print(k, v)
for i, c in enumerate("xyz", start=10): print(i, c, end=" ")
for i in range(10, 0, -4): print(i, end=" ")
print()
it = iter(range(6))
for a in it: print(a, next(it, None), end="|")
for a, b in zip(it := iter("abcdef"), it): print(a + b, end=",")
print(list(iter(lambda s=[3]: s.append(s[-1] - 1) or s[-1], 0)))
total = 0
for row in [[1, 2], [3]]:
    for cell in row: total += cell
    else: total += 100
print(total)
while (total := total - 90) > 0: print("t", total)
else: print("done", total)
for x in 1, 2, 3: pass
for (y) in (x,): print(y)
for z, in [(1,), (2,)]: print(z, end=" ")
for [p, q] in [[1, 2]]: print(p, q)
for f in [lambda: "called", str, print]: r = f()
print(repr(r))
def g():
    for i in range(3):
        for j in range(3):
            if i * j == 2: return i, j
print(g())
for i in range(2):
    def h(): return i
    i = "changed"
    print(h())
