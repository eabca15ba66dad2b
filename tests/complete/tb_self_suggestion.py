"""Uncaught NameError where self.name was meant."""


class Counter:
    step = 2

    def __init__(self):
        self.current = 0

    def advance(self):
        self.current += step
        return self.current


c = Counter()
print(c.current, c.step)
print(c.advance())
