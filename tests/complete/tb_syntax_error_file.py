"""Uncaught: this file does not compile."""
import sys

print("this is never printed", file=sys.stderr)


def broken(values):
    total = 0
    for v in values
        total += v
    return total


print(broken([1, 2]))
