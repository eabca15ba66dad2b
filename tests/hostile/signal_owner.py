# Asks the kernel to signal somebody else when input arrives (`F_SETOWN`).
# outcome: completed | error
# coverage: any
import fcntl, os
read, write = os.pipe()
fcntl.fcntl(read, fcntl.F_SETOWN, @PID@)
fcntl.fcntl(read, fcntl.F_SETSIG, 9)
fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
os.write(write, b"x")
