# Process 1.
# outcome: completed | error | killed
# coverage: any
import os
os.kill(1, 9)
x = 1
