"""Uncaught: an error behind a property, a descriptor and __getattr__."""


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive, not {value}")
        setattr(obj, self.name, value)


class Rect:
    width = Positive()
    height = Positive()

    def __init__(self, width, height):
        self.width, self.height = width, height

    @property
    def area(self):
        return self.width * self.height

    @property
    def ratio(self):
        return self.width / (self.height - self.offset)

    def __getattr__(self, name):
        if name == "offset":
            return 4
        raise AttributeError(f"Rect has no {name}")


r = Rect(3, 5)
print(r.area, r.ratio, r.offset)
try:
    r.nothing
except AttributeError as e:
    print(e)
r.width += 1
r.height -= 1
print(r.area * 2, r.ratio + r.area)
