"""The program kills itself with SIGTERM by default action."""
import signal
import sys

print("about to terminate", flush=True)
try:
    signal.raise_signal(signal.SIGTERM)
finally:
    sys.stderr.write("never\n")
