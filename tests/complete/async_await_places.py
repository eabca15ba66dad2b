"""await in odd places: arguments, subscripts, conditions, comprehensions, f-strings."""
import asyncio


async def val(x):
    await asyncio.sleep(0)
    return x


class Awaitable:
    def __init__(self, v):
        self.v = v

    def __await__(self):
        print("await", self.v)
        yield from asyncio.sleep(0).__await__()
        return self.v


async def main():
    d = {"k": [1, 2, 3]}
    print(await val(1) + await val(2) * -await val(3), (await val("s")).upper())
    print(d[await val("k")][await val(0):await val(2)], (await val(d))["k"][-1])
    print([await val(i) for i in range(3) if await val(i % 2 == 0)])
    print({await val(k): await val(v) for k, v in zip("ab", (1, 2))}, {await val(5)})
    print(f"{await val(3):>{await val(5)}} {(await val('x'))!r}")
    print(await val(1) if await val(False) else await val("other"))
    print(await val(0) or await val("or"), await val(1) and await val("and"), not await val(0))
    print(await val(1) < await val(2) < await val(3), await val(1) in [await val(1)])
    if await val(True):
        print("if")
    while (n := await val(0)):
        print("never", n)
    assert await val(True), await val("message")
    x = y = await Awaitable("target")
    d["k"][await val(1)] += await val(40)
    print(x, y, d)
    print(*[await val("star")], **{await val("sep"): await val("-")})
    with_default = lambda a=await val("default"): a
    print(with_default())
    try:
        raise await val(ValueError("raised"))
    except (await val(ValueError)) as e:
        print("caught", e)
    a, b = await val((1, 2)); print(a, b); return await (await val(val))("double")


async def nested():
    async def inner(n):
        return n if n == 0 else 1 + await inner(n - 1)
    return await inner(20), await asyncio.gather(*[Awaitable(i) for i in range(2)][0:1] and [val(7)])


def decorate(x):
    def wrap(f):
        f.tag = x
        return f
    return wrap


async def definitions():
    @decorate(await val("tagged"))
    async def f(z: int = await val(9)):
        return z

    class Local(await val(dict)):
        attr = "class in coroutine"
    return f.tag, await f(), Local.__mro__[1].__name__


print(asyncio.run(main()))
print(asyncio.run(nested()))
print(asyncio.run(definitions()))
c = val(3)
try:
    c.send(None)
    c.send(None)
except StopIteration as e:
    print("value", e.value)
try:
    c.send(None)
except RuntimeError as e:
    print(e)
