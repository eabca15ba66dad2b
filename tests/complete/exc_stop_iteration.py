"""StopIteration with values, PEP 479, StopAsyncIteration."""
import asyncio


def gen(n):
    for i in range(n):
        yield i
    return "finished %d" % n


g = gen(2)
print(next(g), next(g))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value, e.args)
try:
    next(g)
except StopIteration as e:
    print("again", e.value, e.args)
print(next(g, "default"))


def leaky():
    yield 1
    raise StopIteration("inner")


try:
    for x in leaky():
        print("got", x)
except RuntimeError as e:
    print(e, "| cause:", repr(e.__cause__))


def leaky_next():
    it = iter([])
    yield next(it)


try:
    list(leaky_next())
except RuntimeError as e:
    print(e, "| cause:", repr(e.__cause__), repr(e.__context__))


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


print(list(Countdown(3)), [*Countdown(2)], sum(Countdown(5)))


class ACount:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.n:
            raise StopAsyncIteration("end", self.n)
        self.n -= 1
        return self.n


async def main():
    async for v in ACount(2):
        print("async", v)
    try:
        await ACount(0).__anext__()
    except StopAsyncIteration as e:
        print("stop async", e.args)

    async def bad():
        yield 1
        raise StopAsyncIteration
    try:
        async for _ in bad():
            pass
    except RuntimeError as e:
        print(e)

    async def bad2():
        raise StopIteration(3)
    try:
        await bad2()
    except RuntimeError as e:
        print(e)


asyncio.run(main())
