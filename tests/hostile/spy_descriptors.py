# What it has open, beside standard streams: the pipe for events, and nothing that is a folder or a socket.
# outcome: completed
# inject: none
# coverage: any
# stdout: []
import os, stat
kinds = []
for number in range(3, 256):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        continue
    if stat.S_ISDIR(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode):
        kinds.append((number, oct(mode)))
print(kinds)
