"""Uncaught: exceptions whose __str__ is odd, multi-line, or fails."""
import sys
import traceback


class Multi(Exception):
    def __str__(self):
        return "line one\n  line two\nline three"


class Broken(Exception):
    def __str__(self):
        raise ValueError("no string for you")


class Empty(Exception):
    pass


class Outer:
    class Inner(KeyError):
        """Nested exception class: the traceback names it with its qualname."""


for exc in (Multi(), Broken(), Empty(), Empty(""), Empty(1, 2), Outer.Inner("key"), KeyError("a b")):
    try:
        raise exc
    except Exception as e:
        print("".join(traceback.format_exception_only(type(e), e)), end="")
sys.stdout.flush()
try:
    raise Multi()
except Multi:
    raise Outer.Inner("last") from Broken("cause")
