"""Zero-argument super and __class__ in many places."""


class A:
    def __init__(self, *a):
        self.trace = ["A"]

    def hello(self, who="x"):
        return f"A.hello({who})"

    @classmethod
    def make(cls, n=0):
        return f"A.make {cls.__name__} {n}"

    @staticmethod
    def util():
        return "A.util"

    @property
    def prop(self):
        return "A.prop"

    def __getitem__(self, k):
        return "A[%s]" % k

    def __eq__(self, o):
        return NotImplemented

    def __len__(self):
        return 3


class B(A):
    def __init__(self, *a):
        super().__init__(*a)
        self.trace.append("B")

    def hello(self, who="y"):
        def nested():
            return super(__class__, self).hello(who)
        inner = lambda: super(B, self).hello("lambda")
        return [super().hello(), nested(), inner(), (lambda s: super(__class__, s).hello())(self)]

    @classmethod
    def make(cls, n=1):
        return "B>" + super().make(n)

    @staticmethod
    def util():
        return __class__.__name__ + ">" + super(B, B).util()

    @property
    def prop(self):
        return "B>" + super().prop

    def __getitem__(self, k):
        return [super(B, self).__getitem__(i) for i in range(k)]

    def gen(self):
        for i in range(2):
            yield super().hello(i)

    def genexpr(self):
        s = super()
        return list(s.hello(i) for i in range(2))

    def nested_first_arg(self):
        def method(self):
            return super().hello("nested def")
        return method(self)

    def __len__(self): return super().__len__() * 2

    def assign(self):
        super().__setattr__("via_super", 1)
        return self.via_super, super().trace if hasattr(super(), "trace") else "no trace on super"

    def default(self, k=lambda c: c, *, cls=None):
        cls = cls or __class__
        return cls is B, __class__ is type(self)


class C(B):
    def hello(self, *a):
        return super().hello(*a)[0] + "/" + super(B, self).hello()

    class Inner(B):
        def hello(self):
            return super().hello("inner")[:1]


b, c = B(), C()
print(b.trace, b.hello(), B.make(), b.util(), b.prop, b[2], list(b.gen()), b.genexpr())
print(b.nested_first_arg(), len(b), b.assign(), b.default(), C.make(5), c.hello(), C.Inner().hello())
print(c.default(), c.prop, len(c))


class Broken:
    def no_args():
        return super().x

    def deleted(self):
        del self
        return super().x

    def rebound(self):
        self = 5
        return super().__init__()


for f in (Broken.no_args, lambda: Broken().deleted(), lambda: Broken().rebound()):
    try:
        print(f())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e)[:60])


def outside(self):
    return super().hello()


B.outside = outside
try:
    b.outside()
except RuntimeError as e:
    print(e)


class Diamond1(A):
    def hello(self, w="d1"): return "D1 " + super().hello(w)


class Diamond2(A):
    def hello(self, w="d2"): return "D2 " + super().hello(w)


class Both(Diamond1, Diamond2):
    hello = lambda self, w="both": "Both " + super(Both, self).hello(w)


print(Both().hello(), [k.__name__ for k in Both.__mro__])
print(super(A).__thisclass__.__name__, "__class__" in B.hello.__code__.co_freevars)


class Shadow(A):
    def hello(self):
        __class__ = Both
        return __class__.__name__
    super = "class attribute called super"


print(Shadow().hello(), Shadow.super)
