# An exit is no failure, whatever its code.
# outcome: completed
# exit: 3
import sys
sys.exit(3)
x = 1  # missed
