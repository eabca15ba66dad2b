# Memory that hides in a file of memory: its size is limited like any file's.
# outcome: completed
# stdout: refused
import os
file = os.memfd_create("hidden")
try:
    os.posix_fallocate(file, 0, 8 << 30)
    print("made")  # missed
except OSError:
    print("refused")
