# Closes every descriptor, the pipe for events among them: line marks are in shared memory.
# outcome: completed
import os
x = missing
os.closerange(0, 1000)
y = 1
