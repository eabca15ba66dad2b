"""The part of the policy of `run` and `cover` that says what functions are given, and what objects that are made for them hold."""

from _surmise_values import EMPTY, PLAIN

FILLED = {list: "non-empty list", dict: "non-empty dictionary", set: "non-empty set", tuple: "non-empty tuple"}


class PredictedArguments:
    """Arguments of harness calls, by parameter."""

    def given_with_default(self, _name, chosen):
        """Parameters that have a default keep it, unless a search gives them a value."""
        return chosen

    def is_none_by_default(self, _name, _value):
        return False

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
        """True where a search chose to give what may be left out; it then knows that it may."""
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

    def plain_mapping(self, path):
        return {key: self.fresh(f"{path}[{key!r}]") for key in self.keys_read(path)}

    def keys_read(self, path):
        """The keys that the code reads of a parameter, without which it has nothing to do."""
        return self.native.keys_of_parameter(path)

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

    def heeds_annotation_of(self, _name):
        return True

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
        return self.is_given(f"instance:elements of {qualname}")

    def calls_what_is_made(self, name):
        """True where the functions inside of one are called that it made and did not call itself."""
        return self.is_given(f"instance:functions of {name}")

    def leaves_defaults(self, name):
        """True where the function around one that is called is not given what has a default."""
        return self.is_given(f"instance:defaults of {name}")

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
