# The zygote.
# outcome: completed | error | killed
# coverage: any
import os
os.kill(os.getppid(), 9)
x = 1
