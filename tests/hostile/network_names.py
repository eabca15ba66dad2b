# Asks for a name, and for the machine's own.
# outcome: completed
# inject: none
# stdout: surmise refused
# coverage: any
import socket
print(socket.gethostname(), end=" ")
try:
    print(socket.gethostbyname("example.com"))
except OSError:
    print("refused")
