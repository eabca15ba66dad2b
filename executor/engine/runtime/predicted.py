"""The policy of `run` and `cover`: values are of the class predicted for their site, questions are answered by place."""

from _surmise_answers import CHAIN, EXHAUSTED, Answers
from _surmise_comparisons import Comparisons
from _surmise_frames import may_return
from _surmise_lines import give_rows
from _surmise_samples import (
    check_call,
    check_operands,
    described,
    holds_itself,
    result_of_method,
    sample_of,
    sample_of_call,
)
from _surmise_signatures import parameters_of
from _surmise_standins import StandIn
from _surmise_values import CONSTANTS, EMPTY, NO_LITERAL, PLAIN, RETURN_VALUE, last_name, safe_repr

REPEATS = 3  # so many equal answers in a row at one place, then the other one: loops on stand-ins end
ELEMENTS = 2  # elements of an iterated stand-in
SHOWN = (type(None), bool, int, float, complex, str, bytes, StandIn)
SYSTEM_ERRORS = (OSError, EOFError)
ALWAYS_REAL = (StopIteration, StopAsyncIteration, MemoryError, RecursionError)
MOST_INPUTS = 100  # answers for one `input()`
NOT_EXPECTED = (None, False)
FILLED = {list: "non-empty list", dict: "non-empty dictionary", set: "non-empty set", tuple: "non-empty tuple"}
OF_MODES = {"not readable", "not writable", "read", "write"}  # what a file says that was opened for the other


