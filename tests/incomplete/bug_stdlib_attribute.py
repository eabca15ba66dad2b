import time

t0 = time.clock()
run_benchmark()
