"""async for (with else/break), async with, async generators and comprehensions."""
import asyncio
import contextlib


class Ticker:
    def __init__(self, n):
        self.i, self.n = 0, n

    def __aiter__(self):
        print("aiter", self.n)
        return self

    async def __anext__(self):
        if self.i >= self.n:
            raise StopAsyncIteration
        self.i += 1
        await asyncio.sleep(0)
        return self.i


class Conn:
    def __init__(self, name, suppress=False):
        self.name, self.suppress = name, suppress

    async def __aenter__(self):
        print("connect", self.name)
        return self.name.upper()

    async def __aexit__(self, kind, value, tb):
        print("disconnect", self.name, kind.__name__ if kind else None)
        return self.suppress


async def agen(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print("agen got", got)
    finally:
        print("agen closed")


@contextlib.asynccontextmanager
async def scope(name):
    print("enter", name)
    try:
        yield name * 2
    finally:
        print("leave", name)


async def main():
    async for i in Ticker(2):
        print("tick", i)
    else:
        print("else ran")
    async for i in Ticker(5):
        if i == 2:
            continue
        if i == 3:
            break
        print("tock", i)
    else:
        print("not printed")
    print([x async for x in agen(3)], {x: -x async for x in Ticker(2) if x > 1})
    print([y async for x in Ticker(2) async for y in agen(x)], {z for z in [q async for q in agen(2) if not q]})
    g = (x * 2 async for x in agen(3))
    print(await g.__anext__(), await g.__anext__())
    await g.aclose()
    a = agen(5)
    print(await a.asend(None), await a.asend("hi"))
    try:
        await a.athrow(KeyError("t"))
    except KeyError as e:
        print("athrow", e)
    async with Conn("a") as x, Conn("b", suppress=True) as y:
        print(x, y)
        raise OSError("lost")
    async with scope("s") as s, contextlib.AsyncExitStack() as stack:
        print(s, await stack.enter_async_context(Conn("stacked")))
    try:
        async with scope("t"):
            raise ValueError("in scope")
    except ValueError as e:
        print(e)
    for loop in range(2):
        async with Conn(str(loop)):
            if loop == 0:
                continue
            return "returned from async with"


print(asyncio.run(main()))
