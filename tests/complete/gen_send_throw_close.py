"""Generators: send, throw, close, return value, state."""
import inspect


def averager():
    total = count = 0
    average = None
    while True:
        try:
            value = yield average
        except ZeroDivisionError as e:
            print("told:", e)
            continue
        if value is None:
            break
        total += value
        count += 1
        average = total / count
    return count, average


def grouper(results, key):
    while True:
        results[key] = yield from averager()
        yield "next " + key


print(inspect.isgeneratorfunction(averager))
a = averager()
print(inspect.getgeneratorstate(a), next(a), a.send(10), a.send(20))
print(a.throw(ZeroDivisionError("pretend")), inspect.getgeneratorstate(a))
try:
    a.send(None)
except StopIteration as e:
    print("returned", e.value)
print(inspect.getgeneratorstate(a), a.gi_frame, a.gi_running)
res = {}
g = grouper(res, "k")
next(g)
for v in (1, 2, 3):
    print(g.send(v), end=" ")
print(g.send(None), res)
try:
    averager().send(5)
except TypeError as e:
    print(e)


def closer():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print("exit requested")
        raise
    finally:
        print("finally")


c = closer()
next(c)
print(c.close(), list(c))
c = closer()
next(c)
del c
print("after del")
try:
    closer().throw(ValueError("at start"))
except ValueError as e:
    print("start", e)
for x in closer():
    break
print("loop left")
echo = (lambda: (yield (yield "a")))()
print(next(echo), echo.send("b"), next(echo, "end"))


def args_gen(*a, **k):
    yield from a
    yield from sorted(k.items())
    return (yield)


print([*args_gen(1, 2, z=3)])
print(averager.__name__, a.gi_code.co_name, a.__qualname__, g.gi_yieldfrom is None)
