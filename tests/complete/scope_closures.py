"""Closures, global/nonlocal, loops, cells, late binding, class scopes."""
x = "global"


def reader():
    return x


def shadow():
    x = "local"
    def inner():
        return x
    x = "rebound"
    return inner(), reader()


class C:
    x = "class"
    seen = x
    y = [x for _ in range(1)]
    z = [q for q in x]
    f = lambda self: x

    def method(self):
        return x, self.x

    class D:
        w = x

    def default(self, v=x):
        return v


print(shadow(), C.seen, C.y, C.z[:2], C().f(), C().method(), C.D.w, C().default())


def make_counter(start=0, *, step=1):
    count = start
    history = []

    def up():
        nonlocal count
        count += step
        history.append(count)
        return count

    def reset(to=None):
        nonlocal count, history
        count, history = (start if to is None else to), []

    def peek():
        return count, history[:]
    return up, reset, peek


up, reset, peek = make_counter(step=2)
up(); up()
print(peek()); reset(); print(peek(), up(), up.__closure__ is not None, up.__code__.co_freevars)
fs = []
for i in range(3):
    def f(): return i
    fs.append(f)
    fs.append(lambda i=i: -i)
print([g() for g in fs])
i = 99
print([g() for g in fs])
adders = {n: (lambda m: (lambda v: v + n + m)) for n in range(3)}
print([adders[n](10)(100) for n in range(3)])


def level1():
    a = 1
    def level2():
        nonlocal a
        b = a = a + 1
        def level3():
            nonlocal a, b
            global x
            a, b = b * 10, a
            x = "set deep"
            class Local:
                a = "class a"
                nonlocal_seen = b
                def get(self): return a
            return Local.a, Local.nonlocal_seen, Local().get()
        return level3(), a, b
    return level2(), a


print(level1(), x, reader())


def class_nonlocal():
    v = 1
    class K:
        nonlocal v
        v = 2
        global gk
        gk = 3
    return v, hasattr(K, "v"), gk


print(class_nonlocal())
def conditional(flag):
    if flag: y = 1
    def g(): return y
    try: return g()
    except NameError as e: return type(e).__name__
print(conditional(True), conditional(False))
def comp_scope():
    n = 3
    return [n for n in range(2)], n, [[n * m for m in range(n)] for _ in "a"], (lambda: [n for _ in "ab"])()
print(comp_scope())
def rec(n): return n and n + rec(n - 1)
old, rec2 = rec, rec; rec = lambda n: 100
print(old(3)); rec = rec2; print(rec(3))
def gen():
    total = 0
    def add(k): nonlocal total; total += k
    while True: add((yield total))
g = gen(); next(g); g.send(5); print(g.send(6))
del x
try: reader()
except NameError as e: print(e)
cell = peek.__closure__[0]; print(type(cell).__name__, cell.cell_contents); cell.cell_contents = 50; print(up())
def swap(): global up, reset; up, reset = reset, up
swap(); print(up.__name__, reset.__name__)
