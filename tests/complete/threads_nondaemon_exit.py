"""Main thread finishes with an error while a non-daemon thread still runs."""
import threading

go = threading.Event()
done = []


def late():
    go.wait()
    threading.main_thread().join()
    print("late thread still prints", done, flush=True)


threading.Thread(target=late, name="late").start()
done.append("main finished")
go.set()
print("raising", flush=True)
raise LookupError("main failed")
