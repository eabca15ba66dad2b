# A socket with a name, in the working folder and elsewhere, and one in the abstract name space.
# outcome: completed
# inject: none
# stdout: refused refused refused
# coverage: any
import socket
for address in ["socket", "@OUTSIDE@/socket", "\0@ABSTRACT@"]:
    try:
        socket.socket(socket.AF_UNIX).connect(address)
        print("reached", end=" ")
    except OSError:
        print("refused", end=" ")
