"""The engine of paired runs: two versions of a function get the same values, however their code is written.

What an operation on a stand-in answers depends on the stand-in's path (`orders.pending()[0].total`), on the operation
and its operands, never on the place in the code. The path of a call's result holds the arguments and, from the second
equal call on, its number. Calls may change what a stand-in is: its truth and length are drawn anew after each.
"""

import sys

from _surmise_answers import CHAIN, EXHAUSTED
from _surmise_behaviour import Behaviour
from _surmise_engine import Engine
from _surmise_paired_modules import Modules
from _surmise_paired_parts import PairedParts
from _surmise_paired_standins import install
from _surmise_paired_values import PairedValues
from _surmise_situation import look_up
from _surmise_values import EMPTY, safe_repr

LOGS = {"log", "logs", "logger", "_logger", "_log", "logging", "LOG", "LOGGER", "_LOGGER", "__logger"}
# Known to do nothing but give a value.
WITHOUT_EFFECT = {"Path", "pathlib.Path", "PurePath", "pathlib.PurePath", "cast", "typing.cast", "t.cast"}
ERROR_ENDINGS = ("Error", "Exception", "Warning")
BUILTIN = (type(len), type(str.join), type("".__len__), type(str.__len__), type)


class Paired(PairedParts, PairedValues, Behaviour, Engine):
    """`pairing`: (salt, classes by key, texts, numbers, raises, aliases, extra parameters, messages count,
    logging counts)."""

    def __init__(self, pairing, *arguments):
        super().__init__(*arguments)
        salt, self.classes, self.texts, self.numbers, self.raises, self.aliases, self.extra, *strict = pairing
        self.salt = salt
        self.strict_messages, self.strict_logging = strict
        install(self.types, self)
        self.begin()

    def run_beside(self, package, sources):
        sys.modules["__main__"].__package__ = package
        self.beside = Modules(self, sources)

    def load_beside(self):
        self.beside.load()
        self.begin()  # what happens there is no behaviour of the function

    def begin(self):
        self.epochs = {}  # calls made on a path
        self.asked = {}
        self.calls = {}
        self.last_calls = {}  # path of a result -> place of the call in the trace; concrete results by their id
        self.keyed = {}
        self.results = {}
        self.start_trace()

    # -- telling ------------------------------------------------------------------------------------------------

    def choice_of(self, key):
        answer = self.choices.get(key)
        if type(answer) is tuple:
            self.fail(answer[0])
            return None
        return answer

    def tell_choice(self, key, stand_in, operation, answer):
        if key in self.keyed:
            return
        self.keyed[key] = answer
        self.given[key] = str(answer)
        frame = self.program_frame()
        if frame is not None:
            self.native.answered(frame.f_lineno, -1, operation, stand_in._surmise_state.name, str(answer))
            self.native.chose(key, frame.f_lineno, answer)

    def program_frame(self):
        """The innermost frame of the file itself: its lines are those that are told."""
        frame = self.frame()
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame

    def note(self, stand_in, operation, answer, name=None, choice=None):
        frame = self.program_frame()
        if frame is not None and (frame.f_code, frame.f_lasti, operation) not in self.noted:
            self.noted.add((frame.f_code, frame.f_lasti, operation))
            self.native.answered(frame.f_lineno, -1, operation, name or stand_in._surmise_state.name, answer)

    def chosen(self, stand_in, operation):
        return None

    # -- calls --------------------------------------------------------------------------------------------------

    def is_log(self, path):
        """True for what belongs to a logger; what is in the arguments of a call is not the call's own."""
        if self.strict_logging:
            return False
        outside, depth = [], 0
        for letter in path:
            depth += (letter == "(") - (letter == ")")
            if depth == 0 and letter != ")":
                outside.append(letter)
        return not LOGS.isdisjoint("".join(outside).split("."))

    def called(self, path, args, kwargs, raised=False):
        """Records a call; returns the path of its result. `raised` is what is called in a `raise`."""
        silent = self.is_log(path)
        blank = path.rpartition(".")[2] in ("warn", "warn_explicit") and not self.strict_messages
        told = ["..." if blank and type(value) is str else self.argument(value) for value in args]
        told += sorted(f"{name}={self.argument(value)}" for name, value in kwargs.items())
        if (raised or path.endswith(ERROR_ENDINGS)) and not self.strict_messages:
            told = ["..."]  # the arguments of an exception are its message
        result = f"{path}({', '.join(told)})"
        if silent:
            return f"{path}()"
        if path in WITHOUT_EFFECT:
            return self.path(result)
        count = self.calls[result] = self.calls.get(result, 0) + 1
        numbered = result if count == 1 else f"{result}#{count}"
        self.record("call", result)
        self.last_calls[self.path(numbered)] = len(self.trace) - 1
        for value in (*args, *kwargs.values()):
            if callable(value) and self.of_snippet(value) and not isinstance(value, type):
                self.callbacks.append(value)
        return self.path(numbered)

    def argument(self, value):
        # 1 and True are equal.
        return repr(int(value)) if type(value) is bool else self.describe(value)

    def of_snippet(self, callee):
        return type(callee) is not self.types.StandIn and super().of_snippet(callee)

    def result_of(self, callee, args, kwargs, site):
        state = callee._surmise_state
        raised = site is not None and self.assigned(site)[3] == "raised"
        path = self.called(state.name, args, kwargs, raised)
        owner = state.parent
        if not self.is_log(state.name):
            for changed in (callee, owner):
                if changed is not None:
                    name = changed._surmise_state.name
                    self.epochs[name] = self.epochs.get(name, 0) + 1
        name = state.name.rpartition(".")[2]
        key = f"return value:{name}"
        made, literal = self.classes.get(key, ("object", None))
        if literal is not None and literal[0] == "raises":
            self.fail(literal[1], site)
        elif self.raises and not self.is_log(path) and self.draw(f"{path}:raises", (5, 12)[self.salt % 2]) == 4:
            self.fail(self.raises[self.draw(f"{path}:which", len(self.raises))])
        count = self.results[key] = self.results.get(key, 0) + 1
        variant = EMPTY.get(made) if count > EXHAUSTED else None
        if variant is None and self.chain(callee, key) >= CHAIN:
            variant = "none"
        if site is not None:
            value = self.make(site, callee, path, variant)
        else:
            value, _ = self.value(path, key, variant, callee)
        if type(value) is not self.types.StandIn and self.trace:
            self.last_calls[id(value)] = len(self.trace) - 1
        if type(value) is self.types.StandIn:
            value._surmise_state.callee = callee
            value._surmise_state.arguments = args
            if count > EXHAUSTED:
                value._surmise_state.length = 0
        return value

    def error_class(self, stand_in):
        state = stand_in._surmise_state
        if state.error is None and id(stand_in) not in self.bases:
            # Without the arguments that the path of a call holds.
            name = state.name.partition("(")[0].rpartition(".")[2] or "Exception"
            state.error = type(name, (self.types.InjectedError,), {"__module__": "builtins"})
        return super().error_class(stand_in)

    def raised(self, site, value):
        made_up = not isinstance(value, BaseException) and type(value) is not self.types.StandIn
        at = self.last_calls.get(id(value))
        if made_up and not self.strict_messages and at is not None and self.trace[at][0] == "call":
            self.trace[at] = ("call", f"{self.trace[at][1].partition('(')[0]}(...)")
        if type(value) is self.types.StandIn and not self.strict_messages:
            # The arguments of an exception are its message.
            at = self.last_calls.get(value._surmise_state.name)
            if at is not None and at < len(self.trace) and value._surmise_state.callee is not None:
                self.trace[at] = ("call", f"{value._surmise_state.callee._surmise_state.name}(...)")
        return super().raised(site, value)

    def call_failed(self, site, callee, args, kwargs, error):
        _kind, name, assigned, role, _count = self.assigned(site)
        if assigned is None or self.from_snippet(error) or self.of_snippet(callee):
            return NotImplemented
        injected = [value for value in (*args, *kwargs.values()) if type(value) is self.types.StandIn]
        of_system = isinstance(error, (OSError, EOFError))
        if not (injected or of_system or not callable(callee)) or isinstance(error, (StopIteration, RecursionError)):
            return NotImplemented
        if of_system and not self.inject_io or self.expects(type(error), site):
            return NotImplemented
        plain = self.result_class(callee)
        if plain is None and (of_system or not isinstance(callee, BUILTIN)):
            path = self.called(name or safe_repr(callee), args, kwargs, role == "raised")
        else:
            path = self.path(f"{name}({', '.join(self.describe(value) for value in injected)})")
        return self.make(site, None, path, plain)

    def attribute_failed(self, site, value, error):
        if isinstance(value, (str, bytes, int, float, list, tuple, dict, set)) and self.salt % 3 == 2:
            return NotImplemented  # a value of the wrong type is an input, too
        return super().attribute_failed(site, value, error)

    def expects(self, kind, what):
        if kind is AttributeError:
            return self.salt % 4 == 3 and self.expected(kind)
        return super().expects(kind, what)

    def decorator(self, site, value):
        if type(value) is self.types.StandIn:
            self.record("decorate", value._surmise_state.name)
        return super().decorator(site, value)

    def fail(self, dotted, site=None):
        frame = self.frame()
        if dotted is not None and frame is not None and look_up(frame, dotted) is None:
            root, *rest = dotted.split(".")
            kind = self.names.setdefault(root, self.fresh(root))
            for part in rest:
                if type(kind) is self.types.StandIn:
                    attributes = kind._surmise_state.attributes
                    kind = attributes.setdefault(part, self.fresh(f"{kind._surmise_state.name}.{part}", kind))
            if type(kind) is self.types.StandIn:
                raise self.error_class(kind)("a")
        super().fail(dotted, site)
