"""doctest.testmod on itself, with failures.

>>> add(1, 2)
3
>>> add("a", "b")
'ab'
"""
import contextlib
import doctest
import io


def add(a, b):
    """
    >>> add(2, 2)
    4
    >>> add(1, "x")
    Traceback (most recent call last):
    ...
    TypeError: unsupported operand type(s) for +: 'int' and 'str'
    >>> [add(i, i) for i in range(3)]
    [0, 2, 4]
    """
    return a + b


class Stack:
    """A stack.

    >>> s = Stack()
    >>> s.push(1); s.push(2)
    >>> s
    Stack([1, 2])
    >>> s.pop()
    2
    >>> s.pop(), s.pop()
    Traceback (most recent call last):
        ...
    IndexError: pop from empty list
    >>> for i in range(2):
    ...     print(i)
    0
    1
    """

    def __init__(self):
        self.items = []

    def push(self, x):
        """
        >>> Stack().push(5)
        """
        self.items.append(x)

    def pop(self):
        """
        >>> Stack().pop()  # the expected output below is wrong on purpose
        'something'
        """
        return self.items.pop()

    def __repr__(self):
        """
        >>> Stack()
        Stack([])
        >>> undefined_name
        1
        """
        return f"Stack({self.items})"


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = doctest.testmod()
    print(out.getvalue().replace(__file__, "FILE"))
    print(result.failed, result.attempted)
    with contextlib.redirect_stdout(io.StringIO()):
        flags = doctest.testmod(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL, verbose=False)
    print(doctest.DocTestFinder().find(Stack)[0].name, len(doctest.DocTestFinder().find(add)))
    raise SystemExit(bool(flags.failed))
