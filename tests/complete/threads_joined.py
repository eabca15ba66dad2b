"""Threads, locks, thread-local data, results collected in order."""
import queue
import threading

local = threading.local()
lock = threading.Lock()
results = {}


def work(n, *, scale=1):
    local.value = n * scale
    with lock:
        results[threading.current_thread().name] = local.value
    return local.value


threads = [threading.Thread(target=work, args=(i,), kwargs={"scale": 10}, name=f"w{i}")
           for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results.items()), hasattr(local, "value"))


class Squarer(threading.Thread):
    def __init__(self, jobs, out):
        super().__init__(daemon=True)
        self.jobs, self.out = jobs, out

    def run(self):
        while (job := self.jobs.get()) is not None:
            self.out.put((job, job ** 2))
            self.jobs.task_done()
        self.jobs.task_done()


jobs, out = queue.Queue(), queue.Queue()
for n in range(5):
    jobs.put(n)
s = Squarer(jobs, out)
s.start()
jobs.join()
jobs.put(None)
s.join()
print([out.get() for _ in range(5)], out.empty(), s.is_alive(), s.daemon)

event = threading.Event()
order = []


def waiter():
    order.append("waiting")
    event.wait()
    order.append("released")


w = threading.Thread(target=waiter)
w.start()
while not order:
    pass
order.append("set")
event.set()
w.join()
print(order)
barrier = threading.Barrier(2, action=lambda: order.append("barrier"))
b = threading.Thread(target=barrier.wait)
b.start()
barrier.wait()
b.join()
print(order[-1], threading.active_count())
