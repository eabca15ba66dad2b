# Forks until the kernel refuses, in every child as well.
# outcome: timeout | killed | completed | error
# coverage: any
# timeout: 1
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
