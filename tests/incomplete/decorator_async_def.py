import asyncio

@bot.command(name="ping")
async def ping(n):
    await asyncio.sleep(0)
    return n + 1

async def main():
    value = await ping(1)
    print("pong", value)

asyncio.run(main())
