"""The policy of `diff`: values and answers are drawn from a seed by access path, never by place in the code.

So two versions of a function get the same values, however their code is written. The path of a call's result holds the
arguments and, from the second equal call on, its number. Calls may change what a stand-in is: its truth and length are
drawn anew after each.
"""

import posix
from types import FunctionType, ModuleType

from _surmise_answers import CHAIN, Answers
from _surmise_behaviour import Behaviour  # noqa: F401 - what observes such runs
from _surmise_compatible_names import compatible
from _surmise_drawn_arguments import DrawnArguments
from _surmise_drawn_calls import PREDICATES, DrawnCalls
from _surmise_drawn_comparisons import DrawnComparisons
from _surmise_drawn_elements import UNUSUAL_CLASSES, DrawnElements
from _surmise_drawn_files import DrawnFiles
from _surmise_drawn_properties import DrawnProperties
from _surmise_frames import OF_PYTHON_2
from _surmise_operations import VIEWS, view_of
from _surmise_standins import Incomplete, Mapping, Module, StandIn
from _surmise_values import CONSTANTS, NO_LITERAL, PLAIN, last_name

# Special attributes that Python itself gives a meaning.
OF_LANGUAGE = {
    name for kind in (object, type, int, float, str, list, dict, range, FunctionType, ModuleType) for name in dir(kind)
}
OF_LANGUAGE |= {
    f"__{name}__"
    for name in (
        "enter exit aenter aexit aiter anext await next fspath bytes complex copy deepcopy del delete file path set set_name slots "
        "length_hint missing wrapped origin args all"
    ).split()
}
# Methods that only objects of Python 2 have.
OUTDATED_VIEWS = {f"{way}{view}": view for way in ("iter", "view") for view in VIEWS}
OUTDATED = {*OUTDATED_VIEWS, "has_key"}
# What gives a match of a regular expression, or none.
MATCHES = {f"return value:{name}" for name in ("match", "search", "fullmatch")}
# What gives the parts of a text, of which code takes some by number or all.
LISTS = {f"return value:{name}" for name in ("split", "rsplit", "splitlines")}
SAME_ASKED = 60  # equal questions without a call between, then the other answer: loops end


