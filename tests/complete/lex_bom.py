"""UTF-8 byte order mark first."""
import sys
print(__doc__, "é→日本")
naïve = [1, 2]
def f(x): return naïve[x] + len("日本")
print(f(0), sys.getsizeof is not None)
if naïve: print("é", f(1)); print("é", f(2))
