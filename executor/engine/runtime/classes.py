"""Classes that stand-ins turn out to be: bases of other classes, exceptions, types of patterns."""

from _surmise_frames import look_up
from _surmise_standins import AnyInstance, InjectedBase, InjectedError, InjectedObject, StandIn
from _surmise_values import last_name, safe_repr

ERROR_ENDINGS = ("Error", "Exception", "Warning", "Interrupt", "Exit")


class Classes:
    """The classes of one run; `answers` is asked where the program asks about an instance."""

    def __init__(self, answers):
        self.answers = answers
        self.native = answers.native
        self.bases = {}  # id of a stand-in -> (the stand-in, the class)
        self.patterns = {}

    # -- bases --------------------------------------------------------------------------------------------------

    def base_class(self, value, bases):
        """The class for a stand-in among the bases of another: `class Mine(value):`."""
        held = self.bases.get(id(value))
        if held is None:
            name = last_name(value._surmise_state.path)
            kind = InjectedObject
            if any(isinstance(base, type) and base is not object for base in bases):
                kind = InjectedBase  # the real bases have their own operations
            if name.endswith(ERROR_ENDINGS) or self.native.is_error_base(name):
                kind = InjectedError
            base = type(name, (kind,), {"__module__": "builtins"})
            held = self.bases[id(value)] = (value, base)
            self.answers.report(value, "base class", repr(base))
        return held[1]

    def is_instance(self, value, instance):
        base = self.bases.get(id(value))
        if base is not None and isinstance(instance, base[1]):
            return True
        if type(instance) is not StandIn:
            error = value._surmise_state.error
            return error is not None and isinstance(instance, error)
        return self.answers.decide(instance, "comparison", value, " is a ")

    def is_subclass(self, value, subclass):
        base = self.bases.get(id(value))
        if base is not None and isinstance(subclass, type) and issubclass(subclass, base[1]):
            return True
        return type(subclass) is StandIn and self.answers.decide(subclass, "comparison")

    # -- exceptions ---------------------------------------------------------------------------------------------

    def error_class(self, value):
        state = value._surmise_state
        if state.error is None:
            base = self.bases.get(id(value))
            if base is not None and issubclass(base[1], BaseException):
                state.error = base[1]
            else:
                name = last_name(value._surmise_state.path) or "Exception"
                state.error = type(name, (InjectedError,), {"__module__": "builtins"})
        return state.error

    def caught(self, value, number):
        """What `except value` catches."""
        if type(value) is tuple:
            return tuple(self.caught(item, number) for item in value)
        if type(value) is StandIn:
            return self.error_class(value)
        if not (isinstance(value, type) and issubclass(value, BaseException)) and self.is_injected(value, number):
            return InjectedError
        return value

    def raised(self, value, number):
        """What `raise value` raises."""
        if type(value) is StandIn:
            callee = value._surmise_state.callee
            if callee is not None:
                return self.error_class(callee)(*value._surmise_state.arguments)
            return self.error_class(value)
        if isinstance(value, BaseException) or not self.is_injected(value, number):
            return value
        if isinstance(value, type):
            return value if issubclass(value, BaseException) else InjectedError(value.__name__)
        return InjectedError(safe_repr(value))

    def is_injected(self, value, number):
        return self.answers.values.is_injected(value, number)

    def fail(self, dotted, number=None):
        """Raises what a handler of the program waits for; nothing where its class needs arguments of its own."""
        error = self.waited_for(dotted, self.answers.frames.innermost())
        if error is None:
            return
        if number is not None:
            self.native.injected(number, "raises", f"raises {type(error).__name__}")
        raise error

    def waited_for(self, dotted, frame):
        """The exception that a handler of this class in a frame waits for; None where its class needs arguments of its own."""
        kind = look_up(frame, dotted) if dotted is not None and frame is not None else Exception
        if kind is None:
            kind = self.missing_class(dotted)
        if type(kind) is tuple and kind:
            kind = kind[0]
        if type(kind) is StandIn:
            kind = self.error_class(kind)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return None
        for arguments in (("a",), (), (Exception("a"),), ("a", "a"), ("a", "a", "a")):
            try:
                return kind(*arguments)
            except Exception:
                continue
        return None

    def missing_class(self, dotted):
        """What the class of a handler that nothing defines is going to be."""
        root, *rest = dotted.split(".")
        value = self.answers.handler_class(root)
        for part in rest:
            value = self.answers.attribute(value, part, None) if type(value) is StandIn else None
        return value

    # -- patterns -----------------------------------------------------------------------------------------------

    def pattern_type(self, name):
        """The class that `case Name():` matches against."""
        if name not in self.patterns:
            self.patterns[name] = AnyInstance(name, (InjectedObject,), {})
        return self.patterns[name]
