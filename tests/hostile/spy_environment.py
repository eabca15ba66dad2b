# The caller's variables, its own first.
# outcome: completed
# inject: none
# stdout: False False
# coverage: any
import os
print("SURMISE_TEST_SECRET" in os.environ, end=" ")
try:
    text = open("/proc/self/environ", "rb").read()
except OSError:
    text = b""
print(b"SURMISE_TEST_SECRET" in text)
