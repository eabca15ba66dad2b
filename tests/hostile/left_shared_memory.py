# A named block of shared memory that is never unlinked.
# outcome: completed | error
# coverage: any
from multiprocessing import resource_tracker, shared_memory
block = shared_memory.SharedMemory("left", create=True, size=4096)
block.buf[:4] = b"left"
