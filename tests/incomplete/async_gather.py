import asyncio

async def load(url):
    page = await fetch(url)
    return url

async def main():
    names = await asyncio.gather(load("a"), load("b"))
    print(names)

asyncio.run(main())
