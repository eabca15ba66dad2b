"""Properties, descriptors, cached_property, class and static methods."""
import functools


class Temperature:
    readings = 0

    def __init__(self, celsius=0.0):
        self._c = celsius

    @property
    def celsius(self):
        """Degrees."""
        Temperature.readings += 1
        return self._c

    @celsius.setter
    def celsius(self, value):
        if value < -273.15:
            raise ValueError(f"{value} is below absolute zero")
        self._c = value

    @celsius.deleter
    def celsius(self):
        print("reset")
        self._c = 0.0

    fahrenheit = property(lambda self: self.celsius * 9 / 5 + 32,
                          lambda self, f: setattr(self, "celsius", (f - 32) * 5 / 9))

    @functools.cached_property
    def report(self):
        print("computing")
        return f"{self.celsius:.1f}C = {self.fahrenheit:.1f}F"

    @classmethod
    def freezing(cls):
        return cls(0.0)

    @staticmethod
    def valid(x):
        return x >= -273.15


class NonData:
    def __get__(self, obj, owner=None):
        return ("non-data", obj is None, owner.__name__)


class Logged:
    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __get__(self, obj, owner):
        return functools.partial(self.__call__, obj)

    def __call__(self, *a, **k):
        print("log", self.fn.__name__, a[1:], k)
        return self.fn(*a, **k)


class Host:
    nd = NonData()

    @Logged
    def act(self, x, y=1):
        return x + y


t = Temperature(20)
t.celsius += 5
print(t.celsius, t.fahrenheit, t.report, t.report, Temperature.readings)
t.fahrenheit = 212
print(t.celsius, t.report, Temperature.celsius.__doc__)
del t.report
print(t.report)
del t.celsius
print(t.celsius, Temperature.freezing().celsius, t.valid(-300), Temperature.valid(0))
try:
    t.celsius = -300
except ValueError as e:
    print(e)
h = Host()
print(h.nd, Host.nd, h.act(1), h.act(1, y=5), Host.act(h, 2) if False else "skip")
h.nd = "instance wins"
print(h.nd, sorted(vars(h)))
print(type(Temperature.__dict__["celsius"]).__name__, Temperature.celsius.fget(t))
m = t.valid
print(m(1), t.freezing.__self__ is Temperature, t.__init__.__func__ is Temperature.__init__)


class SubT(Temperature):
    @property
    def celsius(self):
        return super().celsius * 100

    @celsius.setter
    def celsius(self, v):
        Temperature.celsius.fset(self, v / 100)


s = SubT(1)
s.celsius = 250
print(s._c, s.celsius, SubT.freezing().__class__.__name__)
