"""Uncaught UnboundLocalError on a line with several names."""

rate = 3


def compute(amount, bonus):
    fee = amount * 2
    outcome = amount + fee * rate - bonus
    if outcome > 100:
        rate = 1
    return outcome


def safe(amount):
    return amount * rate


print(safe(4))
print(compute(10, 2))
