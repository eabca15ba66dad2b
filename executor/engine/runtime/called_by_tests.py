"""Calls that the tests of a project make of a function, under the eyes of an observer: their arguments are real ones."""

import re
import sys
import warnings
import zlib

from _surmise_cases_of_tests import Examples, cases
from _surmise_signatures import Generator
from _surmise_snapshots import Snapshot
from _surmise_values import is_iterator

CALLS = 1500  # of all tests
MOST_CALLS = 5000  # of one test
MOST_REPEATED = 12  # times that a test is begun again, since a call had used up its arguments
# A function of a test that is called with other arguments.
OTHER_ARGUMENTS = re.compile(r"(\S*<(?:locals|lambda)>\S*)\(\) (?:takes|missing|got) ")
VARARGS, VARKEYWORDS = 0x04, 0x08  # flags of code objects


class Called(BaseException):
    """Ends a test where it calls the function."""


def run(harness):
    """Calls the function of a harness as one test does, or as all do, one after the other."""
    calls, wanted = CallsOfTests(harness), harness.answers.drawing.test
    if wanted is None:
        harness.observer.of_tests = calls.survey()
    else:
        harness.observe(lambda: calls.single(*wanted))


class CallsOfTests:
    """The calls of the function of a harness in the tests that its drawing names."""

    def __init__(self, harness):
        self.harness = harness
        self.observer = harness.observer
        self.function = harness.entered.function
        self.drawing = harness.answers.drawing
        self.entry = None  # the place in its code where the function begins
        self.modules = set()  # those of the tests
        harness.answers.called_in = vars(harness.entered.module)
        frames, root = harness.engine.frames, self.drawing.root_of_tests
        self.folders = frames.folders
        # What tests define belongs to neither version, or to both.
        frames.folders = (*frames.folders, *([root] if root else ()))

    def cases(self):
        finder, paths = self.harness.engine.finder, list(sys.path)
        sys.meta_path.remove(finder)  # a test that lacks a module is none
        try:
            examples = Examples(self.function.__doc__ or "", vars(self.harness.entered.module))
            found = cases(self.drawing.tests, self.drawing.root_of_tests)
            self.modules = {case.module for _name, case in found}
            return [(f"docstring of {self.function.__qualname__}", examples), *found]
        finally:
            sys.path[:] = paths
            sys.meta_path.append(finder)

    def survey(self):
        """Makes all calls, each as if it was the only one; (name of the test, number of its call, digest of the arguments,
        digest of the behaviour) of each."""
        found = []
        for name, case in self.cases():
            seen, begin = set(), 0
            while begin is not None and len(found) < CALLS:
                begin = self.survey_from(begin, name, case, seen, found)
        self.harness.answers.begin()
        return found

    def survey_from(self, begin, name, case, seen, found):
        """Adds the calls that a test makes from one on to those found, but for such with arguments that were seen. The call
        goes on as if nobody had looked; where its arguments are used up, the test ends, and the number of its next call is
        returned."""
        number, end = -1, None

        def look(held):
            nonlocal number, end
            number += 1
            if not begin <= number < MOST_CALLS or len(found) == CALLS:
                return
            given, is_used_up = digest(self.described(held)), has_iterator(held)
            if given in seen and not is_used_up:
                return
            seen.add(given)
            self.harness.answers.begin()
            error = self.call(held)
            if error is not None:
                self.observer.failed(error)
            self.harness.call_back()
            self.observer.ended()
            if not self.is_asserted(error):
                found.append((name, number, given, digest(self.observer.entries())))
            if is_used_up:
                end = number + 1 if number < MOST_REPEATED else None
                sys.setprofile(None)
                raise Called

        self.watch(case, look)
        return end

    def single(self, wanted, number):
        """Makes one of the calls, in the middle of its test, which ends there."""
        left, raised = number, None

        def look(held):
            nonlocal left, raised
            if left:
                left -= 1
                return
            self.harness.answers.begin()
            module = vars(self.harness.entered.module)
            self.observer.watch(module, self.function.__qualname__, Snapshot(module))
            self.observer.given["test"] = f"{wanted}, call {number + 1}"
            raised = self.call(held)
            sys.setprofile(None)
            raise Called

        case = dict(self.cases()).get(wanted)
        if case is not None:
            self.watch(case, look)
        if raised is not None:
            raise raised

    def watch(self, case, look):
        """Calls a test; what the function is given is looked at as each of its calls begins."""
        code = self.function.__code__

        def begun(frame):
            if self.entry is None:
                self.entry = frame.f_lasti
            if frame.f_lasti == self.entry:  # else a generator goes on
                look(passed(code, frame.f_locals))

        before = sys.getprofile()
        self.harness.engine.native.profile(code, begun)
        try:
            case()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            sys.setprofile(before)

    def is_of_tests(self, name):
        """True for a name by which a file with tests defines something."""
        defined = [vars(module)[name] for module in self.modules if name in vars(module)]
        own = {module.__name__ for module in self.modules}
        return name == "<lambda>" or any(getattr(one, "__module__", None) in own for one in defined)

    def described(self, given):
        positional, named = given
        values = [*positional, *named.items()]
        return [f"{name}={self.observer.describe(value)}" for name, value in values]

    def call(self, given):
        """Calls the function; what it is given, and what is left of that, is observed. What it raises is returned."""
        positional, named = given
        for name, value in [*positional, *named.items()]:
            self.observer.made(name, value)
        values, first = [value for _, value in positional], next((name for name, _ in positional), None)
        if first == "cls":
            self.observer.calls(None)
        else:
            self.observer.calls(self.harness.expression(self.function.__qualname__, values, named, first == "self"))
        self.harness.level = 0
        with warnings.catch_warnings():  # the test may have taken them
            self.observer.watch_warnings()
            try:
                self.harness.consume(self.function(*values, **named))
            except (Exception, SystemExit) as error:
                return error
        return None

    def is_asserted(self, error):
        """True where what a test puts in the place of something says that it must not be used, or not in that way: tests know how
        one version goes about it."""
        if isinstance(error, TypeError):
            refused = OTHER_ARGUMENTS.match(str(error))
            return refused is not None and self.is_of_tests(refused[1].partition(".")[0])
        if not isinstance(error, AssertionError):
            return False
        traceback = error.__traceback__
        while traceback.tb_next is not None:
            traceback = traceback.tb_next
        file = traceback.tb_frame.f_code.co_filename
        is_of_project = any(file.startswith(f"{folder}/") for folder in self.folders)
        return not is_of_project or any(file == one.path for one in self.drawing.tests)


def has_iterator(given):
    """True if a call uses an argument up."""
    positional, named = given
    return any(is_iterator(value) or isinstance(value, Generator) for _, value in [*positional, *named.items()])


def passed(code, held):
    """The arguments of a call of some code, by what its frame holds as it begins."""
    names = code.co_varnames
    count = code.co_argcount
    positional = [(name, held[name]) for name in names[:count]]
    end = count + code.co_kwonlyargcount
    named = {name: held[name] for name in names[count:end]}
    if code.co_flags & VARARGS:
        positional += [(f"{names[end]}[{number}]", value) for number, value in enumerate(held[names[end]])]
        end += 1
    if code.co_flags & VARKEYWORDS:
        named.update(held[names[end]])
    return positional, named


def digest(parts):
    return zlib.crc32(repr(parts).encode("utf-8", "replace"))
