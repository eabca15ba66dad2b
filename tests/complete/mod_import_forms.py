"""Import statements of every form and what they bind."""
import os, sys as system
import os.path
import xml.dom.minidom as md, xml.etree.ElementTree
from collections import OrderedDict as OD, defaultdict, Counter as C
from os import (path, sep as separator,)
from string import *
from math import *
from math import pi as PI; from math import floor as _floor
import importlib, importlib.util

print(os.path is path, system is sys if "sys" in dir() else system.__name__, separator)
print(sorted(n for n in globals() if not n.startswith("__")))
print(digits, capwords("a b"), floor(2.7), PI == pi, _floor(3.2))


def inside():
    import json
    import json.decoder as jd
    from re import sub, compile as comp
    import os.path as osp
    return json.loads("[1]"), jd.__name__, sub("a", "b", "aa"), comp("x").pattern, osp is path, sorted(locals())


print(inside(), "json" in globals())


class Lazy:
    from operator import add as plus, mul
    import keyword as kw
    plus = staticmethod(plus)

    def check(self, w):
        from keyword import iskeyword
        return iskeyword(w), self.kw.iskeyword("not"), self.plus(1, 2), Lazy.mul(3, 4)


print(Lazy().check("for"))
mod = importlib.import_module("xml.dom")
print(mod.__name__, __import__("os.path").__name__, __import__("os.path", fromlist=["join"]).join("a", "b"), xml.dom is mod)
if True: import bisect as bs; print(bs.bisect([1, 2], 1))
try: import nonexistent_one, nonexistent_two
except ImportError as e: print(e.name)
for name in ("heapq", "not_a_module", "json.tool", "os.nothing"):
    try:
        print(name, bool(importlib.util.find_spec(name)))
    except ModuleNotFoundError as e:
        print(name, e)
import types
fake = types.ModuleType("fake_mod", "fake doc")
exec("__all__ = ['shown', 'Klass']\nshown = 1\nhidden = 2\n_private = 3\nclass Klass: pass\ndef __getattr__(n):\n    if n == 'dynamic': return 'dyn'\n    raise AttributeError(n)", fake.__dict__)
system.modules["fake_mod"] = fake
from fake_mod import *
from fake_mod import dynamic, _private as priv
print(shown, Klass.__module__, "hidden" in globals(), dynamic, priv, fake.__doc__)
try: from fake_mod import absent
except ImportError as e: print(str(e).split(" (")[0])
try: import fake_mod.sub
except ModuleNotFoundError as e: print(e)
system.modules["blocked"] = None
try: import blocked
except ModuleNotFoundError as e: print(e)
def star():
    try: exec("from string import digits as q\nprint(q)")
    finally: print("exec import done")
star()
def swap():
    global os
    import json as os
    return os.__name__
print(swap(), os.__name__)
import os; os.made_up = 5; import os as again; print(again.made_up, os is again); del os.made_up
import collections.abc as cabc, collections; print(collections.abc is cabc, issubclass(list, cabc.Sequence))
try: from . import nothing
except ImportError as e: print(e)
