"""Exceptions in threads: default report on stderr, then a custom hook."""
import sys
import threading


def explode(kind, *args):
    if args:
        explode(kind)
    raise kind("boom")


t = threading.Thread(target=explode, args=(ValueError,), name="worker-a")
t.start()
t.join()
print("main continues", flush=True)


def hook(args):
    print("hook", args.exc_type.__name__, args.exc_value, args.thread.name,
          args.exc_traceback.tb_next.tb_lineno)


default_hook, threading.excepthook = threading.excepthook, hook
t = threading.Thread(target=explode, args=(KeyError, 1), name="worker-b")
t.start()
t.join()
t = threading.Thread(target=sys.exit, args=(3,), name="worker-c")
t.start()
t.join()
threading.excepthook = default_hook
t = threading.Thread(target=lambda: [1, 2][
    5
], name="worker-d")
t.start()
t.join()
print("end")
