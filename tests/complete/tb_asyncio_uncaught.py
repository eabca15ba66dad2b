"""Uncaught: asyncio.run re-raises through gather; traceback includes asyncio frames."""
import asyncio


async def fetch(n):
    await asyncio.sleep(0)
    if n == 2:
        raise ConnectionError(f"fetch {n} failed")
    return n


async def main():
    try:
        results = await asyncio.gather(
            *(fetch(n) for n in range(4)))
        print("never", results)
    finally:
        print("main finally")


if __name__ == "__main__":
    asyncio.run(main())
