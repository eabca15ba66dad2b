import asyncio

async def collect():
    rows = [row async for row in cursor]
    if await cursor.closed():
        print("closed")
    else:
        print("open")
    return len(rows) > 0

print(asyncio.run(collect()))
