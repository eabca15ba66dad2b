# Children write while the program is long gone.
# outcome: completed | timeout
# coverage: any
# timeout: 2
import os
for _ in range(10):
    if os.fork() == 0:
        while True:
            os.write(1, b"x" * 10_000)
