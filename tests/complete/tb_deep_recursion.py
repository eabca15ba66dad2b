"""Uncaught: traceback collapses repeated frames."""
import sys

sys.setrecursionlimit(120)


def descend(n):
    if n % 7 == 0:
        return descend(n + 1)
    return descend(n + 1) if n else 0


def start(n):
    print("starting", n)
    return descend(n)


def bounded(n):
    if n == 0:
        raise ValueError("bottom")
    return bounded(n - 1) + 1


def only_self(n):
    return only_self(n + 1)


try:
    start(1)
except RecursionError as e:
    print("caught", e)
try:
    bounded(20)
except ValueError as e:
    tb, length = e.__traceback__, 0
    while tb:
        length, tb = length + 1, tb.tb_next
    print("frames", length)
only_self(0)
