# Its own group.
# outcome: completed | error | killed
# coverage: any
import os
os.kill(0, 9)
x = 1
