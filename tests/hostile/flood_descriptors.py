# Opens files until the limit is reached.
# outcome: completed
# stdout: refused True
files = []
try:
    while True:
        files.append(open("/dev/null"))
except OSError:
    print("refused", len(files) < 256)
