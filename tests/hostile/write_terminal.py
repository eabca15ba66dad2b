# Types a command into the terminal that the user looks at.
# outcome: completed
# inject: none
# stdout: refused refused
# coverage: any
import fcntl
for request in (0x5412, 0x541C):
    try:
        fcntl.ioctl(0, request, b"x")
        print("done", end=" ")
    except PermissionError:
        print("refused", end=" ")
