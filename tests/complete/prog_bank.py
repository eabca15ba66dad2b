"""Bank account simulation with decorators, descriptors, a ledger and errors."""
import contextlib
import functools
from decimal import Decimal, InvalidOperation


class BankError(Exception):
    code = 10


class InsufficientFunds(BankError):
    code = 20

    def __init__(self, account, need):
        super().__init__(account, need)
        self.account, self.need = account, need

    def __str__(self): return f"{self.account.owner} needs {self.need - self.account.balance} more"


class Amount:
    def __set_name__(self, owner, name): self.key = "_" + name
    def __get__(self, obj, owner): return self if obj is None else getattr(obj, self.key, Decimal(0))

    def __set__(self, obj, value):
        try:
            value = Decimal(value)
        except (InvalidOperation, TypeError, ValueError) as e:
            raise BankError(f"bad amount {value!r}") from e
        if value < 0 and not obj.overdraft: raise InsufficientFunds(obj, obj.balance - value)
        setattr(obj, self.key, value)


def audited(fn):
    @functools.wraps(fn)
    def wrapper(self, *args, **kw):
        entry = [fn.__name__, *map(str, args)]
        try:
            result = fn(self, *args, **kw)
        except BankError as e:
            entry.append(f"FAILED {type(e).__name__}")
            raise
        else:
            entry.append("ok")
            return result
        finally:
            self.ledger.append(" ".join(entry))
    return wrapper


class Account:
    balance = Amount()
    overdraft = False
    __next_id = 100

    def __init__(self, owner, balance="0"):
        self.owner, self.ledger = owner, []
        self.balance = balance
        self.id = Account.__next_id
        Account.__next_id += 1

    @audited
    def deposit(self, amount): self.balance += Decimal(amount); return self.balance

    @audited
    def withdraw(self, amount): self.balance -= Decimal(amount); return self

    def __repr__(self): return f"<{type(self).__name__} {self.id} {self.owner}: {self.balance:,.2f}>"
    def __lt__(self, o): return (self.balance, self.owner) < (o.balance, o.owner)


class Credit(Account):
    overdraft = True
    limit = Decimal("-500")

    @audited
    def withdraw(self, amount):
        if self.balance - Decimal(amount) < self.limit: raise InsufficientFunds(self, Decimal(amount) + self.limit)
        return super().withdraw.__wrapped__(self, amount)


@contextlib.contextmanager
def transaction(*accounts):
    saved = [(a, a.balance) for a in accounts]
    try:
        yield accounts
    except BankError:
        for a, b in saved: a._balance = b
        print("rolled back", *accounts)
        raise


def transfer(src, dst, amount):
    with transaction(src, dst) as (a, b):
        b.deposit(amount)
        a.withdraw(amount)


ann, bob, cy = Account("ann", "100.10"), Account("bob"), Credit("cy", 50)
transfer(ann, bob, "30.05"); transfer(cy, ann, 400)
print(ann, bob, cy, sorted([ann, bob, cy])[0].owner, max([ann, bob, cy]).owner)
for action in (lambda: transfer(bob, ann, 99), lambda: cy.withdraw(200), lambda: ann.deposit("x"), lambda: setattr(bob, "balance", "lots"), lambda: bob.withdraw("30.05").withdraw(1)):
    try: print(action())
    except BankError as e: print(e.code, type(e).__name__, e, "| cause:", type(e.__cause__).__name__)
    except InvalidOperation as e: print("decimal", type(e).__name__)
for a in (ann, bob, cy): print(a.owner, a.ledger)
print(Account.balance.key, vars(bob)["_balance"], Account._Account__next_id, Credit.withdraw.__name__)
try:
    transfer(bob, cy, 5)
except InsufficientFunds as e:
    raise SystemExit(e.code) from e
