"""Backslash continuations, implicit joins, comments and blank lines inside."""
total = 1 + \
    2 + \
    3
print(total)
if total > 1 and \
        total < 10 \
        or False:
    print \
        ("split call")
text = "a string \
continued in the literal"
print(text)
value = (
    1  # one
    + 2  # two

    # a comment line
    + 3
)
print(value, [
    1,
    # nothing here

    2,
][
    1
], {
    "a":
        1,
    "b"
    : 2,
}["b"])


def \
        spread(
    a,
    b
    = 2,
    *
    args,
    c: int
    = 3,
    **kw
) \
        -> int:
    return a + b \
        + c


print(spread
      (1,
       2, *
       [], c
       = 5, **
       {}))
assert total \
    == 6, \
    "message"
for \
        i \
        in \
        range(2): print(i)
x = y = \
    z = 5
print(x, y, z); print(x
); print(y)
lam = lambda a, \
    b=1: \
    a + b
print(lam(1), (lambda
               q:
               q * 2)(4))
from os.path import \
    join as j, \
    basename
from math import (
    pi,  # comment
    e as euler,
)
import os.path \
    as osp
print(osp is os.path if "os" in dir() else basename("/q/w"), round(pi + euler, 3), j("a", "b"))
with open("/dev/null") \
        as fh, \
        open("/dev/null") as fh2:
    print(fh.name, fh2.name)
comp = [
    a
    for a in
    range(10)
    if a %
    2
    if not
    a == 5
]
print(comp, not \
      comp, "not" if
      not comp else
      "yes")
class \
        K \
        (object):
    attr = \
        1
print(K \
      .attr, K
      .
      attr, K().
      attr
      .real)
s = ("implicit " "concat "
     'over ' f"{x} "
     r"lines\n" """triple
one""")
print(s)
del \
    x, \
    y
try:
    raise \
        ValueError(
            "raised"
        ) \
        from \
        None
except \
        ValueError \
        as err:
    print(err)
if True: \
    print("body on next line")
d = {1: "a",
     2:
     "b"}; d \
    [3] = "c"; d[
    4
] = "d"; print(d)
print("a" "b"
      "c",
      end
      ="\n"
      )
\
print("after lone backslash line")
if (total
        > 5): print("done"); \
    print("really")
