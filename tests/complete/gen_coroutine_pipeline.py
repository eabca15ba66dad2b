"""Generator pipelines with filters, broadcasting and a trampoline."""


def coroutine(fn):
    def start(*a, **k):
        c = fn(*a, **k)
        next(c)
        return c
    return start


@coroutine
def grep(pattern, target):
    try:
        while True:
            line = yield
            if pattern in line:
                target.send(line)
    except GeneratorExit:
        target.close()


@coroutine
def upper(*targets):
    while True:
        item = (yield)
        for t in targets:
            t.send(item.upper())


@coroutine
def sink(name, store):
    try:
        while True:
            store.append((name, (yield)))
    finally:
        store.append((name, "closed"))


store = []
s1, s2 = sink("s1", store), sink("s2", store)
p = grep("py", upper(s1, s2))
for line in ("python", "ruby", "pypy"):
    p.send(line)
p.close()
s2.close()
for row in store:
    print(row)


def trampoline(g):
    stack, value = [g], None
    while stack:
        try:
            item = stack[-1].send(value)
        except StopIteration as e:
            stack.pop()
            value = e.value
        else:
            if hasattr(item, "send"):
                stack.append(item)
                value = None
            else:
                value = item
    return value


def fact(n):
    if n <= 1:
        return 1
    rest = yield fact(n - 1)
    return n * rest


print(trampoline(fact(30)))


def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)


print(*tree(4), sep="")
x = yield_count = 0
for x in (lambda: [(yield 1), (yield 2)])():
    yield_count += x
print(yield_count)
