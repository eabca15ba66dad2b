"""EAFP idioms: hasattr, getattr defaults, dict.get, try/except chains, fallbacks."""
import sys

try:
    import simplejson_absent as json
except ImportError:
    try:
        import another_absent as json
    except ImportError:
        import json
try:
    unicode
except NameError:
    unicode = str
try:
    input = raw_input
except NameError:
    pass
try:
    from math import cbrt_absent as root
except ImportError:
    def root(x): return round(x ** (1 / 3), 6)
try:
    range = xrange
    PY2 = True
except NameError:
    PY2 = False
print(json.__name__, unicode("u"), root(27), PY2, input.__name__)
if sys.version_info >= (3,):
    text_type, long = str, int
else:
    text_type, long = unicode, long


class Duck:
    sound = "quack"

    def speak(self): return self.sound


class Loud(Duck):
    @property
    def volume(self): raise AttributeError("volume knob missing")

    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda default=None: getattr(self, name[4:], default)
        raise AttributeError(f"no {name!r} here")


d, l = Duck(), Loud()
print(hasattr(d, "speak"), hasattr(d, "fly"), hasattr(l, "volume"), getattr(l, "volume", "default volume"))
print(getattr(d, "fly", lambda: "cannot")(), l.get_sound(), l.get_nothing("dflt"), getattr(getattr(d, "a", d), "sound"))
try: l.volume
except AttributeError as e: print(e)


def to_number(s):
    for kind in (int, float, complex):
        try:
            return kind(s)
        except ValueError:
            continue
    else:
        raise ValueError(f"not a number: {s}") from None


for s in ("1", "1.5", "2j", "zz"):
    try: print(to_number(s))
    except ValueError as e: print(e, e.__cause__, e.__suppress_context__)
conf = {"a": {"b": 1}}
print(conf.get("x", {}).get("y", "none"), conf.get("a", {}).get("b"), (conf.get("q") or {}).get("z"), conf.setdefault("n", []).append(1), conf)
def dig(d, *keys, default=None):
    try:
        for k in keys: d = d[k]
    except (KeyError, IndexError, TypeError) as e:
        return default if default is not None else type(e).__name__
    return d
print(dig(conf, "a", "b"), dig(conf, "a", "c"), dig(conf, "n", 5), dig(conf, "a", "b", "c"), dig(conf, "z", default=0))
def first_attr(o, *names):
    for n in names:
        try: return getattr(o, n)
        except AttributeError: pass
    return None
print(first_attr("s", "nope", "nada", "upper")(), first_attr(1, "x"))
class Cached:
    def value(self):
        try: return self._v
        except AttributeError: self._v = "computed"; return self._v + "!"
c = Cached(); print(c.value(), c.value())
try: len(5)
except TypeError as e: msg = str(e)
print(msg, "e" in globals())
it = iter([1])
while True:
    try: v = next(it)
    except StopIteration: break
    else: print("v", v)
try: iter(5)
except TypeError: print("not iterable")
try: {}[[]]
except (KeyError, TypeError) as e: print(type(e).__name__)
def is_callable(x):
    try: x()
    except TypeError as e: return "not callable" not in str(e)
    except Exception: return True
    return True
print(is_callable(5), is_callable(int), is_callable(lambda: 1 / 0), isinstance(range(2), type(range(0))))
values = [v if v is not None else "none" for v in (getattr(o, "real", None) for o in (1, "s", 2.5))]; print(values)
try: undefined_flag
except NameError: undefined_flag = True
print(undefined_flag, __builtins__ is not None, globals().get("nope", "dflt"), locals().get("PY2"), "__file__" in globals())
