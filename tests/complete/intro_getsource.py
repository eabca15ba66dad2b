"""inspect.getsource, getsourcelines, getcomments and signatures of this file."""
import inspect
import linecache


# comment above f
# second comment
def f(a, b=2):
    """Doc."""
    return a + b  # trailing


class C:
    x = 1

    def m(self):
        return [i
                for i in range(3)]

    @property
    def p(self):
        return (1,
                2)


def deco(fn):
    return fn


@deco
@deco
def decorated(
        q,
        *, r=len("abc")):
    if q:
        def inner():
            return r
        return inner
    return lambda: q


square = lambda v: v * v
pair = [lambda: 1, lambda: 2]
for obj in (f, C, C.m, C.p.fget, decorated, decorated(1), square, pair[1], decorated(0)):
    print(inspect.getsourcelines(obj))
print(inspect.getsource(C), end="")
print(inspect.getcomments(f))
print(inspect.signature(decorated), inspect.signature(C.m), inspect.getfullargspec(f))
print(len(inspect.getsource(inspect.getmodule(f)).splitlines()), inspect.getmodule(f).__name__)
print(repr(linecache.getline(__file__, 2)), inspect.getdoc(f))
print([n for n, v in inspect.getmembers(C) if not n.startswith("__")], inspect.isfunction(f), inspect.ismethod(C().m))
print(open(__file__, encoding="utf-8").read().count("lambda"), f.__code__.co_firstlineno, f.__code__.co_name)
print([line for _, _, line in f.__code__.co_lines()] if hasattr(f.__code__, "co_lines") else None)
try:
    print(inspect.getsource(eval("lambda: 0")))
except OSError as e:
    print(e)
print(f.__qualname__, C.m.__qualname__, decorated(1).__qualname__, square.__qualname__, C.__module__, f.__module__)
print(inspect.getsource(f).count("\n"), inspect.unwrap(decorated) is decorated, inspect.getclosurevars(decorated(1)).nonlocals)
print(sorted(inspect.getclosurevars(decorated).builtins), inspect.getclosurevars(f).globals, sorted(inspect.getclosurevars(deco).unbound))
