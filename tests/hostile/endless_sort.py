# A key that makes sorting last, in C code that calls back.
# outcome: timeout
# timeout: 2
class Key:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        while True:
            pass


sorted([3, 1, 2], key=Key)
b = 1  # missed
