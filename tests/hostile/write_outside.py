# A file that anybody may write, in a folder that is not the run's.
# outcome: completed
# inject: none
# stdout: refused refused
# coverage: any
import os
for attack in [lambda: open("@OUTSIDE@/target.txt", "w"), lambda: os.remove("@OUTSIDE@/target.txt")]:
    try:
        attack()
        print("done", end=" ")
    except OSError:
        print("refused", end=" ")
