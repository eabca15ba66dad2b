# Always a step ahead: every process forks the next one and ends.
# outcome: completed | timeout
# coverage: any
# timeout: 1
import os
if os.fork() == 0:
    while True:
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            pass
