# The program that runs it, also as the file behind the process (once a way out of containers).
# outcome: completed
# inject: none
# stdout: refused refused refused
# coverage: any
import os
for path in ["@BINARY@", "/proc/self/exe", f"/proc/{os.getppid()}/exe"]:
    try:
        os.open(path, os.O_WRONLY)
        print("opened", end=" ")
    except OSError:
        print("refused", end=" ")
