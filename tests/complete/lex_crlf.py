"""A file with CRLF line ends.
Second line."""
import sys

text = """triple
quoted
"""
print(repr(text), repr(__doc__))


def f(a,
      b=2):
    # comment
    if a: \
        b += 1

    return (a +
            b)


class C:
    """Doc
    string."""

    x = 1; y = 2

    def m(self): return f"""{self.x}
{self.y}"""


print(f(1), C.__doc__.count("\r"), C().m().encode(), "cont\
inued")
for i in range(2):
    print(i)
else:
    print("else")
try:
    f("x")
except TypeError as e:
    print(e, e.__traceback__.tb_next.tb_lineno, file=sys.stdout)
d = {
    "a": 1,

    "b": [
        2,
    ],
}
print(d["a"] + d["b"][0] + d["c"])
