# The limit on processes is an ordinary error for the program.
# outcome: completed
# stdout: refused True
import os, signal
children = []
try:
    for number in range(2000):
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
    print("made", len(children))  # missed
except OSError:
    print("refused", len(children) <= 256)
