# Does not end where programs end.
# outcome: timeout
# timeout: 2
import atexit


def again():
    while True:
        pass


atexit.register(again)
x = 1
