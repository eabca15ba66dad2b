"""The part of the policy of `run` and `cover` that says which failures stand, and what the code goes on with after others."""

from _surmise_frames import may_return
from _surmise_lines import give_rows
from _surmise_samples import check_call, described, sample_of, sample_of_call

REPEATS = 3  # so many equal answers in a row at one place, then the other one: loops on stand-ins end
SYSTEM_ERRORS = (OSError, EOFError)
ALWAYS_REAL = (StopIteration, StopAsyncIteration, MemoryError, RecursionError)
MOST_INPUTS = 100  # answers for one `input()`
OF_MODES = {"not readable", "not writable", "read", "write"}  # what a file says that was opened for the other
BUILTIN_CONTAINERS = (list, dict, set, bytearray)
# Their methods that change them.
GIVE_NONE = set("append extend insert remove clear reverse sort update add discard".split())
RESULTS = {
    int: "positive integer",
    len: "positive integer",
    ord: "positive integer",
    round: "positive integer",
    float: "positive float",
    str: "non-empty string",
    repr: "non-empty string",
    chr: "non-empty string",
    list: "non-empty list",
    sorted: "non-empty list",
    tuple: "non-empty tuple",
    set: "non-empty set",
    dict: "non-empty dictionary",
    bool: "True",
    isinstance: "True",
    callable: "True",
}


class FailedCalls:
    """Failed reads and calls, by what was made up of them."""

    def read_may_fail(self, _value, _name):
        """Code that waits for the AttributeError of a stand-in gets it."""
        return True

    def usual_name(self, name):
        """The name of an attribute, under Python 3 where Python 2 has another one."""
        return name

    def repairs_attribute_of(self, _value):
        return True

    def keeps_unbound(self, _number):
        """That nothing was bound may come of what was made up before."""
        return False

    def through_property(self, _value, _name, _error, _held):
        """What a property gives that an object lacks something for; only where versions are compared."""
        return NotImplemented

    def lacked(self, _value, _name, _given):
        """An attribute was made up of an object that did not have it."""

    def changed(self, path, _name, _held):
        """What an attribute holds that was a constant before."""
        return self.fresh(path)

    def failing(self, _number):
        """A search chooses which calls fail, by its values."""

    def sets_variable(self, _name):
        """A search chooses which variables of the environment are set that need not be."""
        return False

    def outer_text(self, _name, usual):
        return usual

    def is_state(self, value):
        """True for what holds the state that callers of a function in its imported module have put there."""
        return self.frames.rewritten is not None and type(value).__name__ in ("ContextVar", "_local")

    def doubts_nothing(self, number):
        """True for a None in an imported module that comes of what was made up."""
        return self.frames.rewritten is not None and self.values.is_fed(number)

    def repair_call(self, number, site, callee, args, kwargs, error):
        """The result of a call that failed, or `NotImplemented`."""
        if isinstance(error, SYSTEM_ERRORS) or type(error).__name__ in ("CalledProcessError", "TimeoutExpired"):
            if not self.native.inject_io or self.expectations.expects(type(error), number):
                return NotImplemented
            if self.native.whole_input and isinstance(error, EOFError):
                return NotImplemented
            if type(error).__name__ == "UnsupportedOperation" and str(error) in OF_MODES:
                return NotImplemented  # the machine refused nothing: the program opened the file for something else
            return self.answer_io(number, site, sample_of_call(callee, args, kwargs))
        is_absent = is_of_absent_table(error) and self.native.inject_io and not self.native.makes_tables
        if is_absent and not self.expectations.expects(type(error), number):
            value = self.fresh(site.name + "()")
            self.native.injected(number, "real type", repr(value), value._surmise_state.path)
            give_rows(self, getattr(callee, "__self__", None), args, value)
            return value
        if type(error).__name__ == "TclError" and "display" in str(error) and self.native.inject_io:
            return self.window(number, callee)
        if isinstance(error, ALWAYS_REAL):
            return NotImplemented
        is_state = isinstance(error, LookupError) and self.is_state(getattr(callee, "__self__", None))
        if callee is None and self.doubts_nothing(number) or is_state or self.is_refused(error):
            return NotImplemented if self.expectations.expects(type(error), number) else self.make(number)
        owner = getattr(callee, "__self__", None)
        if not callable(callee):
            worked_on = () if self.values.has_true_type(callee) else (callee,)
        else:
            worked_on = (args, kwargs, callee) if owner is None else (args, kwargs, callee, owner)
        if not any(self.values.holds_injected(value, number) for value in worked_on):
            return self.make(number) if self.lacks_spread(number, error) else NotImplemented
        if (is_of_count(error) or is_of_field(error, owner, kwargs)) and not self.native.is_starred(number):
            if not any(self.values.holds_injected(value, number) for value in worked_on[2:]):
                return NotImplemented  # whatever the arguments are, they are too many or too few
        if is_of_own_key(error, args, self.values.injected):
            return NotImplemented  # whatever is in the list, it is one
        if isinstance(error, TypeError) and self.have_true_types(worked_on, number):
            return NotImplemented
        named = type_not_serializable(error)
        if named and not self.values.holds_injected_of(named, (args, kwargs), number):
            return NotImplemented
        if self.expectations.expects(type(error), number):
            return NotImplemented
        if any(sample_of(value) for value in (*args, *kwargs.values())):
            check_call(callee, args, kwargs)
        if type(owner) in BUILTIN_CONTAINERS and callee.__name__ in GIVE_NONE:
            self.native.injected(number, "None", "None")
            return None
        sample = sample_of_call(callee, args, kwargs)
        if sample is not None and self.native.inject_io:
            return self.answer_io(number, site, sample)
        return self.make(number, variant=result_class(callee))

    def lacks_spread(self, number, error):
        """True where `*args` of a function in its imported module have too few values, which nobody gave."""
        is_spread = self.frames.rewritten is not None and self.native.is_starred(number)
        return is_spread and is_of_count(error) and "missing " in str(error)

    def is_refused(self, error, traceback=None):
        """True for what the real code of a project or package raises in a call, unless it does nothing else."""
        traceback = traceback or error.__traceback__
        if traceback is None or self.frames.rewritten is None or isinstance(error, ALWAYS_REAL):
            return False
        if not self.frames.is_file_of_package(traceback.tb_frame.f_code.co_filename):
            return False
        return isinstance(error, NotImplementedError) or may_return(traceback.tb_frame.f_code)

    def have_true_types(self, worked_on, number):
        """True if all that was made up of the parts of a call is of the type that the real value has."""
        args, kwargs, *others = worked_on if len(worked_on) > 1 else ((), {}, *worked_on)
        parts = [*args, *kwargs.values(), *others]
        injected = [part for part in parts if self.values.holds_injected(part, number)]
        return all(self.values.has_true_type(part) for part in injected)

    def window(self, number, callee):
        """A window of tkinter where no display is: what would be asked of Tcl is asked of a stand-in."""
        value = getattr(callee, "__self__", None)
        if value is None:
            value = self.make(number, variant="object")
        else:
            self.native.injected(number, "None", "None")
            value.tk, value.master, value.children, value._w = self.fresh("tk"), None, {}, "."
        return value if isinstance(callee, type) else None

    def answer_io(self, number, site, sample):
        if sample is not None:
            value = self.fresh(site.name + "()")
            value._surmise_state.sample = sample
            if site.literal[0] == "raises":
                self.classes.fail(site.literal[1], number)
            self.native.injected(number, "real type", described(value), value._surmise_state.path)
            return value
        if site.name not in ("input", "raw_input"):
            return self.make(number)
        count = self.inputs[number] = self.inputs.get(number, 0) + 1
        if count > MOST_INPUTS:
            return NotImplemented  # what waits for another answer would never end
        kind, given = site.literal
        value = (
            eval(given, {"__builtins__": {}}) if kind == "given" else str(given) if kind in ("text", "number") else "1"
        )
        # As with questions: after a few equal answers what else the code asks for, so that loops end.
        others = self.native.input_texts(number)
        turn = (count - 1) % (REPEATS + len(others))
        if turn >= REPEATS:
            value = others[turn - REPEATS]
        self.values.keep_constant(value, number, has_true_type=True)
        self.native.injected(number, "non-empty string", repr(value))
        return value


