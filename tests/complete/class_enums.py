"""Enum, IntEnum, Flag, auto, aliases, methods, members in a class body."""
import enum


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = RED + GREEN
    CRIMSON = RED

    @property
    def pretty(self):
        return self.name.title()

    @classmethod
    def default(cls):
        return cls.BLUE

    def __str__(self):
        return f"<{self.pretty}>"


class Level(enum.IntEnum):
    LOW = enum.auto()
    MID = enum.auto()
    HIGH = 10


class Perm(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    X = enum.auto()
    RW = R | W


class Planet(enum.Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    @property
    def density(self):
        return round(self.mass / self.radius ** 3, 4)


class Auto(str, enum.Enum):
    def _generate_next_value_(name, start, count, last):
        return name.lower() + str(count)
    FIRST = enum.auto()
    SECOND = enum.auto()


print([str(c) for c in Color], Color(3), Color["GREEN"].value, Color.CRIMSON is Color.RED)
print(repr(Color.RED), Color.default(), Color.RED.pretty, Color.__members__.keys())
print(Level.LOW < Level.HIGH, Level.MID + 1, sorted(Level, reverse=True)[0].name, Level(10).name)
print((Perm.R | Perm.X) & Perm.RW == Perm.R, Perm.R in Perm.RW, bool(Perm(0)), (~Perm.R & Perm.RW).name)
print([p.density for p in Planet], Planet((0.64, 3.39)).name)
print(Auto.FIRST.value, Auto("second1").name, Auto.FIRST == "first0")
for bad in (lambda: Color(9), lambda: Color["PINK"], lambda: Color.NOPE, lambda: setattr(Color, "RED", 2)):
    try:
        bad()
    except (ValueError, KeyError, AttributeError) as e:
        print(type(e).__name__, e)
try:
    class More(Color):
        PINK = 4
except TypeError as e:
    print(str(e).replace("'", "")[:20])
try:
    @enum.unique
    class U(enum.Enum):
        A = 1
        B = 1
except ValueError as e:
    print(e)
Animal = enum.Enum("Animal", "CAT DOG")
print(list(Animal), Animal.CAT.value, {Color.RED: "r"}[Color(1)])


class Weekday(enum.Enum):
    MON, TUE, WED = range(3)
    _ignore_ = ["tmp"]
    tmp = 5

    def next(self):
        members = list(type(self))
        return members[(members.index(self) + 1) % len(members)]


print(Weekday.WED.next(), len(Weekday), "tmp" in vars(Weekday))