class Predicted(Answers):
    """Answers by site and by place in the code."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.counts = {}  # how often a place asked a question
        self.calls = {}  # how often there was an equal call
        self.inputs = {}  # how often there was an answer for `input()`, by site
        self.comparisons = Comparisons()
        self.instances = {}  # number of a stand-in -> {real class: whether it is an instance of it}
        self.expected = self.native.expected_answers

    # -- values -------------------------------------------------------------------------------------------------

    def class_of(self, path, _key, site):
        if site is None:
            return self.native.imported(path) or ("object", NO_LITERAL)
        return site.assigned, site.literal

    def constant(self, made, _path):
        return CONSTANTS[made]

    def container_length(self, _path, _parent, length):
        return 1 if length is None else length

    def container_keys(self, _path):
        return ["a"]

    def part(self, path, parent, origin):
        return self.fresh(path, parent, origin)

    def described(self, value):
        """Short, and without running code of the program."""
        return safe_repr(value) if type(value) in SHOWN else f"<{type(value).__name__}>"

    def origin(self, _key, site=None):
        """A value is made by a site, or by the running instruction."""
        return site.number if site is not None else self.frames.place()

    def hash_of(self, value):
        """By number and not by address: sets have the same order in each run."""
        return value._surmise_state.number * 0x9E3779B97F4A7C15 & 0x1FFFFFFFFFFFFFFF

    def end_of_chain(self, site):
        """What a chain of values of one maker ends with: nothing, in a form that the code can use."""
        return {"": "None", "unused": "None", "iterated": "empty list"}.get(site.role)

    # -- questions ----------------------------------------------------------------------------------------------

    def key_of(self, _value, operation):
        """Names the running instruction in every run of one text."""
        frame = self.frames.innermost()
        if frame is None:
            return None
        code = frame.f_code
        return f"{code.co_name}:{code.co_firstlineno}:{frame.f_lasti}:{operation}"

    def count(self, question):
        """How often this place asked the question before."""
        place = (self.frames.place(), question)
        count = self.counts.get(place, 0)
        self.counts[place] = count + 1
        return count

    def decide(self, value, operation, *_operands, usual=True, question=None):
        """The usual answer; but after a few times at one place once the other, so that loops end and both branches run."""
        key = self.key_of(value, operation)
        answer = self.chosen(value, operation, key)
        if answer is None and question is None and self.expected:
            expected, always = self.expected_answer(operation)
            if always:
                answer = expected
            elif expected is not None:
                usual = expected
        if answer is None:
            answer = usual == (self.count(question or operation) % (REPEATS + 1) < REPEATS)
        answer = bool(answer)
        self.report(value, operation, str(answer), None, key, answer)
        return answer

    def expected_answer(self, operation):
        """(answer that leads where real runs go, or None; whether it is given each time)."""
        frame = self.frames.innermost()
        return self.expected.get((frame.f_lineno, operation), NOT_EXPECTED) if frame is not None else NOT_EXPECTED

    def is_of_real_class(self, value, kinds):
        """Whether a stand-in is an instance of classes of the project or of a package that it imports, or `NotImplemented`
        where there are others; answers agree with each other."""
        kinds = kinds if type(kinds) is tuple else (kinds,)
        if self.frames.rewritten is None or not all(isinstance(kind, type) for kind in kinds):
            return NotImplemented
        if not all(self.frames.is_of_package(kind) for kind in kinds):
            # Of what is predicted otherwise it is none, unless a search finds that it leads on.
            is_plain = any(kind in PLAIN or kind in FILLED for kind in kinds)
            is_one = is_plain or any(isinstance(value, kind) for kind in kinds)
            return NotImplemented if is_one else self.decide(value, "comparison", usual=False, question="instance")
        known = self.instances.setdefault(value._surmise_state.number, {})
        for kind, is_one in known.items():
            if is_one and any(issubclass(kind, other) for other in kinds):
                return True
        if any(known.values()) or all(known.get(kind) is False for kind in kinds):
            return False
        answer = self.decide(value, "comparison", kinds[0])
        known.update(dict.fromkeys(kinds[:1] if answer else kinds, answer))
        return answer

    def compare(self, value, name, other):
        """Agrees with the comparisons before; but a search that chooses an answer, and the end of a loop, go first."""
        if other is value:
            return name in ("eq", "le", "ge")
        if name not in ("eq", "ne"):
            check_operands(value, name, (other,))
        implied, question = self.comparisons.implied(value, name, other)
        if implied is None:
            answer = self.decide(value, "comparison")
        else:
            answer = self.decide(value, "comparison", usual=implied, question=question)
        self.comparisons.note(question, answer)
        return answer

    def length(self, value):
        key = self.key_of(value, "length")
        answer = self.chosen(value, "length", key)
        if answer is None:
            answer = value._surmise_state.length
        if answer is None:
            answer = ELEMENTS if self.count("length") % (REPEATS + 1) < REPEATS else 0
        answer = value._surmise_state.reported_length = int(answer)
        self.report(value, "length", str(answer), None, key, answer)
        return answer

    def number_of(self, value):
        """What a stand-in is as a number: 1, or what a condition compares it with."""
        chosen = self.native.choice(f"number:{value._surmise_state.path}")
        return chosen if type(chosen) is int else 1

    def report_number(self, value, number):
        key = f"number:{value._surmise_state.path}"
        self.report(value, "conversion", str(number), None, key, int(number))

    def iteration_length(self, value):
        key = self.key_of(value, "iteration")
        count = self.chosen(value, "iteration", key)
        if count is None:
            length = value._surmise_state.length
            count = ELEMENTS if length is None else length
            if self.chain(value, self.origin("element")) >= CHAIN:
                count = 0
        elif value._surmise_state.length is None:
            value._surmise_state.length = int(count)  # what has no elements is not long, either
        count = int(count)
        self.report(value, "iteration", f"{count} elements" if count else "empty", None, key, count)
        return count

    def next_position(self, value):
        count = self.count("next")
        if count and count % EXHAUSTED == 0:
            return None
        state = value._surmise_state
        state.position += 1
        return state.position - 1

    # -- operations ---------------------------------------------------------------------------------------------

    def attribute_without_site(self, value, name, path, _ended):
        result = self.fresh(path, value, self.origin("attribute"))
        self.report(result, "attribute", repr(result), name)
        return result

    def new_item(self, value, item, path):
        if type(item) is int and item == value._surmise_state.reported_length:
            raise IndexError("list index out of range")  # `values[i + 1]` in `for i in range(len(values))`
        frame = self.frames.innermost()
        if frame is not None and self.native.choice(f"none:{frame.f_lineno}") is True:
            self.values.keep_constant(None)
            self.report(value, "index", "None")
            return None
        question = self.key_of(value, "index")
        self.chosen(value, "index", question)
        result = self.fresh(path, value, self.origin("index"))
        handled = True if self.expectations.handlers else None
        self.report(value, "index", repr(result), None, question, handled)
        return result

    def result(self, callee, args, kwargs, number):
        name = callee._surmise_state.path
        path = self.call_path(name, args, kwargs)
        sample = result_of_method(callee, args, kwargs)
        if number is None:
            value = self.fresh(path, callee, self.origin("call"))
            self.report(value, RETURN_VALUE, repr(value), last_name(name))
            return value
        site = self.native.site(number)
        kind, given = site.literal
        if kind == "raises":
            self.classes.fail(given, number)
        count = self.results[number] = self.results.get(number, 0) + 1
        variant = None
        if count > EXHAUSTED and count % EXHAUSTED == 1:
            variant = EMPTY.get(site.assigned)
        elif site.assigned == "object" and self.chain(callee, number) >= CHAIN:
            variant = self.end_of_chain(site)
        value = self.make(number, callee, path, variant)
        if sample is not None and type(value) is not StandIn and not holds_itself(value, sample):
            value = self.fresh(path, callee)  # what was predicted is of another type
            self.native.injected(number, "real type", repr(value), path)
        if type(value) is StandIn:
            value._surmise_state.sample = sample
        return value

    def call_path(self, name, args, kwargs):
        """Of the second of two equal calls on, with its number: each call has a result of its own."""
        described = [self.described(value) for value in args]
        described += [f"{key}={self.described(value)}" for key, value in kwargs.items()]
        path = self.path(f"{name}({', '.join(described)})")
        count = self.calls[path] = self.calls.get(path, 0) + 1
        return path if count == 1 else self.path(f"{path}#{count}")

    def call_decorated(self, callee, args, kwargs):
        """Calls the function with what its decorator may have given it: values for all parameters that lack one."""
        positional, named = list(args), dict(kwargs)
        for number, parameter in enumerate(parameters_of(callee)):
            is_open = parameter.default is parameter.empty and parameter.name not in named
            if not is_open or number < len(args) or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            value = self.fresh(parameter.name)
            self.report(value, "argument", repr(value), parameter.name, (id(callee), number))
            if parameter.kind == parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            elif number == len(positional):
                positional.append(value)
            else:
                named[parameter.name] = value
        return callee(*positional, **named)

    # -- failures -----------------------------------------------------------------------------------------------

    def read_may_fail(self, _value, _name):
        """Code that waits for the AttributeError of a stand-in gets it."""
        return True

    def repairs_attribute_of(self, _value):
        return True

    def keeps_unbound(self, _number):
        """That nothing was bound may come of what was made up before."""
        return False

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

    # -- harness calls ------------------------------------------------------------------------------------------

    def given_with_default(self, _name, chosen):
        """Parameters that have a default keep it, unless a search gives them a value."""
        return chosen

    def extra_arguments(self):
        return {}

    def star_arguments(self, function, _name):
        (count, _), (possible, _) = self.native.variadic(function)
        if self.is_given(f"star:{function}"):
            count = max(count, possible, 1)
        return [self.fresh(f"args[{number}]") for number in range(count)]

    def named_arguments(self, function):
        (_, keys), (_, possible) = self.native.variadic(function)
        if self.is_given(f"stars:{function}"):
            keys += possible or ["key"]
        return {key: self.fresh(f"kwargs[{key!r}]") for key in keys}

    def thrown_at_yield(self, frame):
        """The exception that a search wants to be raised where a generator waits, if handlers stand around it."""
        if not getattr(frame.f_code, "co_exceptiontable", b"any"):  # of Python 3.11
            return None
        key = f"yield:{frame.f_lineno}"
        chosen = self.native.choice(key)
        self.native.chose(key, frame.f_lineno, False)
        return self.classes.waited_for(chosen[0], frame) if type(chosen) is tuple else None

    def is_given(self, key):
        """True where a search chose to give what may be left out."""
        chosen = self.native.choice(key) is True
        self.native.chose(key, 0, chosen)
        return chosen

    def parameter(self, name):
        """The value of a parameter that is no site."""
        return self.fresh(name)

    def small_argument(self, _parameter, _name):
        return NotImplemented

    def takes_hint(self, _name, _is_annotated, number):
        """True for a parameter of which an annotation or a docstring says more than what was predicted."""
        assigned = self.native.site(number).assigned if number is not None else None
        return assigned in (None, "object", "callable", "resource")

    def may_refuse(self, number, made):
        """True if the code uses a parameter in a way that the usual value of a class does not allow: `template % number`."""
        return number is not None and not self.native.allows(number, made)

    def agreeing(self, _name, value):
        """What a parameter gets of which the annotation gave this value."""
        return value

    def shares_parts(self):
        """True if instances in several others are one object."""
        return True

    def keep_instance(self, value, path):
        """Takes note of an object of a real class: what it lacks, a class that derives from its own may have."""
        self.values.keep(value, path)

    def plain_value(self, kind, _path):
        return PLAIN[kind]

    def may_be_none(self, _path):
        """True if the value of an optional annotation is None."""
        return False

    def parts_of_instance(self, _path):
        """The number and the text in an instance of a class of the standard library."""
        return 1, "a"

    def first_alternative(self, _path, _count):
        """Which of so many annotations is tried first."""
        return 0

    def gives_default(self, _path):
        """True if a constructor gets a value for a parameter with a default."""
        return False

    def may_be_text(self, _path):
        """True if a sequence of texts is a text."""
        return False

    def plain_mapping(self, _path):
        return {}

    def count_of(self, _path):
        """How many elements a container has, of which an annotation says what they are."""
        return 1

    def keep_keys(self, mapping):
        """Takes note of the keys of an argument: texts among the others may be one of them."""

    def element_of(self, path):
        """What a container holds of which the annotation does not say it."""
        return self.fresh(path)

    def any_class(self, _path):
        """A class, where an annotation says that a value is one, and not which."""
        return NotImplemented

    def uses_constructor(self, _owner):
        """True if the object of a method has gone through its `__init__`."""
        return True

    def is_as_initialized(self, qualname):
        """True for an object that has gone through no more than its `__init__`, which is the usual answer for excerpts only."""
        key = f"instance:{qualname}"
        chosen = self.native.choice(key)
        if type(chosen) is not bool:
            chosen = self.frames.rewritten is None
        self.native.chose(key, 0, chosen)
        return chosen

    def is_filled(self, qualname):
        """True for a container of a class of the project that callers have put elements into."""
        return self.is_chosen(f"instance:elements of {qualname}")

    def leaves_defaults(self, name):
        """True where the function around one that is called is not given what has a default."""
        return self.is_chosen(f"instance:defaults of {name}")

    def is_chosen(self, key):
        """True where a search chose to; it then knows that it may."""
        chosen = self.native.choice(key) is True
        self.native.chose(key, 0, chosen)
        return chosen

    def filled(self, number, held, path):
        """What the attribute of an object has come to hold that was empty at first; `NotImplemented` if nothing else."""
        site = self.native.site(number)
        if site.assigned in (None, "None", *EMPTY.values()):
            return NotImplemented
        if type(held) not in FILLED:
            return self.make(number, None, path)
        return self.make(number, None, path, FILLED[type(held)])

    def calls_again(self):
        return False


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


def result_class(callee):
    """The class of what a builtin gives whatever it is given; None for others."""
    try:
        return RESULTS.get(callee)
    except TypeError:
        return None
