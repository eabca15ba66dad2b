"""contextlib, abc, numbers, collections.abc subclasses, Protocol-like virtual subclasses."""
import abc
import collections.abc
import contextlib
import numbers


class Range(collections.abc.Sequence):
    def __init__(self, n): self.n = n
    def __len__(self): print("len", end=" "); return self.n
    def __getitem__(self, i):
        print(f"get{i}", end=" ")
        if isinstance(i, slice): return [self[j] for j in range(*i.indices(self.n))]
        if not -self.n <= i < self.n: raise IndexError(i)
        return i * i


r = Range(4)
print(list(r)); print(9 in r); print(r.index(4)); print(list(reversed(r))); print(r[1:3]); print(r.count(1))


class Bag(collections.abc.MutableMapping):
    def __init__(self, **kw): self.d = kw
    def __getitem__(self, k): print("G" + k, end=" "); return self.d[k]
    def __setitem__(self, k, v): print("S" + k, end=" "); self.d[k] = v
    def __delitem__(self, k): print("D" + k, end=" "); del self.d[k]
    def __iter__(self): return iter(sorted(self.d))
    def __len__(self): return len(self.d)


b = Bag(x=1); b["y"] = 2; b.update(z=3); b.setdefault("x", 9); print(b.pop("y"), dict(b), b.get("nope"), {**b}, b == {"x": 1, "z": 3})
def kw(**k): return k
print(kw(**b), "x" in b, list(b.items())); b.clear(); print(len(b))


class S(collections.abc.MutableSet):
    def __init__(self, it=()): self.s = list(dict.fromkeys(it))
    def __contains__(self, x): return x in self.s
    def __iter__(self): return iter(self.s)
    def __len__(self): return len(self.s)
    def add(self, x): self.s.append(x)
    def discard(self, x): x in self.s and self.s.remove(x)


s = S("abc"); s |= S("cd"); s -= S("a"); print(list(s & S("bd")), list(s ^ S("bz")), s <= S("abcd"), S("a").isdisjoint("b"), s.pop())


class Plugin(abc.ABC):
    @abc.abstractmethod
    def run(self): "base implementation"; return "base"
    @classmethod
    def __subclasshook__(cls, C): return True if hasattr(C, "run_like") else NotImplemented


class P1(Plugin):
    def run(self): return "p1+" + super().run()


class P2: run_like = True


print(P1().run(), issubclass(P2, Plugin), isinstance(5, Plugin), isinstance(1, numbers.Number), isinstance(True, numbers.Integral), isinstance(lambda: 0, collections.abc.Callable))
for cls in (Plugin, collections.abc.Sequence, type("Half", (Plugin,), {})):
    try: cls()
    except TypeError as e: print(str(e).split(" with")[0])
stack = contextlib.ExitStack()
with stack:
    stack.callback(lambda: print("cb1")); stack.callback(print, "cb2")
    try: stack.enter_context(contextlib.suppress(KeyError)); raise KeyError("to be suppressed outside")
    except KeyError as e: print("caught", e)
with contextlib.ExitStack() as st:
    st.push(lambda t, v, tb: print("saw", t) or True); st.callback(lambda: 1 / 0)
print("swallowed")
@contextlib.contextmanager
def cm(fail=False):
    try: yield {"fail": fail}
    except ValueError as e: print("cm got", e); 
    else: print("cm clean")
with cm() as v: v["fail"] = True; print(v)
with cm(): raise ValueError("inside")
@contextlib.contextmanager
def twice(): yield 1; yield 2
try:
    with twice(): pass
except RuntimeError as e: print(e)
@contextlib.contextmanager
def never():
    if False: yield
try:
    with never(): pass
except RuntimeError as e: print(e)
class Deco(contextlib.ContextDecorator):
    def __enter__(self): print("in", end=" "); return self
    def __exit__(self, *a): print("out"); return False
@Deco()
def decorated(x): print("body", x, end=" "); return x
print(decorated(5)); old = contextlib.redirect_stderr
with contextlib.closing(type("C", (), {"close": lambda self: print("closed")})()) as c: print(type(c).__name__)
