"""atexit handlers run last-in first-out, after main and before module teardown."""
import atexit
import sys

state = {"count": 0}


def bump(label, *args, **kw):
    state["count"] += 1
    print(label, state["count"], args, sorted(kw.items()))


@atexit.register
def decorated():
    print("decorated", state)


atexit.register(bump, "first", 1, two=2)
atexit.register(bump, "second")
atexit.register(lambda: print("lambda", state["count"]))
atexit.register(bump, "removed")
atexit.unregister(bump)
atexit.register(bump, "kept", *range(3), **{"k": "v"})


def nested():
    atexit.register(print, "registered during exit")
    print("nested", file=sys.stderr)


atexit.register(nested)
print("main done")
