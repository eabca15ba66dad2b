"""Comprehension scopes, also in class bodies and with walruses and lambdas."""


class Config:
    base = 3
    names = ["a", "b"]
    squares = [n * n for n in range(base)]
    lengths = {n: len(n) for n in names}
    gen = tuple(n.upper() for n in names)
    firsts = [x for x in (y for y in names)]
    try:
        broken = [base * n for n in names]
    except NameError as e:
        message = str(e)
    worked = (lambda base: [base * n for n in "q"])(base)
    nested = [[i * j for j in range(i)] for i in range(base)]
    cond = [n for n in names if n != "a"]

    def method(self):
        return [self.base + n for n in self.squares], [__class__.__name__ for _ in "z"]

    funcs = [lambda self, k=k: (k, self.base) for k in range(2)]
    last = [f.__name__ for f in funcs]


for key in sorted(k for k in vars(Config) if not k.startswith("__")):
    v = vars(Config)[key]
    print(key, v if not callable(v) and key != "funcs" else "...")
print(Config().method(), [f(Config()) for f in Config.funcs])
x = "outer"
print([x for x in range(3)], x, {x: x for x in "a"}, {x for x in (1,)}, list(x for x in [9]), x)
matrix = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
print([[row[i] for row in matrix] for i in range(3)], [c for row in matrix for c in row if c % 2 if c > 3])
print([(a, b, c) for a in range(1, 20) for b in range(a, 20) for c in range(b, 20) if a * a + b * b == c * c])
print({k: [v for k2, v in pairs if k2 == k] for pairs in [[("x", 1), ("y", 2), ("x", 3)]] for k, _ in pairs})
print(sum(x * y for x, y in zip([1, 2], [3, 4])), dict((v, k) for k, v in {"a": 1}.items()), max((len(w), w) for w in "aa b ccc".split()))
print([f() for f in [lambda: i for i in range(3)]], [f() for f in [lambda i=i: i for i in range(3)]], [(lambda: j)() for j in range(3)])


def outer(n):
    local = n * 2
    g = (local + i for i in range(n))
    local = 100
    return list(g), [locals().get("i", "no i")], sorted({k for k in locals()} & {"n", "local", "g"})


print(outer(2))


def order():
    trail = []
    add = lambda t, v: trail.append(t) or v
    gen = (add("body", i) for i in add("iter", range(2)))
    trail.append("created")
    list(gen)
    return trail


print(order())
primes = [p for p in range(2, 50) if all(p % d for d in range(2, p))]
print(primes, [*filter(None, [0, 1, "", "a"])], [a if a else "falsy" for a in (0, 1)])
print([y := 1, [y := y + i for i in range(3)], y], [z for z in (lambda w: [w, w + 1])(5)])
print({**{i: i for i in range(2)}, **{str(i): i for i in range(2)}}, [i for i in range(5)][::2], [[]] * 2, [[] for _ in range(2)])
print([match for match in [1] for case in [match] if case], [type for type in "ab"], [_ for _ in (1,)])
print([(i, j) for i in range(3) if i for j in range(i) if not j % 2], [i for i in [1, 2] for i in [i * 10, i * 20]])
print([*(k for k, in [(1,), (2,)])], [a + b for (a, [b]) in [(1, [2])]], [t for *t, u in ["abc"]], [o["k"] for o in [{}] for o["k"] in "xy"])
try:
    [1 / d for d in (1, 0)]
except ZeroDivisionError as e:
    tb = e.__traceback__
    while tb.tb_next: tb = tb.tb_next
    print(e, tb.tb_lineno)
