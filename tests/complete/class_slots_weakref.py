"""Slots, weak references with callbacks, and object lifetime."""
import gc
import weakref


class Node:
    __slots__ = ("value", "next", "__weakref__")

    def __init__(self, value, next=None):
        self.value, self.next = value, next

    def __repr__(self):
        return f"Node({self.value})"


def gone(label):
    return lambda ref: print("gone:", label, ref() is None)


a = Node(1, Node(2))
ra, rb = weakref.ref(a, gone("a")), weakref.ref(a.next, gone("b"))
print(ra(), rb(), ra() is a)
try:
    a.extra = 1
except AttributeError as e:
    print(e)
print(hasattr(a, "__dict__"), Node.__slots__)
b = a.next
a = None
print("a dropped", ra(), rb())
b = Node("other")
print("b rebound", rb())

cache = weakref.WeakValueDictionary()
keep = cache["k"] = Node("cached")
print(sorted(cache), cache["k"])
del keep
print(sorted(cache))


def scope():
    n = Node("local")
    r = weakref.ref(n, gone("local"))
    print("inside", r())
    return r


print("after call", scope()())
r = weakref.ref(Node("temp"), gone("temp"))
print("temp", r())
items = [Node(i) for i in range(3)]
refs = [weakref.ref(n, gone(n.value)) for n in items]
n = None
del items[1]
print([x() for x in refs])
items.clear()
fin = weakref.finalize(b, print, "finalize", "other")
print(fin.alive)
b = None
print(fin.alive)
cyc = Node("x")
cyc.next = cyc
rc = weakref.ref(cyc, gone("cycle"))
del cyc
print("cycle alive", rc() is not None)
gc.collect()
print("collected", rc())


def chained(x):
    return x


rt = []
print("arg:", chained(Node("passed")).value, [rt.append(weakref.ref(o)) for o in [Node("q")]] and rt[0]())
try:
    class Base:
        __slots__ = ("x",)
        x = 1
except ValueError as e:
    print(e)


class Sub(Node):
    pass


s = Sub(1)
s.anything = 2
print(s.__dict__, weakref.getweakrefcount(s))
m = weakref.WeakMethod(s.__repr__)
print(m()())
del s
print(m())
