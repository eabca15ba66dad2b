"""asyncio: run, gather, tasks, cancellation, timeouts, queues."""
import asyncio

log = []


async def step(name, n, fail=False):
    for i in range(n):
        log.append(f"{name}{i}")
        await asyncio.sleep(0)
    if fail:
        raise ValueError(name)
    return name * n


async def consumer(q, out):
    while (item := await q.get()) is not None:
        out.append(item * 2)
        q.task_done()


async def main():
    print(await asyncio.gather(step("a", 2), step("b", 3), step("c", 1)))
    print(log)
    results = await asyncio.gather(step("x", 1), step("y", 1, fail=True), return_exceptions=True)
    print([repr(r) for r in results])
    t = asyncio.create_task(step("t", 50), name="long")
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("cancelled", t.cancelled(), t.get_name())
    try:
        await asyncio.wait_for(asyncio.Event().wait(), timeout=0.01)
    except asyncio.TimeoutError as e:
        print("timeout", type(e).__name__)
    q, out = asyncio.Queue(), []
    task = asyncio.ensure_future(consumer(q, out))
    for v in (1, 2, 3, None):
        await q.put(v)
    await task
    print(out)
    fut = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(fut.set_result, "future value")
    print(await fut)
    lock = asyncio.Lock()

    async def locked(n):
        async with lock:
            await asyncio.sleep(0)
            return n, lock.locked()
    print(await asyncio.gather(*(locked(n) for n in range(3))))
    done, pending = await asyncio.wait([asyncio.ensure_future(step("w", 1))])
    print([d.result() for d in done], pending)
    return "main result"


print(asyncio.run(main()))


async def fails():
    await step("z", 1)
    raise KeyError("from main")


try:
    asyncio.run(fails())
except KeyError as e:
    print("caught", e)
