# What outlives a run could carry messages to the next: System V and POSIX queues, memory and semaphores, keys.
# machine: x86_64
# outcome: completed
# stdout: True True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


print(call(29, 4711, 4096, 0o1666), call(68, 4711, 0o1666), call(64, 4711, 1, 0o1666), end=" ")
print(call(240, b"left", 0o102, 0o666, 0), call(248, b"user", b"left", b"text", 4, -3))
