# outcome: killed
# message: ended by SIGABRT
import os
os.abort()
x = 1  # missed
