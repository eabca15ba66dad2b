# Ignores every signal that can be ignored.
# outcome: timeout
# coverage: any
# timeout: 2
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
