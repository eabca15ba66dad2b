"""Uncaught: reraised objects, shared tracebacks and a cause that is its context."""


def stage(n):
    if n == 0:
        raise LookupError("stage zero")
    try:
        stage(n - 1)
    except LookupError as e:
        if n % 2:
            raise
        raise IndexError(f"stage {n}") from e


saved = None
try:
    stage(2)
except LookupError as e:
    saved = e
    print(type(e).__name__, e, "<-", e.__cause__)
try:
    raise KeyError("outer problem")
except KeyError as k:
    k.__cause__ = saved
    saved.__cause__.__context__ = k
    raise
