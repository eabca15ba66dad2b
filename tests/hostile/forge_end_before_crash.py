# A forged end does not hide a crash: the kernel says how the process ended.
# outcome: killed
# message: ended by SIGABRT
import os
x = 0
body = "{\"event\": \"end\", \"status\": \"completed\", \"exit_code\": 0}".encode()
for fd in range(3, 256):
    try:
        os.write(fd, len(body).to_bytes(4, "little") + body)
    except OSError:
        x = 0
os.abort()
