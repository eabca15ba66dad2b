# The main thread ends, another does not.
# outcome: timeout
# timeout: 1
import threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
x = 1
