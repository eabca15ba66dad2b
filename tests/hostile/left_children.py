# Children in sessions of their own.
# outcome: completed
# stdout: parent
# coverage: any
import os, time
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
        os._exit(0)
print("parent")
