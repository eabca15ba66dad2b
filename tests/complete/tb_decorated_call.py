"""Uncaught: failure inside a function behind three wrappers."""
import functools


def trace(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        print("enter", fn.__name__, args)
        try:
            return fn(*args, **kwargs)
        finally:
            print("leave", fn.__name__)
    return wrapper


def retry(times):
    def deco(fn):
        def wrapper(*args, **kwargs):
            for n in range(times):
                try:
                    return fn(*args, **kwargs)
                except ValueError as e:
                    print("retry", n, e)
                    if n == times - 1:
                        raise
        return wrapper
    return deco


@trace
@retry(2)
@trace
def parse(text): return int(text) + int(text[::-1])


print(parse("12"))
print(parse("1x"))
