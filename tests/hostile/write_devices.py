# Makes and opens devices.
# outcome: completed
# inject: none
# stdout: refused refused refused refused refused
# coverage: any
import os, stat
for attack in [
    lambda: os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)),
    lambda: os.mknod("/tmp/memory", 0o600 | stat.S_IFCHR, os.makedev(1, 1)),
    lambda: open("/dev/mem"),
    lambda: open("/dev/vda"),
    lambda: open("/dev/tty"),
]:
    try:
        attack()
        print("done", end=" ")
    except OSError:
        print("refused", end=" ")
