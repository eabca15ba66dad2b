"""os._exit skips finally and atexit and does not flush by itself."""
import atexit
import os
import sys

atexit.register(print, "never printed")
print("line one")
sys.stdout.flush()
try:
    print("to stderr", file=sys.stderr, flush=True)
    os._exit(int("2") + 1)
finally:
    print("never")
