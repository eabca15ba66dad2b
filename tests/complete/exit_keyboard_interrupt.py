"""Uncaught KeyboardInterrupt: the exit status is that of the signal."""
import sys


def ask(prompt):
    print(prompt)
    raise KeyboardInterrupt


try:
    ask("first?")
except KeyboardInterrupt:
    print("interrupted once", file=sys.stderr)
print("going on")
try:
    [ask(f"question {n}") for n in range(3)]
finally:
    print("finally", flush=True)
