"""Misuse of coroutines: never awaited, wrong protocol, nested run."""
import asyncio
import sys
import warnings


async def coro(n=1):
    return n


async def main():
    for make in (lambda: 5, lambda: [coro], lambda: None):
        try:
            await make()
        except TypeError as e:
            print(e)
    try:
        async for _ in [1, 2]:
            pass
    except TypeError as e:
        print(e)
    try:
        async with open("/dev/null") as f:
            pass
    except (TypeError, AttributeError) as e:
        print(e)
    try:
        for _ in coro():
            pass
    except TypeError as e:
        print(e)
    c = coro()
    try:
        asyncio.run(c)
    except RuntimeError as e:
        print(e)
    finally:
        c.close()
    c = coro(3)
    print(await c)
    try:
        await c
    except RuntimeError as e:
        print(e)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    asyncio.run(main())
    coro()
    print([str(w.message) for w in caught])
coro()
print("dropped", file=sys.stderr)
try:
    asyncio.run(coro)
except ValueError as e:
    print(str(e).split(",")[0])
except TypeError as e:
    print("TypeError")
print(asyncio.iscoroutinefunction(coro) if sys.version_info < (3, 14) else True, coro.__code__.co_flags & 0x80)
asyncio.run(main.__get__(None, type(None))() if False else coro(2))
