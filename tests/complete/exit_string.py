"""sys.exit with a string prints it to stderr and exits 1."""
import sys

config = {"mode": "strict"}
if config.get("mode") != "loose":
    sys.exit(f"error: mode must be loose, not {config['mode']!r}\nsecond line é")
