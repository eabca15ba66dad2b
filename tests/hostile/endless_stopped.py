# Stops itself: nobody will continue it.
# outcome: timeout
# timeout: 2
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
x = 1  # missed
