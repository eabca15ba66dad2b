"""sched with a fake clock; order of equal times by priority."""
import sched

now = [0]
log = []


def clock():
    return now[0]


def sleep(seconds):
    log.append(("sleep", seconds))
    now[0] += seconds


s = sched.scheduler(clock, sleep)


def task(name, repeat=0, **kw):
    log.append((now[0], name, kw))
    if repeat:
        s.enter(5, 1, task, (name, repeat - 1))


s.enter(10, 2, task, ("late-low",))
s.enter(10, 1, task, ("late-high",), {"k": 1})
s.enter(1, 1, task, ("early", 2))
cancelled = s.enterabs(3, 1, task, argument=("cancelled",))
s.cancel(cancelled)
s.enterabs(0, 5, lambda: log.append("lambda"))
print([e.time for e in s.queue])
s.run()
for entry in log:
    print(entry)


def failing():
    raise OSError("task failed")


s.enter(1, 1, failing)
s.enter(2, 1, task, ("after failure",))
try:
    s.run()
except OSError as e:
    print("failed:", e, len(s.queue))
s.run()
print(log[-1], s.empty())
