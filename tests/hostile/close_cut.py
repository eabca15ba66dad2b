# Cuts whatever is open to nothing.
# outcome: completed
# coverage: any
import os
for fd in range(3, 256):
    try:
        os.ftruncate(fd, 0)
    except OSError:
        pass
x = 1
