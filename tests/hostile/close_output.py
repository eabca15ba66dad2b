# outcome: completed
# stdout: on
import sys
print("on")
sys.stdout.close()
x = 1
