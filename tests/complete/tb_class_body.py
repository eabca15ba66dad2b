"""Uncaught: an error in a class body nested in another class body."""


class Registry:
    entries = {"x": 1}
    double = entries["x"] * 2

    class Nested:
        names = ["a", "b"]
        pairs = dict(zip(names, range(2)))
        print("in nested", pairs, __qualname__)

        def method(self): return self.pairs["a"]

        joined = names[0] + names[1] + names[2] + names[0]

    after = 1


print("not reached")
