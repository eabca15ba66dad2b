"""yield from with iterables, generators, and objects with send/throw/close."""


class Delegate:
    def __init__(self):
        self.log = []

    def __iter__(self):
        self.log.append("iter")
        return self

    def __next__(self):
        self.log.append("next")
        return "n%d" % len(self.log)

    def send(self, v):
        self.log.append(("send", v))
        if v == "stop":
            raise StopIteration("result")
        return v

    def throw(self, kind, value=None, tb=None):
        err = kind if value is None else value
        self.log.append(("throw", type(err).__name__ if not isinstance(err, type) else err.__name__))
        return "thrown"

    def close(self):
        self.log.append("close")


def outer(d):
    r = yield from d
    print("got", r)
    r2 = yield from "ab"
    print("got2", r2)
    return "outer done"


d = Delegate()
o = outer(d)
print(next(o), next(o), o.send("hello"), o.throw(ValueError("v")))
print(o.send("stop"), next(o))
try:
    next(o)
except StopIteration as e:
    print(e.value)
print(d.log)
d2 = Delegate()
o = outer(d2)
next(o)
o.close()
print(d2.log)


def inner():
    try:
        yield 1
    except KeyError:
        yield "handled"
    return "inner value"


def middle():
    return (yield from inner()) + "!"


def top():
    a = [(yield from middle()), (yield from middle())]
    print(a)


t = top()
print(next(t), t.throw(KeyError), next(t), list(t))
try:
    list((lambda: (yield from 5))())
except TypeError as e:
    print(e)
