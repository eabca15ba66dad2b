# Tracing, loading and the interfaces with a long history of faults.
# machine: x86_64
# outcome: completed
# stdout: True True True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


print(call(298, 0, 0, -1, -1, 0), call(321, 0, 0, 0), call(323, 0), end=" ")
print(call(425, 1, 0), call(175, 0, 0, 0), call(246, 0, 0, 0, 0))
