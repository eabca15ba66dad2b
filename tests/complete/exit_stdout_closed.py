"""Program closes stdout; later prints fail."""
import sys

print("one")
sys.stdout.flush()
sys.stdout.close()
try:
    print("two")
except ValueError as e:
    print("caught:", e, file=sys.stderr)
print("closed?", sys.stdout.closed, file=sys.stderr)
raise SystemExit(3)
