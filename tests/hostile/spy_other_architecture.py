# System calls by their 32-bit numbers, which a filter of the 64-bit ones would not see.
# machine: x86_64
# outcome: completed | killed
# coverage: any
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


X32 = 0x40000000
print(call(X32 + 101, 16, 1, 0, 0), call(X32 + 165, 0, 0, 0, 0, 0))
