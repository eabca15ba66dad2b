# outcome: completed
# inject: none
# stdout: refused refused
# coverage: any
import socket
for address in [("127.0.0.1", @UDP@), ("255.255.255.255", @UDP@)]:
    try:
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sender.sendto(b"here", address)
        print("sent", end=" ")
    except OSError:
        print("refused", end=" ")
