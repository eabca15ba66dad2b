"""sys._getframe, inspect.currentframe, stack, frame attributes."""
import inspect
import sys


def where(depth=0):
    fr = sys._getframe(depth + 1)
    return fr.f_code.co_name, fr.f_lineno, fr.f_code.co_firstlineno


def outer():
    return inner(), where()


def inner():
    return [where(d) for d in range(3)], (lambda: where())(), list(where() for _ in "a")


class K:
    at = where()

    def m(self):
        def nested(): return where(1), where()
        return nested()

    @property
    def p(self):
        return where()

    @staticmethod
    def s(): return where(
    )


print(outer())
print(K.at, K().m(), K().p, K.s())
print(where(), [where()[0] for _ in range(1)], (lambda x=where(): x)())


def callers():
    return [(f.function, f.lineno, f.code_context[0].strip(), f.index) for f in inspect.stack()]


def through(fn):
    return fn(
    )


for row in through(callers):
    print(row)


def frame_info():
    here = inspect.currentframe()
    info = inspect.getframeinfo(here)
    back = here.f_back
    local = 1
    return info.function, info.lineno, info.code_context, back.f_code.co_name, here.f_locals["local"], back.f_lineno


print(frame_info())


def kwargs_of_caller():
    args = inspect.getargvalues(inspect.currentframe().f_back)
    return args.args, args.varargs, args.keywords, sorted(args.locals)


def target(a, b=2, *c, **d): return kwargs_of_caller()


print(target(1, z=3))


def depth():
    f, n = sys._getframe(), 0
    while f:
        f, n = f.f_back, n + 1
    return n


def deeper(k): return depth() if k == 0 else deeper(k - 1)


print(depth(), deeper(5), (lambda: depth())(), [depth() for _ in (1,)] in ([2], [3]), max([1], key=lambda v: depth()), sorted(depth() for _ in "ab"))


class Meta(type):
    def __call__(cls, *a):
        return where(0), depth()


class M(metaclass=Meta): pass


print(M(), type("T", (), {"__getattr__": lambda s, n: (n, depth())})().attr)
def decorated(f): print("decorating at", where(1)[1], f.__code__.co_firstlineno); return f
@decorated
@decorated
def multi(
    a=where(),
):
    return a
print(multi(), multi.__code__.co_firstlineno)
g = (where() for _ in "x"); print(next(g), g.gi_frame.f_lineno, g.gi_frame.f_code.co_name)
try: raise ValueError
except ValueError as e: print(e.__traceback__.tb_frame is sys._getframe(), e.__traceback__.tb_lasti >= 0, where()[1])
print(sys._getframe().f_code.co_filename == __file__, sys._getframe().f_globals is globals(), sys._getframe().f_builtins is vars(__builtins__))
