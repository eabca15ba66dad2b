# Changes what it finds open, and writes to it: its own pipes and files in memory, nothing of the machine's.
# outcome: completed
# inject: none
# coverage: any
import os
for number in range(256):
    for attack in [
        lambda: os.fchmod(number, 0o555),
        lambda: os.fchown(number, 1, 1),
        lambda: os.utime(number, (0, 0)),
        lambda: os.chmod(f"/proc/self/fd/{number}", 0),
        lambda: os.chmod(f"/dev/fd/{number}", 0o111),
        lambda: os.truncate(f"/proc/self/fd/{number}", 0),
        lambda: number > 2 and os.write(os.open(f"/proc/self/fd/{number}", os.O_WRONLY | os.O_NONBLOCK), b"x"),
    ]:
        try:
            attack()
        except OSError:
            pass
