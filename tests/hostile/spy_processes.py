# Sees no process but its own.
# outcome: completed
# inject: none
# stdout: 1 True
# coverage: any
import os
numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
print(len(numbers), os.getpid() in numbers)
