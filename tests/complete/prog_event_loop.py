"""A cooperative scheduler with generators: tasks, sleeping, channels, futures."""
import heapq
import itertools
from collections import deque


class Future:
    def __init__(self): self.done, self.result, self.error, self.waiters = False, None, None, []
    def set(self, result=None, error=None):
        self.done, self.result, self.error = True, result, error
        for w in self.waiters: w.loop.ready.append((w, None))
    def __iter__(self):
        while not self.done: yield ("wait", self)
        if self.error: raise self.error
        return self.result


class Task(Future):
    ids = itertools.count(1)
    def __init__(self, loop, gen, name=None):
        super().__init__()
        self.loop, self.gen, self.name = loop, gen, name or f"task-{next(self.ids)}"

    def step(self, value):
        try:
            command = self.gen.throw(value) if isinstance(value, BaseException) else self.gen.send(value)
        except StopIteration as e:
            self.loop.log(self, f"finished with {e.value!r}"); self.set(e.value)
        except Exception as e:
            self.loop.log(self, f"failed with {e!r}"); self.set(error=e)
        else:
            self.loop.handle(self, *(command if isinstance(command, tuple) else (command,)))


class Loop:
    def __init__(self): self.now, self.ready, self.sleeping, self.seq, self.lines = 0, deque(), [], itertools.count(), []
    def log(self, task, text): self.lines.append(f"[{self.now:>3}] {task.name}: {text}")

    def spawn(self, gen, name=None):
        self.ready.append((t := Task(self, gen, name), None))
        return t

    def handle(self, task, command, *args):
        if command == "sleep": heapq.heappush(self.sleeping, (self.now + args[0], next(self.seq), task))
        elif command == "wait": args[0].waiters.append(task)
        elif command == "spawn": self.ready.append((task, self.spawn(*args)))
        elif command is None: self.ready.append((task, None))
        else: self.ready.append((task, ValueError(f"unknown command {command!r}")))

    def run(self, main):
        task = self.spawn(main, "main")
        while self.ready or self.sleeping:
            while self.ready:
                t, value = self.ready.popleft()
                if not t.done: t.step(value)
            if self.sleeping:
                self.now, _, t = heapq.heappop(self.sleeping)
                self.ready.append((t, None))
        return (yield_result := task.result) if not task.error else task.error


class Channel:
    def __init__(self): self.items, self.getters = deque(), deque()
    def put(self, item):
        if self.getters: self.getters.popleft().set(item)
        else: self.items.append(item)
        yield
    def get(self):
        if self.items: return self.items.popleft()
        self.getters.append(f := Future())
        return (yield from f)


def sleep(n): yield "sleep", n


def producer(ch, name, n, delay):
    for i in range(n):
        yield from sleep(delay)
        yield from ch.put(f"{name}{i}")
    return f"{name} produced {n}"


def consumer(ch, out, n):
    while len(out) < n:
        item = yield from ch.get()
        out.append(item)
        if item == "b1": yield "dance"
    return out


def failing(n):
    try:
        yield from sleep(n)
        raise LookupError(f"after {n}")
    finally:
        print("failing cleaned up")


def careful(loop):
    try: yield "jump"
    except ValueError as e: print("careful:", e)
    try: return (yield from (yield ("spawn", failing(4), "sub")))
    except LookupError as e: return f"recovered from {e}"


def main(loop):
    ch, out = Channel(), []
    tasks = [loop.spawn(producer(ch, "a", 3, 2), "prod-a"), loop.spawn(producer(ch, "b", 2, 3), "prod-b")]
    cons = loop.spawn(consumer(ch, out, 5), "cons")
    c = loop.spawn(careful(loop))
    results = []
    for t in (*tasks, c): results.append((yield from t))
    try: yield from cons
    except ValueError as e: results.append(f"consumer died: {e}")
    print(results, out)
    return len(results)


loop = Loop()
print("main returned", loop.run(main(loop)))
print(*loop.lines, sep="\n")
error = Loop().run(failing(1))
print(repr(error), error.__traceback__.tb_next.tb_lineno)
raise error
