"""__del__ at rebinding, at del, at scope exit and at interpreter exit."""
import sys


class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)

    def child(self):
        return Noisy(self.name + "'")


a = Noisy("a")
print("rebind")
a = Noisy("a2")
print("temporary")
Noisy("temp")
Noisy("chain").child()
print("name of", Noisy("attr").name)
print("del statement")
del a


def local():
    x = Noisy("local")
    y = x
    print("in function")
    return y.name


print(local())
items = [Noisy("i0"), Noisy("i1"), Noisy("i2")]
items[1] = None
print("after item")
items.pop(0)
print("after pop")
items = items[:0]
print("after slice")
for n in (Noisy("loop%d" % i) for i in range(2)):
    print("body", n.name)
print("loop over")
n = 0
try:
    raise ValueError(Noisy("in exception"))
except ValueError as e:
    print("handling", type(e.args[0]).__name__)
print("handled")
_ = [Noisy("comp") for _ in range(1)] and None
print("passing", (lambda o: o.name)(Noisy("arg")))
with_default = (lambda o=Noisy("default"): o)().name
print(with_default)
keeper = Noisy("at exit")
sys.stdout.flush()
