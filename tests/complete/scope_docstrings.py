"""Module docstring
    with an indented second line."""
'this second string is not the doc'
print(repr(__doc__))


def f():
    """Function doc."""
    return f.__doc__


def g():
    "single" " concatenated"
    x = 1
    """not a docstring"""
    return x


def h():
    f"not a {1 + 1} docstring"
    return h.__doc__


def i():
    b"bytes are not docs"


def j(): "one-line doc"


def k():
    r"""raw \n doc"""


async def l():
    '''async doc'''


def m():
    # a comment first

    """after a comment"""
    yield 1


def n():
    pass
    "too late"


def o(): ("parenthesised"); return o.__doc__


def p(): "semicolon doc"; return p.__doc__


class A:
    """Class doc é ünïcode."""
    attr = 1
    """attribute string"""

    def method(self):
        """Method doc

        indented more
            and more
        """

    class B: "one-line class doc"

    @property
    def prop(self):
        """prop doc"""

    @staticmethod
    def st(): """static doc"""; return 5


class NoDoc:
    x = "not doc"
    "late"


class Derived(A):
    pass


lam = lambda: "not a doc"
for fn in (f, g, h, i, j, k, l, m, n, o, p, lam, A, A.method, A.B, A.prop, A.st, NoDoc, Derived):
    print(getattr(fn, "__name__", "property"), repr(fn.__doc__))
print(f(), h(), o(), p(), A.st(), g())
import inspect
print(inspect.getdoc(A.method).splitlines(), inspect.getdoc(Derived.method) is not None)
f.__doc__ = "changed"
print(f(), f.__code__.co_consts[0] if f.__code__.co_consts[:1] != (None,) else None)
__doc__ += " changed"
print(__doc__[-8:], A.__doc__ == A().__doc__)
exec("'exec doc'\nprint(__doc__)", {})
exec('def q():\n  """doc in exec"""\nprint(q.__doc__)')
class Meta(type):
    @property
    def __doc__(cls): return "computed " + cls.__name__
class WithMeta(metaclass=Meta): pass
print(WithMeta.__doc__, type(Meta.__doc__).__name__)
