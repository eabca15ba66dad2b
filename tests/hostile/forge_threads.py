# Reads missing values in threads and in forked children, which must not speak for the run.
# outcome: completed | error
# coverage: any
import os, threading
def read():
    for _ in range(20):
        missing.call(other).more
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        read()
        os._exit(5)
    children.append(child)
for thread in threads:
    thread.join()
print(sorted(os.waitpid(child, 0)[1] for child in children))
