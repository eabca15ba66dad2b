# A forged end does not hide the error.
# outcome: error
# error: ValueError
import os
x = 0
body = "{\"event\": \"end\", \"status\": \"completed\", \"exit_code\": 42}".encode()
for fd in range(3, 256):
    try:
        os.write(fd, len(body).to_bytes(4, "little") + body)
    except OSError:
        x = 0
raise ValueError('real')
