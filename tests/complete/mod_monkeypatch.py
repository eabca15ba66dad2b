"""Monkeypatching classes, instances, modules and functions at run time."""
import json
import math
import types


class Robot:
    def __init__(self, name): self.name = name
    def speak(self): return f"I am {self.name}"
    @staticmethod
    def model(): return "R1"


def loud(self): return original(self).upper() + "!"


original = Robot.speak
r = Robot("r2")
print(r.speak()); Robot.speak = loud; print(r.speak())
r.speak = lambda: "instance level"; print(r.speak()); del r.speak; print(r.speak())
r.dance = types.MethodType(lambda self, n=1: f"{self.name} dances {n}", r); print(r.dance(2), hasattr(Robot("x"), "dance"))
Robot.model = staticmethod(lambda: "R2"); print(r.model(), Robot.model())
Robot.count = 0
def counted(init):
    def __init__(self, *a, **k): Robot.count += 1; return init(self, *a, **k)
    return __init__
Robot.__init__ = counted(Robot.__init__); Robot("a"); Robot(name="b"); print(Robot.count)
Robot.__getattr__ = lambda self, n: f"dyn {n}"; print(r.anything); del Robot.__getattr__
try: r.anything
except AttributeError as e: print(e)
Robot.__eq__ = lambda a, b: a.name == b.name; Robot.__hash__ = lambda s: 1; print(Robot("q") == Robot("q"), len({Robot("q"), Robot("q")}))
Robot.__call__ = lambda self, *a: a; print(r(1, 2)); Robot.__len__ = lambda self: 0; print(bool(r), len(r)); del Robot.__len__, Robot.__call__
try: r()
except TypeError as e: print(e)
saved = math.sqrt; math.sqrt = lambda x: f"sqrt({x})"; from math import sqrt; print(math.sqrt(4), sqrt(9)); math.sqrt = saved; print(math.sqrt(4), sqrt(9))
class Enc(json.JSONEncoder):
    def default(self, o): return f"<{type(o).__name__}>"
json_dumps = json.dumps; json.dumps = lambda o, **k: "patched:" + json_dumps(o, cls=Enc, **k); print(json.dumps({"r": r})); json.dumps = json_dumps
r.__class__ = type("Android", (Robot,), {"speak": lambda self: "android " + super(type(self), self).speak()}); print(r.speak(), type(r).__name__)
class Mixin:
    def extra(self): return "mixed " + self.name
Robot2 = type("Robot2", (Robot, Mixin), dict(Robot.__dict__) if 0 else {"z": 1}); print(Robot2("m").extra(), Robot2.z)
class Base: pass
class Late(Base): pass
Base.added = property(lambda self: "late property"); print(Late().added); Late.__bases__ = (Mixin, Base)
l = Late(); l.name = "L"; print(l.extra(), [c.__name__ for c in Late.__mro__])
def f(): return "original f"
def caller(): return f()
f_old = f
def f(): return "redefined, was " + f_old()
print(caller()); globals()["f"] = lambda: "via globals"; print(caller(), f())
f.attr = 1; f.attr += 1; print(f.attr, vars(f)); f.__name__ = "renamed"; print(f.__name__, f.__qualname__)
class Patch:
    def __init__(self, o, n, v): self.o, self.n, self.v = o, n, v
    def __enter__(self): self.old = getattr(self.o, self.n); setattr(self.o, self.n, self.v); return self.old
    def __exit__(self, *a): setattr(self.o, self.n, self.old)
with Patch(math, "floor", lambda x: "patched floor") as old: print(math.floor(1.5), old(1.5))
print(math.floor(1.5))
try: int.foo = 1
except TypeError as e: print(e)
try: (1).foo = 2
except AttributeError as e: print(e)
math.new_name = "x"; print(math.new_name); del math.new_name
for attr, val in {"x": 1, "y": lambda self: self.x}.items(): setattr(Robot, attr, val)
print(Robot("k").y(), Robot.x, Robot.__dict__["x"])
