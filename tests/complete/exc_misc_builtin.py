"""Less common builtin exceptions, each from a real operation."""
import io
import pickle
import sys
import warnings
import weakref


def attempt(label, fn):
    try:
        r = fn()
    except BaseException as e:
        print(label, "|", type(e).__name__, "|", e, "|", [c.__name__ for c in type(e).__mro__[1:-1]])
    else:
        print(label, "| ok |", r)


def buffer_error():
    data = bytearray(b"abc")
    view = memoryview(data)
    data.append(1)


def released():
    m = memoryview(b"x")
    m.release()
    return m[0]


def eof():
    sys.stdin = io.StringIO("")
    try:
        return input()
    finally:
        sys.stdin = sys.__stdin__


def reference():
    class A:
        pass
    a = A()
    p = weakref.proxy(a)
    del a
    return p.x


def assertion():
    items = [1, 2]
    assert len(items) == 3, f"expected 3, got {len(items)}"


def bare_assert():
    assert not True


def assertion_tuple():
    assert 1 == 2, ("a", "b")


class Shape:
    def area(self):
        raise NotImplementedError(type(self).__name__ + ".area")


def dict_changed():
    d = {1: 1, 2: 2}
    for k in d:
        d[k + 10] = 0


def set_changed():
    s = {1}
    for x in s:
        s.add(x + 100)


def gen_running():
    def g():
        next(me)
        yield
    me = g()
    next(me)


def memory():
    return [0] * (sys.maxsize // 2)


def warn_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.warn("old api", DeprecationWarning)


def no_active():
    raise


def memory_bytes():
    return bytes(sys.maxsize)


class Lazy:
    def __getattr__(self, name):
        raise NotImplementedError(name)


attempt("buffer", buffer_error)
attempt("released", released)
attempt("eof", eof)
attempt("reference", reference)
attempt("assert", assertion)
attempt("assert2", bare_assert)
attempt("assert3", assertion_tuple)
attempt("notimpl", Shape().area)
attempt("dict", dict_changed)
attempt("set", set_changed)
attempt("gen", gen_running)
attempt("memory", memory)
attempt("memory2", memory_bytes)
attempt("warn", warn_error)
attempt("reraise", no_active)
attempt("lazy", lambda: Lazy().anything)
attempt("pickle", lambda: pickle.loads(b"garbage"))
attempt("pickle eof", lambda: pickle.loads(b""))
attempt("io", lambda: io.StringIO().fileno())
attempt("detached", lambda: io.BytesIO(b"x").seek(-1))
attempt("notimpl type", lambda: NotImplemented())
for name in ("DeprecationWarning", "UserWarning", "BytesWarning", "ResourceWarning",
             "FutureWarning", "ImportWarning", "UnicodeWarning", "RuntimeWarning",
             "PendingDeprecationWarning", "SyntaxWarning", "SystemError", "TabError"):
    cls = getattr(__builtins__, name)

    def thrower():
        raise cls(name.lower())
    attempt(name, thrower)
