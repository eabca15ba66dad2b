import asyncio
import aiofetch

async def main():
    async with aiofetch.ClientSession() as session:
        response = await session.get("http://example.org")
        async for chunk in response.content:
            handle(chunk)
    print("finished")

asyncio.run(main())
