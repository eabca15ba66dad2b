"""sys.exit with a tuple and with nested SystemExit arguments."""
import sys

try:
    sys.exit((1, "two"))
except SystemExit as e:
    print(e.code, e.args)
    raise SystemExit((3, [4.5, None]))
