# Forks from the main thread and from others: children end with their own exit codes, what they print is theirs.
import os
import sys
import threading
import warnings


def ended(child):
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def fork(action):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        action()
    return ended(child)


def in_thread(action):
    results = []
    thread = threading.Thread(target=lambda: results.append(fork(action)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of it, with the number of the process
        thread.start()
        thread.join()
    return results[0]


print(fork(lambda: os._exit(3)), in_thread(lambda: os._exit(4)))
sys.stdout.flush()
child = os.fork()
if child == 0:
    print("in the child", [1, 2].index(2))
    sys.exit(7)
print("exit", ended(child))
sys.stdout.flush()
child = os.fork()
if child == 0:
    raise ValueError("in the child")
print("error", ended(child))
sys.stdout.flush()
child = os.fork()
if child == 0:
    os.kill(os.getpid(), 9)
print("killed", ended(child))
