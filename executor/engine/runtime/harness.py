"""Harness calls: calls of the program's functions by the runtime itself, with injected arguments."""

import _signal  # builtin modules only: a program would find others loaded
import posix
import sys

from _surmise_signatures import AsyncGenerator, Coroutine, Function, Generator, Method, member, parameters_of
from _surmise_standins import StandIn

ELEMENTS = 1000  # of a generator that are asked for
OBSERVED = 30  # of them where each is compared
CALLBACKS = 4  # functions of the program that are called after it handed them on
LEVELS = 2  # functions returned by functions


class IsolatedCalls:
    """Calls whose output and errors are not the program's; each has little time."""

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
    """Ends an isolated call."""


class Harness:
    """Calls functions and methods by their qualified names.

    `parameters`: (qualified name of the function, name, site, given in spite of a default) of all functions; `excerpt`
    says that the program was cut out of its surroundings: methods get a stand-in as `self`.
    """

    def __init__(self, engine, parameters, excerpt, run_coroutine):
        self.answers = engine.answers
        self.native = engine.native
        self.values = engine.values
        self.frames = engine.frames
        self.observer = engine.observer
        self.sites = {(function, name): site for function, name, site, _ in parameters}
        self.chosen = {(function, name) for function, name, _, given in parameters if given}
        self.excerpt = excerpt
        self.run_coroutine = run_coroutine
        self.level = 0  # of functions returned by functions

    def run(self, namespace, qualname):
        """Calls the function whose end is the program's, under the eyes of the observer."""
        observer = self.observer
        observer.watch(namespace)
        try:
            self.call(namespace, qualname)
            if self.answers.calls_again():
                self.level = 0
                self.call(namespace, qualname)
        except BaseException as error:
            observer.failed(error)
            raise
        finally:
            self.call_back()
            observer.ended()

    def call(self, namespace, qualname):
        first, *rest = qualname.split(".")
        try:
            value, owner = namespace[first], None
            for part in rest:
                owner, value = value, member(value, part)
        except (KeyError, AttributeError):
            if self.excerpt:
                raise
            return  # the module did not come to define it
        needs_instance = False
        if isinstance(value, (staticmethod, classmethod)):
            # Without a class it is a method that was cut out of one.
            signature = value.__func__
            function = value.__func__ if owner is None else value.__get__(None, owner)
            bound = owner is not None and isinstance(value, classmethod)
        else:
            function = value if callable(value) else getattr(value, "fget", None) or getattr(value, "func", value)
            signature, bound = function, isinstance(owner, type)
            needs_instance = bound
        positional, named = self.arguments(qualname, signature, bound)
        if needs_instance:
            positional.insert(0, self.instance(owner, qualname, function))
        self.consume(function(*positional, **named))

    # -- arguments ----------------------------------------------------------------------------------------------

    def instance(self, owner, qualname, function):
        """An object that the method may be called on."""
        name = qualname.rpartition(".")[2]
        if not self.excerpt:
            return self.real_instance(owner, qualname, name)
        value = self.argument(qualname, next(iter(parameters_of(function)), None))
        if self.observer and type(value) is StandIn:
            # Methods that came along: the other version lacks them, so they are part of the change.
            for other, method in vars(owner).items():
                if isinstance(method, Function) and other != name:
                    value._surmise_state.attributes[other] = Method(method, value)
        return value

    def real_instance(self, owner, qualname, name):
        if name not in ("__init__", "__new__"):
            try:
                positional, named = self.arguments(f"{qualname.rpartition('.')[0]}.__init__", owner.__init__, True)
                return owner(*positional, **named)
            except Exception:
                pass  # that is what the call of `__init__` will show
        try:
            value = owner.__new__(owner)
        except Exception:
            return self.answers.fresh(owner.__name__)
        # It was never initialized: its attributes are missing, and nobody's fault.
        self.values.keep(value, owner.__name__)
        return value

    def arguments(self, qualname, function, bound):
        """Injected values for the parameters that need one; the first is passed over for bound functions."""
        positional, named, skipped = [], {}, False
        for number, parameter in enumerate(parameters_of(function)):
            if number == 0 and bound:
                continue
            has_default = parameter.default is not parameter.empty
            chosen = (qualname, parameter.name) in self.chosen
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += [] if skipped else self.answers.star_arguments()
            elif parameter.kind is parameter.VAR_KEYWORD:
                for name, value in self.answers.named_arguments().items():
                    named.setdefault(name, value)
            elif has_default and not self.answers.given_with_default(parameter.name, chosen):
                skipped = True
            elif not skipped and parameter.kind is not parameter.KEYWORD_ONLY:
                positional.append(self.argument(qualname, parameter))
            elif parameter.kind is not parameter.POSITIONAL_ONLY:
                named[parameter.name] = self.argument(qualname, parameter)
        named.update(self.answers.extra_arguments())
        return positional, named

    def argument(self, qualname, parameter):
        name = "self" if parameter is None else parameter.name
        number = self.sites.get((qualname, name))
        if name not in ("self", "cls") and parameter is not None:
            small = self.answers.small_argument(parameter, name)
            if small is not NotImplemented:
                return small
            if number is not None and self.native.site(number).assigned is not None:
                return self.answers.make(number)
        value = self.answers.parameter(name)
        if number is not None:
            self.native.injected(number, "object", repr(value))
        return value

    # -- results ------------------------------------------------------------------------------------------------

    def consume(self, result):
        """Lets a generator or a coroutine run, and calls a function that was returned where an observer compares."""
        observer = self.observer
        iterators = (Generator, map, filter, zip, enumerate, reversed) if observer else (Generator,)
        if isinstance(result, iterators):
            observer.returned(type(result).__name__)
            for element in first_of(result, OBSERVED if observer else ELEMENTS):
                observer.happened("yield", observer.describe(element))
        elif isinstance(result, AsyncGenerator):
            self.run_coroutine(self.all_elements(result))
        elif isinstance(result, Coroutine):
            self.run_coroutine(self.outcome(result) if observer else result)
        elif observer and isinstance(result, Function) and self.frames.defines(result):
            if self.level < LEVELS:
                observer.returned("<function>")
                self.level += 1
                self.call_function(result, f"result{self.level}")
            else:
                observer.returned(observer.describe(result))
        else:
            observer.returned(observer.describe(result))

    async def all_elements(self, result):
        left = OBSERVED if self.observer else ELEMENTS
        async for element in result:
            self.observer.happened("yield", self.observer.describe(element))
            left -= 1
            if left == 0:
                return

    async def outcome(self, result):
        self.observer.returned(self.observer.describe(await result))

    def call_function(self, function, name):
        """Calls a function with values of its own, which differ by position."""
        positional, named = [], {}
        for number, parameter in enumerate(parameters_of(function)):
            if parameter.kind is parameter.VAR_KEYWORD or parameter.default is not parameter.empty:
                continue
            value = self.answers.fresh(f"{name}.{number}")
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        self.consume(function(*positional, **named))

    def call_back(self):
        """Calls functions that were handed to something missing, which might have called them."""
        for number, function in enumerate(self.observer.callbacks[:CALLBACKS]):
            self.observer.happened("callback", str(number))
            self.level = LEVELS
            try:
                self.call_function(function, f"callback{number}")
            except Exception as error:
                self.observer.failed(error)


def first_of(elements, count):
    """The first elements of an iterator, which is not asked for more."""
    for _number in range(count):
        try:
            yield next(elements)
        except StopIteration:
            return
