"""sys.settrace counting line, call and return events of chosen functions."""
import sys

events = []


def tracer(frame, event, arg):
    if frame.f_code.co_name not in WATCHED:
        return None
    if event == "return":
        events.append((event, frame.f_lineno - frame.f_code.co_firstlineno, arg))
    elif event == "exception":
        events.append((event, frame.f_lineno - frame.f_code.co_firstlineno, arg[0].__name__))
    else:
        events.append((event, frame.f_lineno - frame.f_code.co_firstlineno))
    return tracer


def simple(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += i
        else:
            total -= 1
    return total


def handles(x):
    try:
        y = 10 // x
    except ZeroDivisionError:
        y = None
    finally:
        x = 0
    return (y,
            x)


def generates():
    a = 1; b = 2
    yield a
    yield (
        b
    )


def oneline(): return [k for k in "ab"]


def calls(x): return helper(x) + helper(
    x + 1)


def helper(v):
    w = v
    return w


WATCHED = {"simple", "handles", "generates", "oneline", "calls", "helper"}
for fn, args in ((simple, (3,)), (handles, (2,)), (handles, (0,)), (oneline, ()), (calls, (5,))):
    events.clear()
    sys.settrace(tracer)
    try:
        result = fn(*args)
    finally:
        sys.settrace(None)
    print(fn.__name__, result)
    for e in events:
        print("   ", *e)
events.clear()
sys.settrace(tracer)
values = list(generates())
sys.settrace(None)
print(values, events)
profile = []


def profiler(frame, event, arg):
    name = frame.f_code.co_name if not event.startswith("c_") else arg.__name__
    if name in ("calls", "helper", "len", "sorted", "append", "upper"):
        profile.append((event, name))


def profiled(s):
    out = []
    out.append(len(s)); sorted(s)
    return calls(len(s.upper()))


sys.setprofile(profiler)
profiled("abc")
sys.setprofile(None)
print(profile)
