"""Uncaught: an exception thrown into a suspended generator."""


def account(balance):
    while True:
        try:
            amount = yield balance
            balance += amount
        except TypeError:
            print("ignored bad amount")


def bank(*accounts):
    current = [next(a) for a in accounts]
    while True:
        which, amount = yield list(current)
        current[which] = accounts[which].send(amount)


b = bank(account(10), account(20))
print(next(b))
print(b.send((0, 5)))
print(b.send((1, -5)))
print(b.send((1, "x")))
b.throw(PermissionError("frozen"))
