client = make_client("token")
user = await client.fetch_user(42)
async with client.stream() as events:
    async for event in events:
        last = event
print("bye")
