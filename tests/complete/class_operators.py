"""Operator overloading: reflected, in-place, unary, comparison, NotImplemented."""


class V:
    log = []

    def __init__(self, n): self.n = n
    def __repr__(self): return f"V{self.n}"


class W(V):
    def __repr__(self): return f"W{self.n}"


def install(name, unary=False):
    if unary:
        def op(self):
            V.log.append(f"{name}({self!r})")
            return name
    else:
        def op(self, other, *more):
            V.log.append(f"{name}({self!r},{other!r}{more or ''})")
            return NotImplemented if other == "skip" else f"{name}"
    op.__name__ = f"__{name}__"
    setattr(V, op.__name__, op)


for base in "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul".split():
    install(base)
    install("r" + base)
    if base != "divmod" and base not in ("sub", "or"):
        install("i" + base)
for u in "neg pos invert abs int float complex index round trunc".split()[:4]:
    install(u, True)
for c in "lt le gt ge ne".split():
    install(c)
a, b, w = V(1), V(2), W(3)
print(a + b, a - 1, 1 - a, 2 ** a, a ** 2, pow(a, 2, 5), a @ b, 5 @ a, divmod(a, 3), divmod(3, a))
print(a << 1, 1 >> a, a & b, 1 | a, a ^ 1, a // b, 7 // a, a % 2, 7.5 % a, a / b)
print(-a, +a, ~a, abs(a), a < b, a >= 1, 1 < a, a != b, a + w)
print(V.log); V.log.clear()
x = a; x += 1; y = a; y -= 1; z = a; z |= b; q = a; q **= 2; r = a; r @= 3; s = a; s //= 1; t = a; t <<= 1
print(x, y, z, q, r, s, t)
print(V.log); V.log.clear()


class C:
    def __init__(self, items): self.items = list(items)
    def __iadd__(self, o): self.items += o; return self
    def __contains__(self, v): print("contains", v); return v in self.items
    def __len__(self): print("len"); return len(self.items)
    def __getitem__(self, k): print("getitem", k); return self.items[k]
    def __setitem__(self, k, v): print("setitem", k, v); self.items[k] = v
    def __delitem__(self, k): print("delitem", k); del self.items[k]
    def __iter__(self): print("iter"); return iter(self.items)
    def __reversed__(self): print("reversed"); return iter(self.items[::-1])
    def __call__(self, *a, **k): print("call", a, k); return self
    def __missing__(self, k): return k
    def __enter__(self): print("enter"); return self
    def __exit__(self, *a): print("exit", a[0])
    def __bool__(self): print("bool"); return bool(self.items)
    def __hash__(self): print("hash"); return 1
    def __eq__(self, o): print("eq"); return True
    def __format__(self, spec): return f"<{spec}>"
    def __dir__(self): return ["z", "a"]


c = C([3, 1, 2])
c += [9]; c[0] += 10; c[1:3] = [7]; del c[-1]
print(c[0], c[..., 1:2] if 0 else c[0:1], 3 in c, 4 not in c, len(c), not c, list(reversed(c)), [*c])
c(1, k=2)(3)
with c as d, c(0): print(d is c)
print(f"{c:>10}", dir(c), {c: 1}[c], c == 5, c != 5, "yes" if c else "no", c and 1, bool(c or 2))
first, *rest = c
print(first, rest, sorted(c), max(c))
class Skip:
    def __radd__(self, o): return "radd"
try:
    print(V("n") + "skip")
except TypeError as e:
    print(e)
print([] .__class__, 1 + Skip(), (V.log or ["empty"])[-1])
