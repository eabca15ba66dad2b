"""Uncaught: a decorator with arguments raises while decorating."""
import functools


def register(name, *, strict=False):
    print("register", name, strict)

    def wrap(fn):
        print("wrap", fn.__name__)
        if strict and not fn.__doc__:
            raise ValueError(f"{fn.__qualname__} has no docstring")

        @functools.wraps(fn)
        def inner(*a, **k):
            return fn(*a, **k)
        return inner
    return wrap


@register("first")
@register("second", strict=True)
def documented():
    """Has one."""
    return 1


print(documented(), documented.__doc__)


class Service:
    @staticmethod
    @register("third", strict=False)
    @register(
        "fourth",
        strict=bool(documented()),
    )
    def undocumented():
        return 2


print("not reached")
