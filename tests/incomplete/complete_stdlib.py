import functools
import itertools
import json

@functools.lru_cache(maxsize=None)
def steps(n):
    return 1 if n < 2 else steps(n - 1) + steps(n - 2)

try:
    json.loads("{bad")
except ValueError as exc:
    kind = type(exc).__name__

print(kind, steps(20))
print(["".join(p) for p in itertools.permutations("abc", 2)][:3])
