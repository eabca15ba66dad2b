# Errors and injections without end.
# outcome: timeout
# output: cut
# timeout: 1
import sys
while True:
    sys.stderr.write("e" * 100_000)
    missing.call(unknown)
