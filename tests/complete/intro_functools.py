"""functools: lru_cache, singledispatch, partial, reduce, cached_property, wraps."""
import functools
import operator


@functools.lru_cache(maxsize=None)
def fib(n):
    calls.append(n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)


calls = []
print(fib(30), len(calls), fib.cache_info().hits, fib.cache_info().currsize)
fib.cache_clear(); print(fib(5), fib.cache_info())


@functools.lru_cache
def typed(x, *, y=1): return type(x).__name__, y


print(typed(1), typed(1.0), typed(True), typed(1, y=2), typed.cache_info().misses)
try:
    typed([])
except TypeError as e:
    print(e)


@functools.singledispatch
def show(arg, indent=0): return f"obj {arg}"


@show.register
def _(arg: int, indent=0): return f"int {arg:>{indent}}"


@show.register(list)
@show.register(tuple)
def _(arg, indent=0): return [show(a, indent + 1) for a in arg]


show.register(type(None), lambda a, indent=0: "nothing")
print(show(5), show([1, "s", (None, 2.5)]), show(True), show.dispatch(bool).__name__, len(show.registry))


class Fmt:
    @functools.singledispatchmethod
    def fmt(self, x): return "default"

    @fmt.register
    def _(self, x: str): return "str " + x

    @functools.cached_property
    def heavy(self): calls.append("heavy"); return len(calls)

    @functools.partialmethod
    def _bad(self): pass
    set_on = functools.partialmethod(lambda self, v, k=0: (v, k), True)


o = Fmt()
print(o.fmt("q"), o.fmt(1), o.heavy == o.heavy, o.set_on(k=3))
p = functools.partial(int, base=2)
print(p("101"), p.func, p.args, p.keywords, functools.partial(p, "11")(), functools.partial(print, 1, sep="+")(2, 3))
print(functools.reduce(operator.add, [1, 2, 3]), functools.reduce(lambda a, b: f"({a}{b})", "abcd", ""))
print(sorted(["b", "A", "c"], key=functools.cmp_to_key(lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))))


def logged(fn):
    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def inner(*a, **k):
        """inner doc"""
        return fn(*a, **k)
    return inner


@logged
def documented(a: int, b=2) -> str:
    """the doc"""
    return str(a + b)


print(documented.__name__, documented.__doc__, documented.__annotations__, documented.__wrapped__(1), documented(3))
try:
    functools.reduce(lambda a, b: a, [])
except TypeError as e:
    print(e)
print(operator.itemgetter(1, 0)("ab"), operator.attrgetter("a.b", "c")(type("O", (), {"a": type("P", (), {"b": 1}), "c": 2})), operator.methodcaller("replace", "a", "b")("aa"))
print(functools.partial(functools.partial(lambda *a, **k: (a, k), 1, x=1), 2, x=2)(3, y=3), o.__dict__)
compose = lambda *fs: functools.reduce(lambda f, g: lambda x: f(g(x)), fs, lambda x: x)
print(compose(str, abs, lambda v: v - 5)(2))
