with open("no-such-file-7a1.csv") as f:
    header = f.readline()
    for line in f:
        parts = line.strip().split(",")
print("read")