class Drawn(DrawnArguments, DrawnCalls, DrawnComparisons, DrawnElements, DrawnFiles, DrawnProperties, Answers):
    """Answers by access path; all values of one path are one value in both versions."""

    mapping_class = Mapping

    def __init__(self, *parts):
        super().__init__(*parts)
        self.drawing = self.native.drawing
        self.seed = self.drawing.seed
        self.draw = self.drawing.draw
        # Whether the versions ask in different ways what a kind and name of use holds.
        self.asked_otherwise = (self.drawing.is_mapping, self.drawing.is_sequence, self.drawing.is_text)
        self.described = self.observer.describe
        self.begin()

    def begin(self):
        """Forgets what happened before the function is called: what modules do is no behaviour of the function."""
        self.is_complete = False  # no stand-in lacks an attribute for now
        self.epochs = {}  # calls made on a path
        self.asked = {}  # how often a question was asked
        self.calls = {}  # how often there was an equal call
        self.hashes = {}
        self.results = {}
        self.reported = set()
        self.keys = []  # texts under which the mappings among the arguments hold something
        self.observer.begin()

    def unusual(self, what, odds):
        """True for one in so many of what can be drawn: something else than is predicted there."""
        found = self.drawing.unusual(what, odds)
        self.observer.is_unusual = self.observer.is_unusual or found
        return found

    # -- values -------------------------------------------------------------------------------------------------

    def class_of(self, path, key, _site):
        if self.drawing.is_log(path):
            return "object", NO_LITERAL  # logging works
        made, literal = self.drawing.class_of(key)
        drawing = self.drawing
        is_kept = drawing.is_called, *self.asked_otherwise, drawing.is_whole, drawing.is_flag
        is_open = not any(is_known(key) for is_known in is_kept) and not self.observer.is_settled(key)
        if literal == NO_LITERAL and is_open and key.partition(":")[2].startswith(PREDICATES):
            return ("True", "False")[self.draw(f"{path}:predicate", 2)], literal
        if key in LISTS:
            return ("non-empty list" if made == "non-empty list" else "object"), literal
        if literal == NO_LITERAL and is_open and self.unusual(f"{path}:class", 8):
            other = UNUSUAL_CLASSES[self.draw(f"{path}:other", len(UNUSUAL_CLASSES))]
            is_number = other in ("positive integer", "zero integer", "False", "True")
            other = "None" if key in MATCHES or is_number and drawing.is_container(key) else other
            # Code that is not rewritten finds no attribute in a number.
            made = made if other != "None" and drawing.is_object(key) else other
        return made, literal

    def variable(self, number):
        """A builtin of Python 2 is what does the same under Python 3, unless code waits for it to be missing."""
        name = self.native.site(number).name
        if name in OF_PYTHON_2 and name not in self.variables:
            known = compatible("six", name)
            if known is NotImplemented or self.expectations.expects(NameError, number, name):
                return super().variable(number)
            return known
        return super().variable(number)

    def constant(self, made, path):
        """Another value of the class for each path, often one that the code names itself."""
        value = self.drawing.constant(made, path)
        return CONSTANTS[made] if value is None else value

    def sets_variable(self, name):
        return self.seed > 0 and self.draw(f"variable {name} is set", 2) == 1

    def outer_text(self, name, usual):
        """The text of a variable of the environment, or of an argument."""
        own = self.drawing.texts
        if own and self.draw(f"text {name}:own", 2) == 1:
            text = own[self.draw(f"text {name}:which", len(own))]
        else:
            text = (usual, usual, "", "0", "x")[self.draw(f"text {name}", 5)]
        self.observer.given.setdefault(name, repr(text))
        return text

    def origin(self, key, _site=None):
        """A value is made by the kind and name of its use."""
        return key

    def end_of_chain(self, _site):
        return "None"

    def handler_class(self, name):
        if name not in self.variables:
            self.variables[name] = self.fresh(name)
        return self.variables[name]

    # -- questions ----------------------------------------------------------------------------------------------

    def key_of(self, value, operation, detail=""):
        return f"{value._surmise_state.path}:{operation}{detail}"

    def epoch(self, value):
        """How many calls were made on a stand-in and what it was read from."""
        total = 0
        while value is not None:
            total += self.epochs.get(value._surmise_state.path, 0)
            value = value._surmise_state.parent
        return f"#{total}" if total else ""

    def answer(self, value, operation, usual, key):
        answer = self.chosen(value, operation, key)
        if answer is None:
            answer = usual
        count = self.asked[key] = self.asked.get(key, 0) + 1
        if count > SAME_ASKED:
            answer = not answer
        answer = bool(answer)
        self.emit_choice(value, operation, key, answer)
        return answer

    def emit_choice(self, value, operation, key, answer):
        if key not in self.reported:
            self.observer.given.setdefault(key, str(answer))
        self.report(value, operation, str(answer), None, key, answer)

    def decide(self, value, operation, *operands):
        if operation == "truth" and self.is_any_kind(value, self.drawing.is_callable, ("element", "variable")):
            return True
        if operation == "truth":
            key = self.key_of(value, operation, self.epoch(value))
            return self.answer(value, operation, self.size(value) > 0, key)
        relation = operands[1] if len(operands) > 1 else " of "
        detail = f"{relation}{self.described(operands[0])}" if operands else ""
        key = self.key_of(value, operation, detail)
        odds = 4 if self.seed // 2 % 4 < 2 else 2
        return self.answer(value, operation, self.draw(key, odds) != 1, key)

    def is_any_kind(self, value, is_such, kinds=("element", "attribute", "variable", "return value")):
        """True if one of the kinds and names of uses that a stand-in may come from is such a one."""
        return self.is_any_name(value._surmise_state.path, is_such, kinds)

    def is_any_name(self, path, is_such, kinds=("element", "attribute", "variable", "return value")):
        """The same of an access path."""
        is_element, name = path.endswith("]"), last_name(path)
        return any(is_such(f"{kind}:{name}") for kind in kinds if (kind == "element") is is_element)

    def size(self, value):
        """How many elements there are; without elements a stand-in is false."""
        state = value._surmise_state
        if state.length is not None:
            return state.length
        epoch = self.epoch(value)
        if self.seed:
            return (2, 0, 1, 3, 2)[self.draw(f"{state.path}:size{epoch or '#0'}", 5)]
        return 2 if int(epoch[1:] or 0) < 4 else 0

    def length(self, value):
        owner, _ = view_of(value)
        if owner is not None:
            return self.length(owner)
        state, epoch = value._surmise_state, self.epoch(value)
        key = self.key_of(value, "length", epoch)
        answer = self.chosen(value, "length", key)
        answer = int(self.size(value) if answer is None else answer)
        state.length = None if self.seed or epoch else answer
        self.emit_choice(value, "length", key, answer)
        return answer

    def iteration_length(self, value):
        return 0 if self.chain(value, "element") >= CHAIN else self.length(value)

    def next_position(self, value):
        state = value._surmise_state
        state.position += 1
        if state.position > self.size(value):
            state.position = 0
            return None
        return state.position - 1

    def number_of(self, value):
        return 1 + self.draw(f"{value._surmise_state.path}:number", 9)

    # -- operations ---------------------------------------------------------------------------------------------

    def arithmetic(self, value, name, *operands):
        """What is added to a text or a list is one, too: `x + '!'` is what `f'{x}!'` is, `x + [1]` what `[*x, 1]` is; and `x ** 2` is
        `x * x`."""
        if name == "pow" and len(operands) == 1 and type(operands[0]) is int and operands[0] == 2:
            return super().arithmetic(value, "mul", value)
        if name not in ("add", "radd") or type(operands[0]) not in (str, list, tuple):
            return super().arithmetic(value, name, *operands)
        kind = type(operands[0])
        own = f"{value}" if kind is str else kind(value)
        total = own + operands[0] if name == "add" else operands[0] + own
        self.report(value, "arithmetic", repr(total) if kind is str else kind.__name__)
        return total

    def as_index(self, value):
        """What a function of `os.path` or `codecs` opens is the file of a name, and no open file that has a number."""
        if self.frames.is_asked_by("codecs"):
            raise TypeError("what is made up is no open file")
        if not self.frames.is_asked_by("genericpath"):
            return super().as_index(value)
        try:
            return posix.open(self.as_file_name(value), posix.O_RDONLY | posix.O_NONBLOCK)
        except (OSError, ValueError):
            return -1

    def as_file_name(self, value):
        """What `str` gives, which code may ask as well."""
        self.report(value, "conversion", repr(str(value)))
        return str(value)

    def set_attribute(self, value, name, new):
        """To write what is there changes nothing."""
        known = value._surmise_state.attributes.get(name, NotImplemented)
        is_same = known is new or type(known) is type(new) and type(new) in PLAIN and known == new
        if is_same:
            value._surmise_state.attributes[name] = new
        else:
            super().set_attribute(value, name, new)

    def attribute_of_module(self, module, name, number):
        """Modules have functions and classes, but for constants: what reads them in another way must not find less."""
        path = self.path(f"{module.__name__}.{name}")
        is_known = compatible(module.__name__, name) is not NotImplemented
        if is_known or name.isupper() or self.native.is_type_parameter(name):
            return super().attribute_of_module(module, name, number)
        value = module.__dict__[name] = self.fresh(path)
        self.report(value, "attribute", repr(value), name, key=("attribute", path))
        return value

    def attribute(self, value, name, number):
        """Under Python 2 the views of mappings have other names."""
        view, attributes = OUTDATED_VIEWS.get(name), value._surmise_state.attributes
        if view is None or number is None or name in attributes:
            return super().attribute(value, name, number)
        if view not in attributes:
            path = self.path(f"{value._surmise_state.path}.{view}")
            attributes[view] = self.make(number, value, path, None, f"attribute:{view}")
        return attributes[view]

    def has_special(self, name):
        """A special attribute of a library's own is one like others: `x.__html__`."""
        is_own = name not in OF_LANGUAGE and self.frames.is_asked_by_program()
        return is_own or super().has_special(name)

    def usual_name(self, name):
        return OUTDATED_VIEWS.get(name, name)

    def attribute_without_site(self, value, name, path, ended):
        # A library may ask for what the other version reads itself.
        if self.is_absent(path) and self.frames.is_asked_by_program():
            raise AttributeError(f"{value._surmise_state.path!r} has no attribute {name!r}")
        return self.value(path, f"attribute:{name}", "None" if ended else None, value)[0]

    def attribute_elsewhere(self, path, name):
        """The value that the function itself would read: it may be the other version that does."""
        return self.value(self.path(path), f"attribute:{name}")[0]

    # -- failures -----------------------------------------------------------------------------------------------

    def read_may_fail(self, value, name):
        """A read fails where `hasattr` says no: versions may ask in either way. What a real object lacks it lacks, unless it was made
        without its constructor, which names the attribute."""
        if type(value) is StandIn:
            return self.is_absent(self.path(f"{value._surmise_state.path}.{name}"))
        if issubclass(type(value), Incomplete):
            return name not in getattr(getattr(type(value).__init__, "__code__", None), "co_names", ())
        return type(value) is not Module or self.is_absent(f"{value.__name__}.{name}")

    def keeps_unbound(self, _number):
        """What a version does where it has bound no local variable is its behaviour, whatever the name."""
        return True

    def is_absent(self, path):
        """True for an attribute that a stand-in lacks as far as the program asks for it."""
        if self.is_complete:
            return False
        if path.rpartition(".")[2] in OUTDATED:
            return True
        is_open = self.seed % 4 == 3 and self.draw(f"{path}:lacking", 2) == 1
        return is_open or self.unusual(f"{path}:absent", 4)

    def repairs_attribute_of(self, value):
        """A value of the wrong type is an input, too."""
        return self.seed % 3 != 2 or not isinstance(value, (str, bytes, int, float, list, tuple, dict, set))

    def is_of_real_class(self, _value, _kinds):
        return NotImplemented

    def is_refused(self, _error, _traceback=None):
        """The other version may do the same itself."""
        return False

    def is_state(self, _value):
        return False

    def doubts_nothing(self, _number):
        return False
