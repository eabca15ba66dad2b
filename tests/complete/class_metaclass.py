"""Metaclasses: __new__, __init__, __call__, __prepare__, keyword arguments."""

calls = []


class Recorder(dict):
    def __setitem__(self, k, v):
        calls.append(("set", k))
        super().__setitem__(k, v)

    def __getitem__(self, k):
        calls.append(("get", k))
        return super().__getitem__(k)

    def __delitem__(self, k):
        calls.append(("del", k))
        super().__delitem__(k)


class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kw):
        calls.append(("prepare", name, [b.__name__ for b in bases], kw))
        return Recorder()

    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, dict(ns))
        cls.keys = [k for k in ns if not k.startswith("__")]
        return cls

    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        cls.options = kw

    def __call__(cls, *a, **k):
        calls.append(("call", cls.__name__))
        obj = super().__call__(*a, **k)
        obj.made = True
        return obj

    def __getattr__(cls, name):
        return f"{cls.__name__}?{name}"

    def __len__(cls):
        return len(cls.keys)

    def __iter__(cls):
        return iter(cls.keys)

    @property
    def shout(cls):
        return cls.__name__.upper()


class Base(metaclass=Meta):
    x = 1
    y = x + 1

    def method(self):
        return self.x, __class__.__name__


class Child(Base, flag=True, level=3):
    z = [i for i in range(2)]
    tmp = z
    del tmp
    for loop_name in "ab":
        pass
    if loop_name == "b":
        print("body print", len(z))


print(calls[:])
print(Base.keys, Child.keys, Child.options, len(Child), list(Child), Child.shout, Child.unknown)
c = Child()
print(c.made, c.method(), type(c).__class__.__name__, isinstance(Child, Meta))
try:
    c.unknown
except AttributeError as e:
    print(e)
Dyn = Meta("Dyn", (Base,), {"w": 4}, extra=1)
print(Dyn.w, Dyn.options, Dyn().x)
F = lambda name, bases, ns: (name, bases, sorted(k for k in ns if k[:2] != "__"))


class NotAClass(metaclass=F):
    a = 1
    def b(self): return 2


print(NotAClass)
try:
    class Conflict(Base, metaclass=type("M2", (type,), {})):
        pass
except TypeError as e:
    print(str(e)[:30])
print(type("T", (), {"v": 5})().v)
