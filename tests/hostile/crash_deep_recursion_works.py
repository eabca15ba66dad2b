# Deep recursion is no crash where the stack is large.
# outcome: completed
# stdout: 50000
import sys
sys.setrecursionlimit(10**6)
def down(n):
    missing.visit(n)
    return 0 if n == 0 else 1 + down(n - 1)
print(down(50_000))
