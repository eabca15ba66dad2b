"""Pickling functions, classes and instances of __main__; copy and deepcopy."""
import copy
import pickle


def top_level(x):
    return x + 1


class Plain:
    def __init__(self, a):
        self.a = a
        self.me = self

    def __eq__(self, other):
        return self.a == other.a


class Custom:
    loaded = 0

    def __init__(self, v, extra=None):
        self.v, self.extra = v, extra

    def __getstate__(self):
        print("getstate")
        return {"v": self.v}

    def __setstate__(self, state):
        Custom.loaded += 1
        self.__dict__.update(state, extra="restored")


class Reduced:
    def __init__(self, *parts):
        self.parts = parts

    def __reduce__(self):
        return Reduced, self.parts, {"more": len(self.parts)}

    class Nested:
        value = 5

    def bound(self):
        return self.parts


class Slotted:
    __slots__ = "p", "q"

    def __init__(self):
        self.p = [1]


for proto in range(2, pickle.HIGHEST_PROTOCOL + 1):
    p = pickle.loads(pickle.dumps(Plain([proto]), proto))
    print(proto, p.a, p.me is p)
again = lambda o: pickle.loads(pickle.dumps(o))
print(again(top_level) is top_level, again(Plain) is Plain, again(Reduced.Nested).value, again(len) is len)
c = again(Custom(3))
print(c.v, c.extra, Custom.loaded)
r = again(Reduced("a", "b"))
print(r.parts, r.more, again(r.bound)(), again(Slotted()).p)
data = pickle.dumps([top_level, Plain])
print(b"__main__" in data, len(pickle.dumps(top_level, 4)))
for bad in (lambda: 1, (i for i in []), type("Local", (), {})()):
    try:
        pickle.dumps(bad)
    except (pickle.PicklingError, TypeError, AttributeError) as e:
        print(type(e).__name__)


def local_class():
    class Inner:
        pass
    return Inner


try:
    pickle.dumps(local_class()())
except (AttributeError, pickle.PicklingError) as e:
    print("local", str(e).split("'")[-2])
orig = {"l": [1, [2]], "p": Plain([0]), "f": top_level}
sh, dp = copy.copy(orig), copy.deepcopy(orig)
orig["l"][1].append(3)
print(sh["l"], dp["l"], dp["p"] == orig["p"], dp["p"] is orig["p"], dp["f"] is top_level, dp["p"].me is dp["p"])


class Copyable:
    def __copy__(self): return "copied"
    def __deepcopy__(self, memo): return ["deep", len(memo)]


print(copy.copy(Copyable()), copy.deepcopy(Copyable()), copy.deepcopy([Copyable()]), copy.copy(Custom(1)).extra)
