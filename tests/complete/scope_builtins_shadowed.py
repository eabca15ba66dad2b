"""Builtins shadowed by the program: own len, print, list, local names."""
import builtins

len = lambda x: "own len"
print(len([1, 2, 3]), builtins.len([1, 2, 3]))
del len
print(len([1, 2, 3]))


def local_shadow(list, dict=dict, *, str=repr):
    sum = 0
    for int in list:
        sum += int
    type = "a local named type"
    return sum, dict(a=1), str("s"), type


print(local_shadow([1, 2]))
original_print = print


def print(*args, sep="-", **kw):
    original_print("[mine]", *args, sep=sep, **kw)


print("shadowed", 1, 2)
print("shadowed", end="!\n")
original_print("original")


class Namespace:
    print = "class attr"
    max = 5
    def min(self): return print
    id = [max for _ in range(1)][0]
    next = iter


original_print(Namespace.print, Namespace.max, Namespace().min() is print, Namespace.id is builtins.max)
del print
print("builtin again", print is original_print)
True_ = True
object, Exception_ = "obj", Exception
print(object, isinstance(1, int))


class ValueError(KeyError):
    pass


try:
    int("x")
except ValueError:
    print("wrong")
except builtins.ValueError as e:
    print("real one", e)
try:
    raise ValueError("mine")
except KeyError as e:
    print(type(e).__name__, type(e).__module__, e)
range = lambda n: "abc"[:n]
for c in range(2): print(c)
print([c for c in range(3)], {c: 1 for c in range(1)})
super = lambda: type("S", (), {"hello": lambda s: "fake super"})()
class A:
    def hello(self): return super().hello()
print(A().hello())
del super, range
class B(A):
    def hello(self): return "B " + str(super().__class__.__name__)
print(B().hello(), sum(range(3)))
open = input = exec = eval = None
print(open, input, exec, eval)
def locals(): return "my locals"
def globals(): return "my globals"
print(locals(), globals(), (lambda: locals())())
del locals, globals
print("open" in globals(), [k for k in locals() if k == "input"])
def f(__name__="param", __file__=None, self=1, cls=2, _=3, __class__=4): return __name__, self, cls, _, __class__
print(f(), __name__); getattr = 5; print(getattr); hasattr, iter = iter, None; print(callable(hasattr), [i for i in (1,)])
__import__ = None; import json; print(json.dumps(1)); __build_class__ = 5
class Z: pass
print(Z.__name__); import builtins as len; print(len is builtins)
_ = lambda s: f"<{s}>"; print(_("gettext"), [_ for _ in "a"], _("after"))
