# Errors and injections without end.
# outcome: timeout
# output: cut
# timeout: 5
import sys
while True:
    sys.stderr.write("e" * 100_000)
    missing.call(unknown)
