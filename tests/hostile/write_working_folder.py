# The working folder takes writes, which go with the run.
# outcome: completed
# inject: none
# stdout: changed True
import os
with open("kept.txt", "w") as kept:
    kept.write("changed")
os.mkdir("folder")
os.remove("removed.txt")
print(open("kept.txt").read(), os.path.isdir("folder"))
