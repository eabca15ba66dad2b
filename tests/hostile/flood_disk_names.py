# Empty files take no room, but each takes a name.
# outcome: completed | timeout
# coverage: any
# timeout: 8
import os
count = 0
try:
    while True:
        os.mknod(f"/tmp/{count}")
        count += 1
except OSError:
    print("refused", count)
