"""Uncaught: an exception from nested coroutines through asyncio.run."""
import asyncio


class Session:
    async def __aenter__(self):
        print("open")
        return self

    async def __aexit__(self, *exc):
        print("close", exc[0] and exc[0].__name__)

    async def fetch(self, key):
        await asyncio.sleep(0)
        return {"a": 1}[key]


async def worker(keys):
    async with Session() as session:
        return [await session.fetch(k) for k in keys]


async def main():
    print(await worker(["a", "a"]))
    print(sum(await worker(["a"])) + (await worker(["a", "b"]))[0] + 1)


coroutine = main()
try:
    coroutine.send(None)
except StopIteration:
    print("never")
finally:
    while True:
        coroutine.send(None)
