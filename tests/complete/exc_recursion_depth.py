"""RecursionError: how deep plain recursion gets, by several routes."""
import sys

sys.setrecursionlimit(300)

depth = 0


def dive():
    global depth
    depth += 1
    dive()


try:
    dive()
except RecursionError as e:
    print("dive", depth, e)


def count(n):
    return 1 + count(n + 1) if n < 10 ** 9 else 0


levels = []


def probe(n):
    levels.append(n)
    return probe(n + 1)


try:
    probe(0)
except RecursionError as e:
    print("probe", len(levels), levels[-1], e)


class Node:
    created = 0

    def __init__(self):
        Node.created += 1
        self.child = Node()


try:
    Node()
except RecursionError as e:
    print("Node", Node.created, type(e).__mro__[1].__name__)


class Loop:
    calls = 0

    @property
    def value(self):
        Loop.calls += 1
        return self.value


try:
    Loop().value
except RecursionError as e:
    print("property", Loop.calls, e)


def mutual_a(n):
    global last
    last = n
    return mutual_b(n + 1)


def mutual_b(n):
    return mutual_a(n + 1)


try:
    mutual_a(0)
except RecursionError:
    print("mutual", last)

try:
    count(0)
except RecursionError as e:
    print("count", e)


def safe(n):
    return 0 if n == 0 else 1 + safe(n - 1)


print(safe(150), safe(200))
fact = lambda n: 1 if n < 2 else n * fact(n - 1)
print(fact(100) % 10 ** 9 + 7, fact(20))
