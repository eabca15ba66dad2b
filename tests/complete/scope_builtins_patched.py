"""builtins monkeypatched: print, a new bare name, __builtins__, __import__, open."""
import builtins
import io

real = builtins.print
count = 0


def counting(*args, **kw):
    global count
    count += 1
    real(count, *args, **kw)


builtins.print = counting
print("patched")
builtins.foo = "bare foo"
print(foo)
builtins.answer = lambda: 42
print(answer() + len(foo))
del builtins.foo
try:
    foo
except NameError as e:
    print(e)
print(type(__builtins__).__name__, __builtins__ is builtins, __builtins__.len("four"))
old_len = builtins.len
builtins.len = lambda o: old_len(o) * 100
print(len("abc"), old_len("abc"))
builtins.len = old_len
log = []
real_import = builtins.__import__


def tracing(name, globals=None, locals=None, fromlist=(), level=0):
    if globals is not None and globals.get("__name__") == "__main__":
        log.append((name, fromlist, level))
    return real_import(name, globals, locals, fromlist, level)


builtins.__import__ = tracing
import colorsys
from textwrap import dedent as d, indent
import os.path as p
def f():
    import bisect as b
    from string import (ascii_lowercase, digits as dg,)
    return b.bisect([1], 1), dg


print(f())
builtins.__import__ = real_import
for entry in log:
    print(entry)
real_build = builtins.__build_class__


def building(fn, name, *bases, **kw):
    print("building", name, [b.__name__ for b in bases], kw)
    return real_build(fn, name, *bases, **kw)


builtins.__build_class__ = building


class A:
    x = 1


class B(A, metaclass=type):
    def m(self):
        return super().x, __class__.__name__


builtins.__build_class__ = real_build
print(B().m())
real_open = builtins.open
builtins.open = lambda name, mode="r": io.StringIO(f"fake {name} {mode}")
with open("/nonexistent", "w") as fh:
    print(fh.read())
builtins.open = real_open
builtins.range = lambda *a: "xyz"
print([c for c in range(3)], list(range(1)))
del builtins.range
try:
    for i in range(3):
        pass
except NameError as e:
    print(e)
builtins.isinstance, saved = (lambda o, t: "patched"), isinstance
print(isinstance(1, str))
builtins.isinstance = saved
builtins.print = real
print("restored", count)
_print, builtins.print = print, None
try:
    print("x")
except TypeError as e:
    _print(e)
builtins.print = _print
print("end", isinstance(1, int))
