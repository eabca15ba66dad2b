"""Calls whose output and errors are not the program's: of functions that nobody calls, and of those that they define."""

import _signal  # builtin modules only: a program would find others loaded
import posix
import sys

from _surmise_program import codes_in
from _surmise_signatures import Function, Parameter, parameters_of

INNER_CALLS = 8  # of functions that one call of a function has made
LEVELS = 3  # functions that functions make
LATE = 2  # of these calls that may take all of their time
MORE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


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


def functions_of(codes):
    """The functions that somebody holds with one of these code objects."""
    import gc  # now: a program would find it loaded, and hardly any run needs it

    return [one for one in gc.get_objects() if type(one) is Function and one.__code__ in codes]


class InnerFunctions:
    """The functions that a function has made when it was called, such as what a decorator returns: nobody calls them when it
    has ended, and only there do they run. Those that nobody holds any more are called as well where that is `wanted`: callbacks
    that found nothing to do."""

    def __init__(self, harness, function):
        self.harness, self.late = harness, 0
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        self.codes = set()
        if type(code) is type(codes_in.__code__):
            self.codes = {inner for inner in codes_in(code) if not inner.co_name.startswith("<")} - {code}
        self.wanted = bool(self.codes) and harness.answers.calls_what_is_made(code.co_name)
        self.makers = {code, *self.codes} if self.wanted else set()
        self.held = []
        self.profile = None  # the program's own

    def __enter__(self):
        if self.wanted:
            self.profile = sys.getprofile()
            sys.setprofile(self.look)
        return self

    def __exit__(self, _kind, error, _traceback):
        """Calls them also where the function has failed, as the next call of it may not."""
        try:
            if error is None or self.wanted and isinstance(error, Exception):
                self.call()
        finally:
            if self.wanted:
                sys.setprofile(self.profile)

    def look(self, frame, event, _argument):
        code = frame.f_code
        if code not in self.makers:
            return
        if event == "call":
            self.codes.discard(code)
        elif event == "return":
            self.held += [value for value in frame.f_locals.values() if type(value) is Function]

    def call(self):
        """Calls them with injected arguments, and what they make in turn, each one once, while the results hold them."""
        results = []  # which hold what is called next
        for _ in range(LEVELS):
            made = self.made() if self.codes else []
            if not made:
                return
            results.append([self.outcome(function) for function in made[:INNER_CALLS]])

    def made(self):
        """The functions that are there, of which none was called."""
        found = functions_of(self.codes)
        self.codes -= {one.__code__ for one in found}
        return found

    def outcome(self, function):
        """What a call comes to: with predicted arguments or, where it fails with those, with objects that bear anything."""
        if self.late == LATE:
            return None
        for with_objects in (False, True):
            isolated = IsolatedCalls()
            isolated.begin()
            try:
                positional, named = self.objects(function) if with_objects else self.arguments(function)
                result = function(*positional, **named)
                self.harness.consume(result)
                return result
            except Exception:
                continue  # nobody knows what it would be given
            except TimeIsUp:
                self.late += 1  # others may take as long, and the run has little time
                return None
            finally:
                isolated.end()
        return None

    def arguments(self, function):
        return self.harness.arguments(function.__qualname__.replace(".<locals>", ""), function, False)

    def objects(self, function):
        """A stand-in for each parameter without a default."""
        positional, named = [], {}
        for parameter in parameters_of(function):
            if parameter.default is not parameter.empty or parameter.kind in MORE:
                continue
            value = self.harness.answers.fresh(parameter.name)
            if parameter.kind is Parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        return positional, named
