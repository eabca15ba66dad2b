"""The policy of `run` and `cover`: values are of the class predicted for their site, questions are answered by place."""

from _surmise_answers import CHAIN, EXHAUSTED, Answers
from _surmise_comparisons import Comparisons
from _surmise_failed_calls import REPEATS, FailedCalls
from _surmise_predicted_arguments import FILLED, PredictedArguments
from _surmise_samples import check_operands, holds_itself, result_of_method
from _surmise_signatures import parameters_of
from _surmise_standins import StandIn
from _surmise_values import CONSTANTS, EMPTY, NO_LITERAL, PLAIN, RETURN_VALUE, last_name, safe_repr

ELEMENTS = 2  # elements of an iterated stand-in
SHOWN = (type(None), bool, int, float, complex, str, bytes, StandIn)
NOT_EXPECTED = (None, False)


class Predicted(PredictedArguments, FailedCalls, Answers):
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
        elif self.frames.is_asked_by("typing"):
            return name == "ne"
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
