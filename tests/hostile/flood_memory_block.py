# One block larger than the limit.
# outcome: error
# error: MemoryError
x = 1
y = bytearray(20 << 30)
z = 1  # missed
