# The standard library that the next program will import.
# outcome: completed
# inject: none
# stdout: refused refused refused
# coverage: any
import os, shutil
for attack in [
    lambda: open(os.__file__, "a"),
    lambda: os.remove(os.__file__),
    lambda: shutil.rmtree(os.path.dirname(os.__file__)),
]:
    try:
        attack()
        print("done", end=" ")
    except OSError:
        print("refused", end=" ")
