"""What tests read of pytest while they are defined and called: pytest itself takes longer to import than most tests to run.

Anything else that a test asks of it comes from pytest, if that is installed.
"""

import functools
import importlib
import re
import sys
import types
import warnings
from collections import namedtuple

NAME = "pytest"
# Named and built as pytest's own, which the runtime reads where a project has imported them.
ParameterSet = namedtuple("ParameterSet", "values marks id")
FixtureFunctionMarker = namedtuple("FixtureFunctionMarker", "scope params autouse ids name")


class Skipped(BaseException):
    """A test says that it cannot run."""


class Mark:
    """`pytest.mark.<name>`: a decorator, which takes arguments or what it marks."""

    def __init__(self, name, args=(), kwargs=None):
        self.name, self.args, self.kwargs = name, args, kwargs or {}

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (type, types.FunctionType)):
            return self.marked(args[0])
        return self.with_args(*args, **kwargs)

    def with_args(self, *args, **kwargs):
        return Mark(self.name, (*self.args, *args), {**self.kwargs, **kwargs})

    def marked(self, of):
        before = vars(of).get("pytestmark", ())
        of.pytestmark = [*(before if isinstance(before, (list, tuple)) else [before]), self]
        return of


class Marks:
    """`pytest.mark`."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Mark(name)


def param(*values, marks=(), id=None):
    return ParameterSet(values, marks, id)


def fixture(function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    if function is None:
        return lambda of: fixture(of, scope=scope, params=params, autouse=autouse, ids=ids, name=name)
    function._pytestfixturefunction = FixtureFunctionMarker(scope, params, autouse, ids, name)
    function.__pytest_wrapped__ = types.SimpleNamespace(obj=function)
    return function


class Expected:
    """The context of `pytest.raises`: what is raised of those classes is expected, and it goes on where nothing is raised."""

    def __init__(self, classes):
        self.classes = classes
        self.type = self.value = self.tb = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.type, self.value, self.tb = kind, value, traceback
        return kind is not None and issubclass(kind, self.classes)

    @property
    def typename(self):
        return self.type.__name__

    def exconly(self, tryshort=False):
        return f"{self.typename}: {self.value}"

    def match(self, pattern):
        return bool(re.search(pattern, str(self.value)))


def raises(expected=Exception, *args, **kwargs):
    if not args or not callable(args[0]):
        return Expected(expected)
    with Expected(expected) as context:
        args[0](*args[1:], **kwargs)
    return context


class Warned(warnings.catch_warnings):
    """The context of `pytest.warns`: the warnings that there are."""

    def __init__(self):
        super().__init__(record=True)

    def __enter__(self):
        found = super().__enter__()
        warnings.simplefilter("always")
        return found


def warns(_expected=Warning, *args, **kwargs):
    if not args or not callable(args[0]):
        return Warned()
    with Warned():
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, **kwargs):
    return warns(DeprecationWarning, *args, **kwargs)


def approx(expected, *_args, **_kwargs):
    return expected


def skip(*_args, **_kwargs):
    raise Skipped


def importorskip(name, *_args, **_kwargs):
    try:
        __import__(name)
    except ImportError:
        raise Skipped from None
    return sys.modules[name]


class Pytest(types.ModuleType):
    """The module."""

    def __init__(self):
        super().__init__(NAME, __doc__)
        self.mark = Marks()
        for function in (param, fixture, raises, warns, deprecated_call, approx, skip, importorskip):
            setattr(self, function.__name__, function)
        self.fail = self.xfail = self.exit = skip

    def __getattr__(self, name):
        """From pytest itself."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(imported(), name)


@functools.cache
def imported():
    """pytest itself; None if it cannot be imported."""
    known = sys.modules.pop(NAME, None)
    try:
        return importlib.import_module(NAME)
    except ImportError:
        return None
    finally:
        if known is not None:
            sys.modules[NAME] = known


def provide():
    """Puts this in the place of pytest, unless that is there already."""
    sys.modules.setdefault(NAME, Pytest())
