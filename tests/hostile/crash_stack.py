# Recursion that no limit holds.
# outcome: killed | error | timeout
# timeout: 20
# coverage: any
import sys
sys.setrecursionlimit(10**9)
def down(n):
    return down(n + 1)
down(0)
