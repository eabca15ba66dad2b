# Counting in C, without a Python instruction.
# outcome: timeout
# timeout: 2
import collections, itertools
collections.deque(itertools.count(), maxlen=0)
b = 1  # missed
