# Recursion in C: a representation within a representation.
# outcome: killed | error | completed | timeout
# timeout: 10
# coverage: any
import sys
sys.setrecursionlimit(10**9)
x = []
for _ in range(5_000_000):
    x = [x]
text = repr(x)
