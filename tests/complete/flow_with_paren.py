# requires: 3.10
"""Parenthesised with items over several lines, trailing comma."""
import contextlib
import io


@contextlib.contextmanager
def named(n):
    print("in", n)
    yield n * 2
    print("out", n)


with (
    named("a") as a,
    named("b") as b,
    io.StringIO("text")
    as fh,
):
    print(a, b, fh.read())
with (named("c")) as c, (named("d")): print(c)
with (named("e"), named("f")): print("no targets")
with (named("g") as g): print(g)
with (yielded := named("h")) as h: print(h, type(yielded).__name__)
with (named("i") if a else named("j")) as k, \
        named("l"): print(k)
with (
    named("outer"),
    named(
        "x" + a[len(a):][0]
    ) as never,
):
    print("never")
