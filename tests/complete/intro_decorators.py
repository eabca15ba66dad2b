"""Decorators: stacked, with arguments, on classes and methods; order of evaluation."""
import functools

trail = []


def make(name):
    trail.append(f"make {name}")

    def deco(target):
        trail.append(f"apply {name} to {getattr(target, '__name__', type(target).__name__)}")
        return target
    return deco


@make("a")
@make("b")
@make("c")
def f(x=trail.append("default of f")): return "f"


@make("class")
class C:
    trail.append("class body")

    @make("m1")
    @make("m2")
    def m(self): return "m"

    @classmethod
    @make("under classmethod")
    def cm(cls): return cls.__name__

    @make("over static")
    @staticmethod
    def sm(): return "sm"

    @property
    @make("prop")
    def p(self): return "p"

    @p.setter
    def p(self, v): trail.append(f"set {v}")


C().p = 5
print(f(), C().m(), C.cm(), C().p)
for t in trail:
    print(" ", t)


def count_calls(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k):
        wrapper.calls += 1
        return fn(*a, **k)
    wrapper.calls = 0
    return wrapper


@count_calls
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(15), fib.calls, fib.__name__, fib.__wrapped__ is not fib)


def repeat(times, *, sep=""):
    return lambda fn: lambda *a: sep.join(fn(*a) for _ in range(times))


@repeat(3, sep="-")
def hello(name): return f"hi {name}"


print(hello("bo"))


class Register(dict):
    def __call__(self, key=None, **opts):
        def inner(fn):
            self[key or fn.__name__] = (fn, opts)
            return fn
        return inner if not callable(key) else self.setdefault(key.__name__, (key, {}))[0]


reg = Register()


@reg
def bare(): return 1


@reg("named", flag=True)
def other(): return 2


@reg()
class Thing: pass


print(sorted(reg), reg["named"][1], [fn().__class__.__name__ for fn, _ in reg.values()])


def add_repr(cls):
    cls.__repr__ = lambda self: f"<{cls.__name__} {vars(self)}>"
    return cls


@add_repr
@functools.total_ordering
class Ver:
    def __init__(self, n): self.n = n
    def __lt__(self, o): return self.n < o.n
    def __eq__(self, o): return self.n == o.n


print(Ver(1), Ver(2) >= Ver(1), max(Ver(3), Ver(7)))
decos = {"x": [lambda fn: (lambda: "from table " + fn())]}
@decos["x"][0]
def tabled(): return "t"
@(lambda fn: fn() + 1)
def replaced(): return 41
@print
class Printed: __module__ = "m"
@type.__call__ if False else lambda c: c
async def co(): pass
print(tabled(), replaced, Printed, co.__name__)
class Deco:
    def __init__(self, fn): self.fn = fn; functools.update_wrapper(self, fn)
    def __get__(self, o, t=None): return self if o is None else functools.partial(self, o)
    def __call__(self, *a): return "deco", len(a), self.fn(*a)
class Uses:
    @Deco
    def meth(self, x): return x
    @staticmethod
    def helper(fn): return fn
    @helper.__func__ if hasattr(helper, "__func__") else helper
    def helped(self): return "helped"
print(Uses().meth(3), Uses.meth.__name__, Uses().helped())
