import asyncio

async def tick(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)

async def main():
    return [i async for i in tick(3)]

if __name__ == "__main__":
    print(asyncio.run(main()))
