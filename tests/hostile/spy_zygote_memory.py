# The memory, files and environment of the process that all runs are forked from.
# outcome: completed
# stdout: refused refused refused refused refused
# coverage: any
import os
for name in ["mem", "maps", "environ", "fd/3", "root/etc"]:
    try:
        os.open(f"/proc/{os.getppid()}/{name}", os.O_RDONLY)
        print("opened", end=" ")
    except OSError:
        print("refused", end=" ")
