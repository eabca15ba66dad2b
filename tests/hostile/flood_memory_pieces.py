# Small pieces without end, against a limit of 300 MB.
# outcome: error | killed
# error: MemoryError
# memory: 300000000
kept = []
while True:
    kept.append("x" * 1_000_000 + str(len(kept)))
