"""Calls functions that nobody calls, with injected arguments."""

import _signal  # builtin modules only: a program would find others loaded
import posix
import sys

from _surmise_signatures import AsyncGenerator, Coroutine, Generator, member, parameters_of

ELEMENTS = 1000  # of a generator that are asked for


def drive(engine, namespace, qualname, parameters, alone, run_coroutine):
    """Calls a function or method of the program; `alone` gives methods a stand-in as `self`."""
    Driver(engine, parameters, alone, run_coroutine).call(namespace, qualname)


class Aside:
    """Calls beside the program: what they write is not its output, and each has little time."""

    SECONDS = 0.5

    def __init__(self):
        self.kept, self.handler, self.late = [], None, False

    def begin(self):
        self.late = False
        self.flush()
        nothing = posix.open("/dev/null", posix.O_WRONLY)
        for descriptor in (1, 2):
            try:
                self.kept.append((posix.dup(descriptor), descriptor))
                posix.dup2(nothing, descriptor)
            except OSError:
                pass  # the program closed it
        posix.close(nothing)
        self.handler = _signal.signal(_signal.SIGALRM, self.stop)
        # Again and again: a handler in the program may catch it.
        _signal.setitimer(_signal.ITIMER_REAL, self.SECONDS, self.SECONDS / 10)

    def stop(self, _signal, _frame):
        self.late = True
        raise TimeIsUp

    def end(self):
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self.handler or _signal.SIG_DFL)
        self.flush()
        while self.kept:
            kept, descriptor = self.kept.pop()
            posix.dup2(kept, descriptor)
            posix.close(kept)

    def flush(self):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass


class TimeIsUp(BaseException):
    """Ends a call that was made aside."""


class Driver:
    """`parameters`: (qualified name of the function, name, site, given in spite of a default) of all functions."""

    def __init__(self, engine, parameters, alone, run_coroutine):
        self.engine = engine
        self.sites = {(function, name): site for function, name, site, _ in parameters}
        self.chosen = {(function, name) for function, name, _, given in parameters if given}
        self.alone = alone
        self.run_coroutine = run_coroutine

    def call(self, namespace, qualname):
        first, *rest = qualname.split(".")
        try:
            value, owner = namespace[first], None
            for part in rest:
                owner, value = value, member(value, part)
        except (KeyError, AttributeError):
            if self.alone:
                raise
            return  # the module did not come to define it
        of_class = isinstance(owner, type)
        if isinstance(value, (staticmethod, classmethod)):
            function = value.__get__(None, owner)
            arguments = self.arguments(qualname, value.__func__, isinstance(value, classmethod))
        else:
            function = value if callable(value) else getattr(value, "fget", None) or getattr(value, "func", value)
            arguments = self.arguments(qualname, function, of_class)
            if of_class:
                arguments[0].insert(0, self.instance(owner, qualname, function))
        self.consume(function(*arguments[0], **arguments[1]))

    def instance(self, owner, qualname, function):
        """An object that the method may be called on."""
        if self.alone:
            return self.argument(qualname, next(iter(parameters_of(function)), None))
        prefix, _, name = qualname.rpartition(".")
        if name not in ("__init__", "__new__"):
            try:
                positional, named = self.arguments(f"{prefix}.__init__", owner.__init__, True)
                return owner(*positional, **named)
            except Exception:
                pass  # that is what driving `__init__` will tell
        return self.bare(owner)

    def bare(self, owner):
        """An instance that was never initialized: its attributes are missing, and nobody's fault."""
        try:
            value = owner.__new__(owner)
        except Exception:
            return self.engine.fresh(owner.__name__)
        self.engine.injected[id(value)] = value
        return value

    def arguments(self, qualname, function, bound):
        """Injected values for the parameters that need one; the first is left out for bound functions."""
        positional, named = [], {}
        for number, parameter in enumerate(parameters_of(function)):
            has_default = parameter.default is not parameter.empty
            if number == 0 and bound or has_default and (qualname, parameter.name) not in self.chosen:
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            value = self.argument(qualname, parameter)
            if parameter.kind is parameter.KEYWORD_ONLY or has_default:
                named[parameter.name] = value
            else:
                positional.append(value)
        return positional, named

    def argument(self, qualname, parameter):
        name = "self" if parameter is None else parameter.name
        site = self.sites.get((qualname, name))
        if site is not None and name not in ("self", "cls") and self.engine.assigned(site)[2] is not None:
            return self.engine.make(site)
        value = self.engine.fresh(name)
        if site is not None:
            self.engine.native.injected(site, "object", repr(value))
        return value

    def consume(self, result):
        """Lets a generator or a coroutine run."""
        if isinstance(result, Generator):
            for _number, _element in zip(range(ELEMENTS), result):
                pass
        elif isinstance(result, AsyncGenerator):

            async def all_elements():
                async for _ in result:
                    pass

            self.run_coroutine(all_elements())
        elif isinstance(result, Coroutine):
            self.run_coroutine(result)
