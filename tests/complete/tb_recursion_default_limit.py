"""Uncaught RecursionError at the default limit; first the depth is measured."""
import sys


def depth(n=1):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


class Tree:
    def __init__(self, d): self.kids = [Tree(d - 1)] if d else []
    def size(self): return 1 + sum(k.size() for k in self.kids)
    def __repr__(self): return f"T({self.kids!r})"
    def __eq__(self, o): return self.kids == o.kids


print(sys.getrecursionlimit(), depth())
for make in (lambda n: Tree(n), lambda n: Tree(n).size(), lambda n: len(repr(Tree(n))), lambda n: Tree(n) == Tree(n)):
    low, high = 1, 2000
    while low < high:
        mid = (low + high + 1) // 2
        try: make(mid)
        except RecursionError: high = mid - 1
        else: low = mid
    print("deepest", low)


def even(n): return True if n == 0 else odd(n - 1)


def odd(n): return False if n == 0 else even(n - 1)


print(even(400))
sys.setrecursionlimit(150)
print(even(10 ** 5))
