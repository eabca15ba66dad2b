# SIGINT, for which the zygote's Python has a handler, and every other signal.
# outcome: completed
# coverage: any
import os
for target in (os.getppid(), 1):
    for number in range(1, 65):
        try:
            os.kill(target, number)
        except OSError:
            refused = number
