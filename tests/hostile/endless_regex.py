# Catastrophic backtracking, inside C code that looks at no signal.
# outcome: timeout
# timeout: 2
import re
re.match(r"(a+)+$", "a" * 60 + "b")
b = 1  # missed
