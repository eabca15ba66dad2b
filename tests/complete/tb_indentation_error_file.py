"""Uncaught: inconsistent dedent."""
print("never printed")


def f(x):
        if x:
            return 1
      return 2


f(1)
