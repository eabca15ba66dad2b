# A forged failure of ours is not believed.
# outcome: completed
import os
x = 0
body = "{\"event\": \"end\", \"status\": \"internal\", \"message\": \"forged\"}".encode()
for fd in range(3, 256):
    try:
        os.write(fd, len(body).to_bytes(4, "little") + body)
    except OSError:
        x = 0
x = 1
