# The main thread ends, another does not.
# outcome: timeout
# timeout: 1
import threading
threading.Thread(target=threading.Event().wait).start()
x = 1
