"""Counts of __getattr__/__getattribute__/__setattr__ and evaluation order."""


class Spy:
    def __init__(self, name):
        object.__setattr__(self, "log", [])
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "child", None)

    def __getattribute__(self, attr):
        log = object.__getattribute__(self, "log")
        if attr not in ("log", "__class__"):
            log.append("ga:" + attr)
        return object.__getattribute__(self, attr)

    def __getattr__(self, attr):
        self.log.append("miss:" + attr)
        if attr.startswith("no_"):
            raise AttributeError(attr)
        return 7

    def __setattr__(self, attr, value):
        self.log.append("set:" + attr)
        object.__setattr__(self, attr, value)

    def __delattr__(self, attr):
        self.log.append("del:" + attr)
        object.__delattr__(self, attr)

    def method(self, *a, **k):
        return len(a) + len(k)

    def __call__(self, x):
        self.log.append("call")
        return x


def flush(s, label):
    print(label, s.log[:])
    s.log.clear()


s = Spy("s")
s.name; flush(s, "read")
s.x = s.name; flush(s, "assign")
s.x += "!"; flush(s, "aug")
del s.x; flush(s, "del")
s.x; flush(s, "missing")
s.method(1, s.name, k=s.y); flush(s, "call")
s.name.upper().lower(); flush(s, "chain")
s.child = Spy("c"); s.child.name; flush(s, "child")
s.child.x = s.child.y + s.child.z; flush(s, "child2"); flush(s.child, "inner")
hasattr(s, "no_such"), hasattr(s, "other"), getattr(s, "no_x", 1); flush(s, "hasattr")
[s.name for _ in range(2)]; flush(s, "comp")
f"{s.name} {s.q!r} {s.name=}"; flush(s, "fstring")
s.name if s.q else s.z; flush(s, "cond")
s.q and s.r or s.t; flush(s, "bool")
1 < s.q < 5 < s.r; flush(s, "chain cmp")
a, s.m, *s.n = s.name, 2, 3; flush(s, "unpack")
for s.loop in range(2): pass
flush(s, "for target")
with open("/dev/null") as s.handle: pass
s.handle.closed; flush(s, "with target")
s(s.name); flush(s, "self call")
(lambda z=s.name: s.q)(); flush(s, "lambda")
try: s.no_thing.deeper.more
except AttributeError as e: print("attr error", e)
flush(s, "error")
s.items = {}; s.items[s.name] = s.method(); s.items[s.name] += 1; flush(s, "subscript")
print(isinstance(s, Spy), repr(type(s)), bool(s)); flush(s, "builtins")
assert s.name, s.q; flush(s, "assert")
class K: attr = s.name; other = s.q
flush(s, "class body")
@s
def decorated(p: s.ann = s.default) -> s.ret: pass
flush(s, "decorator")
