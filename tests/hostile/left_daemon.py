# A grandchild that has let go of everything that led to it, and writes until it is ended.
# outcome: completed
# coverage: any
import os, signal
if os.fork() == 0:
    os.setsid()
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    if os.fork() == 0:
        os.closerange(0, 256)
        while True:
            open("/tmp/left", "a").write("left")
    os._exit(0)
