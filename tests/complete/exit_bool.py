"""sys.exit(True): a bool is an int."""
import sys

print("ok", isinstance(True, int))
sys.exit(not [])
