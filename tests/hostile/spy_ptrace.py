# Attaches to the zygote, to a child, and asks to be traced.
# outcome: completed
# coverage: any
# stdout: refused refused refused
import ctypes, os, signal
libc = ctypes.CDLL(None)
child = os.fork()
if child == 0:
    signal.pause()  # missed
ATTACH, TRACEME = 16, 0
for request, target in [(ATTACH, os.getppid()), (ATTACH, child), (TRACEME, 0)]:
    print("refused" if libc.ptrace(request, target, 0, 0) < 0 else "done", end=" ")
