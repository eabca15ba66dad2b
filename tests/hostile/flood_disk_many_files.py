# Many files: the scratch space is limited as a whole, the working folder included.
# outcome: completed
# stdout: refused True
written = 0
try:
    for number in range(100):
        with open(f"flood{number}", "wb", buffering=0) as file:
            for _ in range(50):
                written += file.write(bytes(1 << 20))
    print("written", written)  # missed
except OSError:
    print("refused", written <= 256 << 20)
