"""Uncaught: entering the second of two context managers fails."""
from contextlib import contextmanager


@contextmanager
def section(name, ok=True):
    print("<" + name + ">")
    if not ok:
        raise LookupError("cannot open " + name)
    try:
        yield name
    except ValueError as e:
        print("section", name, "saw", e)
        raise
    finally:
        print("</" + name + ">")


try:
    with section("a"), section("b") as b:
        raise ValueError(b)
except ValueError as e:
    print("outside", e)
with section("outer"), section("inner", ok=bool(len("")) or not "x") as s:
    print("never", s)
