"""Exit codes above 255 and negative are masked by the system."""
import sys

codes = [256 + 5]
print("code", codes[0], codes[0] & 0xFF)
sys.exit(codes.pop())
