import asyncio

loop_result = asyncio.run(start_server("localhost", 8080))
print("stopped")
