"""The trace of a run: which lines of the program ran, in which calls, and what its variables were in between.

Loaded only into a run that is traced, for predictive execution (ORCA): the parent lays what was predicted beside it. The
program's own frames are traced alone, so that the rest of the run takes its usual time.
"""

import sys
from types import CodeType, FunctionType, ModuleType

from _surmise_standins import Awaitable, Dict, Module, StandIn
from _surmise_values import safe_repr

STEPS = 3000  # of a trace that are kept
TEXT = 200  # characters of a value
ITEMS = 30  # elements of a container that are written
DEPTH = 4
CUT = "..."  # the end of what is too long
INNER = "<"  # how names of comprehensions and lambdas begin, which are parts of their statement
MODULE = "<module>"
OPTIMIZED = 0x01  # the flag of code objects of functions
GENERATOR = 0x20 | 0x80 | 0x200  # those of generators, coroutines and asynchronous generators
HAS_COLUMNS = hasattr(CodeType, "co_positions")  # from Python 3.11 on: without them a line is one statement
LEFT = 0  # the line of a step that leaves a call
OMITTED = (ModuleType, Module, FunctionType, type, staticmethod, classmethod, property)
CONTAINERS = (list, tuple, set, frozenset, dict, Dict)
PLAIN = (type(None), bool, int, float, str, bytes)


class Tracer:
    """Steps of one run: (call, line, column or None, changes of the call's variables before it)."""

    def __init__(self, native):
        self.native = native
        self.filename = native.filename
        self.shared_lines = native.shared_lines if HAS_COLUMNS else ()  # on which several statements stand
        self.steps = []
        self.calls = {}  # frame -> (its number, its variables as they were written last)
        self.raised = {}  # frame -> the line in which an exception was raised last
        self.count = 0
        self.is_over = False

    def begin(self):
        sys.settrace(self.called)

    def end(self):
        """Hands the trace over, once."""
        if not self.is_over:
            self.is_over = True
            sys.settrace(None)
            self.native.traced(self.steps, len(self.steps) >= STEPS)

    def called(self, frame, _event, _argument):
        """The program is about to run a frame."""
        code = frame.f_code
        if code.co_filename != self.filename or (code.co_name.startswith(INNER) and code.co_name != MODULE):
            return None
        if frame not in self.calls:  # a generator is entered again
            self.count += 1
            self.calls[frame] = (self.count, {})
        if self.shared_lines:
            # In this order: from Python 3.13 on only a traced frame can have its instructions traced.
            frame.f_trace = self.stepped
            frame.f_trace_opcodes = True
        return self.stepped

    def stepped(self, frame, event, _argument):
        """A line, or an instruction of a line with several statements, is about to run, or the frame is left."""
        if self.is_over or frame not in self.calls:
            return None
        line = frame.f_lineno
        if event == "exception":
            self.raised[frame] = line
            return self.stepped
        # Before Python 3.10, contexts are left in the line that raised, which is traced a second time.
        is_unwinding = self.raised.pop(frame, None) == line and event == "line"
        if event == "line" and line not in self.shared_lines and not is_unwinding and not is_header(frame.f_code, line):
            self.step(frame, line, None)
        elif event == "opcode" and line in self.shared_lines:
            self.step(frame, line, column_of(frame))
        elif event == "return":
            self.step(frame, LEFT, None)
            if not frame.f_code.co_flags & GENERATOR:
                self.calls.pop(frame, None)
        if len(self.steps) >= STEPS:
            self.end()
            return None
        return self.stepped

    def step(self, frame, line, column):
        number, known = self.calls[frame]
        found = {
            name: (type_name(value), *described(value))
            for name, value in list(frame.f_locals.items())
            if not name.startswith("__") and not issubclass(type(value), OMITTED)
        }
        changes = [(name, *what) for name, what in found.items() if known.get(name) != what]
        changes += [(name, "", None, False) for name in known if name not in found]
        if line == LEFT or changes or column is None or self.is_elsewhere(number, line, column):
            self.steps.append((number, line, column, changes))
            self.calls[frame] = (number, found)

    def is_elsewhere(self, number, line, column):
        """True unless the last step stood at the same place: one statement has many instructions."""
        return not self.steps or self.steps[-1][:3] != (number, line, column)


def is_header(code, line):
    """True for the line of a class header as part of the class body, which sets `__module__` there."""
    is_body = not code.co_flags & OPTIMIZED and code.co_name != MODULE
    return is_body and line == code.co_firstlineno


def column_of(frame):
    """The column of the running instruction, from 0 in UTF-8 bytes; None where it has none."""
    for number, place in enumerate(frame.f_code.co_positions()):
        if number == frame.f_lasti // 2:
            return place[2]
    return None


def type_name(value):
    if type(value) is Dict:
        return "dict"
    return "object" if type(value) in (StandIn, Awaitable) else type(value).__name__


def described(value):
    """(a value as Python writes it, whether something was left out of it). Runs no code of the program."""
    omitted = []
    text = description(value, DEPTH, omitted)
    if len(text) > TEXT:
        text = text[:TEXT] + CUT
        omitted.append(value)
    return text.encode("utf-8", "backslashreplace").decode(), bool(omitted)


def description(value, depth, omitted):
    """The text of a value; what stands in it in another form than its own is added to `omitted`."""
    kind = type(value)
    if kind in (StandIn, Awaitable):
        text = safe_repr(value)
        if CUT in text:
            omitted.append(value)
        return text
    if kind in PLAIN:
        # The text of huge numbers takes quadratic time.
        if kind is not int or value.bit_length() < 8 * TEXT:
            return repr(value)
        omitted.append(value)
        return "<int>"
    if kind in CONTAINERS and (depth == 0 or len(value) > ITEMS):
        omitted.append(value)
    if depth == 0:
        return f"<{kind.__name__}>"
    inner = depth - 1
    if kind in (list, tuple, set, frozenset):
        items = [description(item, inner, omitted) for _number, item in zip(range(ITEMS), value)]
        listed = ", ".join(items) + (", ..." if len(value) > ITEMS else "")
        if kind is list:
            return f"[{listed}]"
        if kind is tuple:
            return f"({listed},)" if len(value) == 1 else f"({listed})"
        listed = f"{{{listed}}}" if value else ""
        return f"frozenset({listed})" if kind is frozenset else listed or "set()"
    if kind in (dict, Dict):
        pairs = [
            f"{description(key, inner, omitted)}: {description(item, inner, omitted)}"
            for _number, (key, item) in zip(range(ITEMS), dict.items(value))
        ]
        return f"{{{', '.join(pairs)}{', ...' if len(value) > ITEMS else ''}}}"
    return f"<{kind.__name__}>"
