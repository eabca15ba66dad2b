"""KeyError, IndexError, LookupError with args, and dict/sequence EAFP."""
import collections


def attempt(f, *args, **kwargs):
    try:
        return f(*args, **kwargs)
    except LookupError as exc:
        return "%s(%s) args=%r" % (type(exc).__name__, exc, exc.args)


inventory = {"apple": 3, ("a", 1): "tuple", None: "none"}
names = ["ann", "bob", "cy"]

print(attempt(lambda k: inventory[k], "pear"))
print(attempt(lambda k: inventory[k], ("a", 2)))
print(attempt(inventory.__getitem__, "apple"))
print(attempt(lambda i: names[i], 3))
print(attempt(lambda i: names[i], -4))
print(attempt(names.pop, 9))
print(attempt([].pop))
print(attempt({}.popitem))
print(attempt(inventory.pop, "nope"))
print(attempt(set().pop))
print(attempt({1}.remove, 2))
print(attempt(collections.deque().popleft))
print(attempt(lambda: "text"[40]))
print(attempt(lambda: b"text"[40]))
print(attempt(lambda: ()[0]))
print(attempt(lambda: range(3)[7]))
print(attempt(lambda: "x".encode("no-such-codec")))
print(attempt("{0} {1}".format, 1))
print(attempt("{name}".format, other=1))
print(attempt(lambda: "%(a)s" % {"b": 1}))


class Ring(dict):
    def __missing__(self, key):
        if key < 0:
            raise KeyError(key, "negative")
        return key % 3


r = Ring()
print(attempt(lambda: r[10]), attempt(lambda: r[-1]))


def delete(c, k):
    del c[k]


print(attempt(delete, inventory, "zzz"))
print(attempt(delete, names, 17))


def assign(c, k, v):
    c[k] = v


print(attempt(assign, names, 17, "x"))
try:
    raise LookupError("plain", 3)
except LookupError as e:
    print(repr(e), str(e))
print(sorted(map(str, inventory)), names)
