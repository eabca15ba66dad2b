# New mounts, a new root, new namespaces, other people's namespaces.
# machine: x86_64
# outcome: completed
# stdout: True True True True True True True True
import ctypes
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    return libc.syscall(*arguments) < 0


NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
print(call(165, b"none", b"/tmp", b"tmpfs", 0, 0), call(166, b"/tmp", 2), call(155, b"/tmp", b"/tmp"), end=" ")
print(call(161, b"/tmp"), call(272, NEW_USER), call(272, NEW_MOUNTS), call(308, 0, 0), end=" ")
print(call(56, NEW_USER | 17, 0, 0, 0, 0))
