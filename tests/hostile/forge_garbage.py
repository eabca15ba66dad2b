# Lengths that no message has, and messages that end early.
# outcome: completed
# coverage: any
import os
for garbage in [b"\xff" * 100, b"\x05\0\0\0{", b"\0" * 1000, b"\xff\xff\xff\x0f{}"]:
    for fd in range(3, 256):
        try:
            os.write(fd, garbage)
        except OSError:
            pass
