"""locals(), globals(), vars() and dir() in functions, classes, comprehensions."""
import sys


def names(d):
    return sorted(k for k in d if not k.startswith("__"))


def f(a, b=2, *args, c, **kw):
    d = 1
    if a:
        e = 5
    for i in range(2):
        pass
    def inner(): return d
    with open("/dev/null") as fh:
        pass
    try:
        1 / 0
    except ZeroDivisionError as err:
        in_handler = names(locals())
    before = sorted(locals())
    del i
    return before, in_handler, sorted(locals())


for result in f(1, c=3, z=4):
    print(result)
print(names(globals()))
print(locals() is globals(), vars() is globals(), sys.modules["__main__"].__dict__ is globals())


class C:
    one = 1
    inside = sorted(k for k in locals())
    two = names(vars())
    three = dir()
    loc = locals()
    loc["injected"] = "via locals"
    comp = [sorted(locals()) for q in range(1)]

    def m(self, x=1):
        y = 2
        return sorted(vars()), sorted(dir()), dir(self)[-1], names(vars(self))


print(C.inside, C.two, C.three[-2:], C.injected, names(vars(C)))
c = C()
c.zz = 1
print(c.m(), names(dir(c)))
print((lambda p, q=1: locals())("p"))
globals()["made_up"] = "by globals"
print(made_up)
vars()["another"] = 1
print(another, "another" in dir())


def modifies():
    x = 1
    locals()["x"] = 2
    locals()["fresh"] = 3
    d = dict(locals())
    return x, sorted(k for k in d if k != "fresh")


def closure():
    free, unused = 1, 2
    def g():
        own = free
        return dict(locals())
    return g(), sorted(locals())


def gen():
    a = 1
    yield dict(locals())
    b = 2
    yield sorted(locals())


print(modifies(), closure(), list(gen()))
print("{a} {b}".format(**(lambda a, b: locals())(1, 2)), "%(x)s" % (lambda x: locals())(5))


def formatted(first, second):
    third = first + second
    return "{first}+{second}={third}".format(**locals()), "%(third)d" % vars(), f"{locals()}"


print(formatted(1, 2))
frame = sys._getframe()
print(frame.f_locals is globals() or frame.f_locals == globals(), frame.f_code.co_name, names(frame.f_globals) == names(globals()))


def parent():
    secret = "seen by child"
    return child()


def child():
    return sys._getframe(1).f_locals["secret"], sys._getframe(1).f_code.co_name, sys._getframe().f_back.f_lineno


print(parent(), f.__code__.co_varnames, f.__code__.co_cellvars, f.__code__.co_argcount)
print(f.__globals__ is globals(), dir(1)[-1], "upper" in dir(""), names(dir(type("T", (), {"k": 1}))))
del made_up, another
print("made_up" in globals(), len(dir()) == len(globals()), eval("sorted(locals()) == sorted(globals())"))
try: vars(1)
except TypeError as e: print(e)
def empty(): return locals()
print(empty(), empty.__dict__, vars(empty))
def walk():
    for name, val in list(locals().items()): pass
    return sorted(locals())
print(walk())
