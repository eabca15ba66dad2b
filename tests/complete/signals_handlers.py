"""signal handlers run between bytecodes, with the frame and raise_signal."""
import signal
import sys

seen = []


def handler(number, frame):
    seen.append((signal.Signals(number).name, frame.f_code.co_name))


def work():
    signal.raise_signal(signal.SIGUSR1)
    return len(seen)


old = signal.signal(signal.SIGUSR1, handler)
print(old == signal.SIG_DFL, work(), seen)
signal.raise_signal(signal.SIGUSR1)
print(seen[-1])


class Timeout(Exception):
    pass


def raiser(number, frame):
    raise Timeout(f"line kind {frame.f_code.co_name}")


signal.signal(signal.SIGUSR1, raiser)


def guarded():
    try:
        signal.raise_signal(signal.SIGUSR1)
        print("not reached")
    except Timeout as e:
        return str(e)


print(guarded())
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("default SIGINT -> KeyboardInterrupt")
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.raise_signal(signal.SIGINT)
print("ignored", signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
signal.signal(signal.SIGUSR1, lambda *a: sys.exit(21))
try:
    signal.raise_signal(signal.SIGUSR1)
finally:
    print("finally")
