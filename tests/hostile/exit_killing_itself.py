# outcome: killed
# message: ended by SIGKILL
import os
os.kill(os.getpid(), 9)
y = 1  # missed
