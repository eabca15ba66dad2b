# outcome: killed
# message: ended by SIGSEGV
import ctypes
x = missing
ctypes.string_at(0)
y = 1  # missed
