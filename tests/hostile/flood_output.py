# A gigabyte of output.
# outcome: completed | timeout
# coverage: any
# output: cut
# timeout: 5
chunk = "x" * (1 << 20)
for _ in range(1024):
    print(chunk)
