"""Uncaught TypeError: unsupported operands deep in an expression."""


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.cents + other.cents)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __repr__(self):
        return f"Money({self.cents})"


wallet = [Money(5), Money(7)]
print(sum(wallet), Money(1) + Money(2))
tax, tip = 3, "4"
print((sum(wallet) + Money(tax)), -(tax * 2) + len(tip) * (tax - 1) + (Money(1) + tax) * 2)
