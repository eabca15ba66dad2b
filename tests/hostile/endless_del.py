# Does not end where objects end.
# outcome: timeout
# timeout: 2
class Last:
    def __del__(self):
        while True:
            pass


last = Last()
del last
x = 1  # missed
