"""TypeError from wrong arguments; the messages name the functions."""


def plain(a, b):
    return a, b


def defaults(a, b=2, *, c, d=4):
    return a, b, c, d


def posonly(a, b, /, c):
    return a, b, c


def variadic(*args, key, **kw):
    return args, key, kw


class Account:
    def __init__(self, owner, balance=0):
        self.owner, self.balance = owner, balance

    def deposit(self, amount, /):
        self.balance += amount
        return self.balance

    @classmethod
    def build(cls, owner):
        return cls(owner)

    @staticmethod
    def helper(x):
        return x


def check(fn, *args, **kwargs):
    try:
        result = fn(*args, **kwargs)
    except TypeError as e:
        print("TypeError:", e)
    else:
        print("ok:", result if not isinstance(result, Account) else "Account")


check(plain)
check(plain, 1)
check(plain, 1, 2, 3)
check(plain, 1, b=2, c=3)
check(lambda: plain(1, a=1))
check(defaults, 1)
check(defaults, 1, 2, 3, c=4)
check(defaults, c=1)
check(defaults, 1, c=3)
check(posonly, a=1, b=2, c=3)
check(posonly, 1, 2, c=3)
check(variadic, 1, 2)
check(variadic, 1, key=2, extra=3)
check(Account)
check(Account, "x", 1, 2)
acc = Account("z")
check(acc.deposit)
check(lambda: acc.deposit(amount=5))
check(lambda: acc.deposit(5))
check(Account.deposit)
check(Account.build)
check(acc.build, "new")
check(Account.helper, 1, 2)
check(acc.missing_call if hasattr(acc, "missing_call") else lambda q: q)
check(lambda: plain(*5))
check(lambda: plain(**5))
check(lambda: plain(**{1: 2}))
check(lambda: plain(1, **{"a": 3}))
check(lambda: defaults(1, c=3, **{"c": 4}))
check(lambda: acc.build(*None))
check(lambda: acc.build(**["k"]))
check(lambda: (lambda x, *, y: x)(1))
check(lambda: object(1))
check(lambda: int("1", 2, 3))
check(lambda: print("x", foo=1))
check(lambda: len())
check(lambda: sorted())
check(lambda: isinstance(1))
check(lambda: "a".join(1, 2))
check(lambda: {}.get())


def outer():
    def inner(p):
        return p
    return inner()


check(outer)
