# The same by system calls: process_vm_readv, process_vm_writev, pidfd_getfd, kcmp.
# machine: x86_64
# outcome: completed
# stdout: True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


import os
pid = os.getppid()
print(call(310, pid, 0, 0, 0, 0, 0), call(311, pid, 0, 0, 0, 0, 0), end=" ")
print(call(438, os.pidfd_open(os.getpid()), 0, 0), call(312, pid, pid, 0, 0, 0))
