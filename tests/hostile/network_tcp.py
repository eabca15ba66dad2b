# outcome: completed
# inject: none
# stdout: refused refused
# coverage: any
import socket
for address in [("127.0.0.1", @TCP@), ("192.0.2.1", 80)]:
    try:
        socket.create_connection(address, 1).sendall(b"here")
        print("reached", end=" ")
    except OSError:
        print("refused", end=" ")
