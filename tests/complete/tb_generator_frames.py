"""Uncaught: exception travelling through yield from and throw()."""


def source(limit):
    for n in range(limit):
        try:
            received = yield n
        except KeyError as e:
            print("source handles", e)
            received = yield "recovered"
        if received == "explode":
            raise ArithmeticError(f"at {n}")


def delegate(limit):
    result = yield from source(limit)
    print("result", result)
    yield from source(
        limit
    )


def pipeline(limit):
    yield from (x for x in delegate(limit))


g = delegate(3)
print(next(g), g.send(None))
print(g.throw(KeyError("thrown")))
print(next(g))
print([v for v in pipeline(2)])
print(g.send("explode"))
