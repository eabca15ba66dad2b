# The main thread ends, another does not.
# outcome: timeout
# timeout: 2
import threading
threading.Thread(target=threading.Event().wait).start()
x = 1
