# One operation on a huge number.
# outcome: timeout
# timeout: 2
x = 7 ** (10 ** 8)
b = 1  # missed
