"""concurrent.futures: map, submit, exceptions, callbacks, as_completed."""
import concurrent.futures as cf
import functools


def slow_square(n):
    if n < 0:
        raise ValueError(f"negative: {n}")
    return n * n


with cf.ThreadPoolExecutor(max_workers=2) as pool:
    print(list(pool.map(slow_square, range(6))))
    futures = {pool.submit(slow_square, n): n for n in (3, -1, 5)}
    done = {}
    for f in cf.as_completed(futures):
        try:
            done[futures[f]] = f.result()
        except ValueError as e:
            done[futures[f]] = f"error {e}"
    print(sorted(done.items()))
    f = pool.submit(functools.partial(pow, 2), 10)
    calls = []
    f.add_done_callback(lambda fut: calls.append(fut.result()))
    print(f.result(), f.exception(), f.done())
    bad = pool.submit(slow_square, "x")
    print(type(bad.exception()).__name__, bad.exception())
print(calls)
try:
    pool.submit(slow_square, 1)
except RuntimeError as e:
    print(e)
fut = cf.Future()
fut.set_exception(KeyError("manual"))
try:
    fut.result()
except KeyError as e:
    print(repr(e), e.__traceback__.tb_lineno)
print([r for r in map(lambda p: p * 2, cf.ThreadPoolExecutor(1).map(abs, [-1, 2]))])
