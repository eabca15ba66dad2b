# Starts threads until the limit on processes and threads is reached.
# outcome: completed
# stdout: refused True
import threading
gate = threading.Event()
threads = []
try:
    for number in range(5000):
        thread = threading.Thread(target=gate.wait, daemon=True)
        thread.start()
        threads.append(thread)
    print("made", len(threads))  # missed
except (RuntimeError, MemoryError):
    print("refused", len(threads) <= 256)
gate.set()
