# A socket with a name, in the working folder, below its scratch layer and elsewhere, and one without a file.
# outcome: completed
# inject: none
# stdout: refused refused refused refused
# coverage: any
import socket
for address in ["socket", "/.surmise/0/socket", "@OUTSIDE@/socket", "\0@ABSTRACT@"]:
    try:
        socket.socket(socket.AF_UNIX).connect(address)
        print("reached", end=" ")
    except OSError:
        print("refused", end=" ")
