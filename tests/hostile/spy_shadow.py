# What only root may read.
# outcome: completed
# inject: none
# stdout: hidden hidden hidden hidden
# coverage: any
import os
for path in ["/etc/shadow", "/etc/gshadow", "/etc/ssh", "/proc/1/root/etc/shadow"]:
    try:
        os.stat(path)
        print("seen", end=" ")
    except OSError:
        print("hidden", end=" ")
