# The machine's name, clock, and whether it is on.
# machine: x86_64
# outcome: completed
# stdout: True True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


print(call(170, b"x", 1), call(164, 0, 0), call(227, 0, 0), call(169, 0, 0, 0, 0), call(163, 0))
