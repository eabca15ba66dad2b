# Netlink, raw packets, virtual machines.
# outcome: completed
# inject: none
# stdout: refused refused refused refused
# coverage: any
import socket
for family, kind in [(16, 3), (17, 3), (2, 3), (40, 1)]:
    try:
        socket.socket(family, kind)
        print("made", end=" ")
    except OSError:
        print("refused", end=" ")
