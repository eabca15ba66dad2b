# Hard links, links through /proc and a root that is left by a descriptor.
# outcome: completed
# inject: none
# stdout: refused refused refused refused
# coverage: any
import os
for attack in [
    lambda: os.link("@OUTSIDE@/target.txt", "here"),
    lambda: open("/proc/1/root@OUTSIDE@/target.txt", "w"),
    lambda: open("../" * 40 + "@OUTSIDE@/target.txt", "w"),
    lambda: open(f"/proc/{os.getppid()}/cwd@OUTSIDE@/target.txt", "w"),
]:
    try:
        attack()
        print("done", end=" ")
    except OSError:
        print("refused", end=" ")
