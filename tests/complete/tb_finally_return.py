"""Uncaught: finally blocks that swallow, and one that does not."""


def swallow(n):
    try:
        return 10 // n
    finally:
        if n == 0:
            return "swallowed"


def loop(n):
    for i in range(n):
        try:
            if i == 2:
                raise ValueError(i)
            continue
        except KeyError:
            print("wrong")
        finally:
            print("finally", i)
    return "done"


print(swallow(5), swallow(0))
print(loop(2))
try:
    print(loop(4))
finally:
    print("module finally")
