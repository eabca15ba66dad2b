"""Uncaught: super().__init__ mismatch three levels down."""


class Base:
    def __init__(self, name, *, size):
        self.name = name
        self.size = size


class Middle(Base):
    def __init__(self, name, **kw):
        super().__init__(name, **kw)
        self.kw = sorted(kw)


class Leaf(Middle):
    def __init__(self, *args, **kw):
        super(Leaf, self).__init__(*args, **{"size": 1, **kw})


print(Leaf("x").size, Leaf("y", size=4).kw)
print(Leaf("z").name + Leaf("w", colour="red").name)