def is_of_count(error):
    """True for an error of too many or too few arguments."""
    message = str(error)
    if isinstance(error, IndexError):
        return message.endswith("out of range for positional args tuple")  # `"{} {}".format(1)`
    counts = any(part in message for part in ("takes ", "missing ", "expected at "))
    return isinstance(error, TypeError) and "argument" in message and counts


def is_of_own_key(error, args, injected):
    """True if a container that the program made itself is what an error says not to be hashable."""
    if not isinstance(error, TypeError) or "unhashable type: '" not in str(error):
        return False
    return any(type(arg) in (list, dict, set) and id(arg) not in injected for arg in args)


def is_of_absent_table(error):
    """True for what `sqlite3` says of a database that is not there: it makes an empty one."""
    return type(error).__name__ == "OperationalError" and str(error).startswith("no such table")


def is_of_field(error, text, kwargs):
    """True for the `KeyError` of a field that a format asks for and nobody gives: `"{a} {b}".format(a=1)`."""
    key = error.args[0] if isinstance(error, KeyError) and error.args else None
    return type(text) is str and type(key) is str and key not in kwargs and "{" + key in text


def type_not_serializable(error):
    """The name of the type for which `json` has no form, if that is what an error says; else an empty text."""
    start, end = "Object of type ", " is not JSON serializable"
    message = str(error) if isinstance(error, TypeError) else ""
    return message[len(start) : -len(end)] if message.startswith(start) and message.endswith(end) else ""


def result_class(callee):
    """The class of what a builtin gives whatever it is given; None for others."""
    try:
        return RESULTS.get(callee)
    except TypeError:
        return None
