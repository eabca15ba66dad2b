"""sys.exit(None) is success; output before it is kept."""
import sys

print("before", file=sys.stdout)
try:
    sys.exit(None)
finally:
    print("finally")
print("after")
