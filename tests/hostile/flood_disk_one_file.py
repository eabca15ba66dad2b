# A file without end, where a program may write.
# outcome: completed
# stdout: refused True
written = 0
try:
    with open("/tmp/flood", "wb", buffering=0) as file:
        for _ in range(4096):
            written += file.write(bytes(1 << 20))
    print("written", written)  # missed
except OSError:
    print("refused", written <= 256 << 20)
