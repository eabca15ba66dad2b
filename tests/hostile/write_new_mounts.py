# The newer calls for mounts, and files by their number instead of their name.
# machine: x86_64
# outcome: completed
# stdout: True True True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


print(call(428, -100, b"/", 1), call(429, -1, b"", -1, b"", 0), call(430, b"tmpfs", 0), end=" ")
print(call(442, -100, b"/", 0, 0, 0), call(304, -100, 0, 0), call(303, -100, b"/", 0, 0, 0))
