"""Daemon threads left blocked at exit, contextvars, locks as context managers."""
import atexit
import contextvars
import queue
import threading

var = contextvars.ContextVar("var", default="default")
log = queue.Queue()


def in_context(n):
    token = var.set(f"ctx{n}")
    inner = var.get()
    var.reset(token)
    return inner, var.get()


ctx = contextvars.copy_context()
print(ctx.run(in_context, 1), var.get(), [k.name for k in ctx])
var.set("main")
result = []
t = threading.Thread(target=lambda: result.append(var.get()))
t.start(); t.join()
print(result, contextvars.copy_context().run(var.get), ctx.run(lambda: var.get()))

never = threading.Event()


def blocked():
    try:
        log.put("blocked thread started")
        never.wait()
    finally:
        print("never printed")


d = threading.Thread(target=blocked, daemon=True)
d.start()
print(log.get(), d.is_alive(), d.daemon)
lock, rlock, cond, sem = threading.Lock(), threading.RLock(), threading.Condition(), threading.Semaphore(2)
with lock, rlock, rlock:
    print(lock.locked(), lock.acquire(blocking=False))
items = []


def produce():
    for i in range(3):
        with cond:
            items.append(i)
            cond.notify()


def consume(out):
    while len(out) < 3:
        with cond:
            while not items: cond.wait()
            out.append(items.pop(0))


out = []
ts = [threading.Thread(target=consume, args=(out,)), threading.Thread(target=produce)]
for t in ts: t.start()
for t in ts: t.join()
print(out)
try: lock.release()
except RuntimeError as e: print(e)
try: t.start()
except RuntimeError as e: print(e)
class Local(threading.local):
    def __init__(self, v=0): self.v = v
    def bump(self): self.v += 1; return self.v
loc = Local(10); loc.bump(); seen = []
th = threading.Thread(target=lambda: seen.append(loc.bump())); th.start(); th.join(); print(loc.v, seen)
timer = threading.Timer(0, lambda *a, **k: seen.append((a, k)), [1], {"k": 2}); timer.start(); timer.join(); print(seen[-1])
atexit.register(lambda: print("atexit with daemon alive:", d.is_alive()))
n = 0
def inc():
    global n
    for _ in range(200):
        with lock: n += 1
ts = [threading.Thread(target=inc) for _ in range(4)]; [t.start() for t in ts]; [t.join() for t in ts]; print(n, threading.current_thread() is threading.main_thread())
