# The caller's variables, its own first.
# outcome: completed
# inject: none
# stdout: False False
# coverage: any
import os
print("CARGO_MANIFEST_DIR" in os.environ, end=" ")
try:
    text = open("/proc/self/environ", "rb").read()
except OSError:
    text = b""
print(b"CARGO_MANIFEST_DIR" in text)
