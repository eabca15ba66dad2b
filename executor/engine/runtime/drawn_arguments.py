"""The part of the policy of `diff` that gives functions their arguments: drawn, like all else, by name and path."""

import builtins

from _surmise_instances import is_class, module_of
from _surmise_values import PLAIN

SMALL_CLASSES = (
    *("zero integer", "None", "empty string", "False", "True"),
    *("non-empty string", "None", "empty list", "non-empty list", "zero integer"),
)
# For each builtin class of an annotation, the classes of its values.
PLAIN_CLASSES = {
    bool: ("True", "False"),
    float: ("positive float", "positive float", "zero float", "negative float"),
    int: ("positive integer", "positive integer", "zero integer", "negative integer"),
    str: ("non-empty string", "non-empty string", "non-empty string", "empty string"),
}
# What an empty container has become later.
OF_EMPTY = {
    kind: f"non-empty {name}" for kind, name in ((list, "list"), (dict, "dictionary"), (set, "set"), (tuple, "tuple"))
}
# Modules whose classes have attributes that tell one instance from another.
WITH_PARTS = ("datetime", "pathlib", "re")
ENDS_OF_GENERATORS = ("GeneratorExit", "StopIteration", "StopAsyncIteration")  # which mean something else there
BUILTIN_CLASSES = (str, int, bool, float, list, dict)  # what an annotation may mean by `type[T]`


class DrawnArguments:
    """What `Drawn` answers to harness calls, and to the construction of arguments."""

    def given(self, name, odds):
        return self.seed % 2 == 1 and self.draw(f"parameter {name}", odds) == 0

    def given_with_default(self, name, _chosen):
        """Parameters that have a default mostly get a value in every second run."""
        if name in self.drawing.required:
            return True
        if name.startswith("_"):
            return False  # such a parameter is a variable of the function's own
        if name in self.drawing.by_key:
            return self.given(name, 2)  # as the other version's `extra_arguments`
        name = self.drawing.alias(name)
        return self.seed % 2 == 1 and (self.is_checked(f"variable:{name}") or self.draw(f"parameter {name}", 3) > 0)

    def extra_arguments(self):
        """Parameters that only the other version has: callers may give them, but for those that are the function's own."""
        names = [name for name in self.drawing.extra if not name.startswith("_")]
        always = self.drawing.by_key.intersection(self.drawing.required)
        given = [name for name in names if name in always or self.given(name, 2)]
        return {name: self.value(name, f"variable:{name}")[0] for name in given}

    def star_arguments(self, function, name):
        count, _ = self.drawing.needed.get(function, (0, ()))
        possible, _ = self.drawing.possible.get(function, (0, ()))
        if possible > count and self.given("* as it asks", 2):
            count += 1 + self.draw("*:possible", possible - count)
        if self.given("*", 2) or self.is_checked(f"element:{name}"):
            count = max(count, 1 + self.draw("*:length", 2))
        paths = [f"args[{number}]" for number in range(count)]
        checked = [self.checked_element(name, path) for path in paths]
        return [self.fresh(path) if one is NotImplemented else one for path, one in zip(paths, checked)]

    def named_arguments(self, function):
        _, keys = self.drawing.needed.get(function, (0, ()))
        texts = [text for text in self.drawing.texts if text.isidentifier() and self.given(f"**{text}", 3)]
        _, possible = self.drawing.possible.get(function, (0, ()))
        texts += [key for key in possible if key not in texts and self.given(f"**{key}", 3)]
        texts += [key for key in keys if key not in texts]
        return {text: self.value(f"kwargs[{text!r}]", "")[0] for text in texts if text not in self.drawing.by_key}

    def thrown_at_yield(self, frame):
        """In some runs a `with` statement raises: an error that a version waits for, or any other."""
        if not self.seed or self.draw("with: raises", 4):
            return None
        names = [name for name in self.drawing.raises if name not in ENDS_OF_GENERATORS]
        kinds = [kind for kind in (getattr(builtins, name, None) for name in names) if isinstance(kind, type)]
        kind = [Exception, *kinds][self.draw("with: raised", 1 + len(kinds))]
        error = self.classes.waited_for(kind.__name__, frame)
        if error is not None:
            self.observer.given.setdefault("yield", f"raises {kind.__name__}")
        return error

    def parameter(self, name):
        name = self.drawing.alias(name)
        return self.fresh(name) if name in ("self", "cls") else self.value(name, f"variable:{name}")[0]

    def small_argument(self, parameter, name):
        """What a caller gives where there is a default: often a small value."""
        is_required = parameter.default is parameter.empty or name in self.drawing.required
        name = self.drawing.alias(name)
        if is_required or name in self.drawing.by_key or self.is_checked(f"variable:{name}"):
            return NotImplemented
        if any(
            is_known(f"variable:{name}")
            for is_known in (*self.asked_otherwise, self.drawing.is_whole, self.drawing.is_flag)
        ):
            return NotImplemented
        kind, odds = type(parameter.default), 4
        if name in self.drawing.defaults:
            kind = next((one for one in PLAIN_CLASSES if one.__name__ == self.drawing.defaults[name]), None)
            odds = 2
        if kind in PLAIN_CLASSES and self.draw(f"{name} is alike", odds):
            return self.plain_value(kind, name)
        if not self.draw(f"{name} is small", 3):
            return NotImplemented
        if self.drawing.is_callable(f"variable:{name}"):
            return self.value(name, "", "None")[0]
        made = SMALL_CLASSES[self.draw(f"small {name}", len(SMALL_CLASSES))]
        if made in ("zero integer", "False", "True") and self.drawing.is_container(f"variable:{name}"):
            return NotImplemented
        return self.value(name, "", made)[0]

    def is_none_by_default(self, name, value):
        """True for `None` where it is the default of the new version alone; and for other values that are false where the
        default of the old version is no plain value but a container, say."""
        name = self.drawing.alias(name)
        is_false = value is None or type(value) in (bool, int) and not value and not self.drawing.defaults.get(name)
        return is_false and name in self.drawing.none_by_default

    def takes_hint(self, name, is_annotated, _number):
        """What only arguments of other types would show is no difference."""
        if name in self.drawing.by_key:
            return False
        if is_annotated:
            return name in self.drawing.annotated
        return self.drawing.documented and name not in self.drawing.annotated_otherwise

    def may_refuse(self, _number, _made):
        return False

    def agreeing(self, name, value):
        made, _ = self.drawing.class_of(f"variable:{name}")
        is_open = name not in self.drawing.annotated or isinstance(value, type)
        if self.is_checked(f"variable:{name}"):
            checked = self.value(self.drawing.alias(name), f"variable:{name}")[0]
            if is_open or type(checked) is type(value):
                return checked
        if made in ("object", "callable", "resource"):
            return value
        drawn = self.value(self.drawing.alias(name), f"variable:{name}")[0]
        return drawn if type(drawn) is type(value) else value

    def shares_parts(self):
        return False

    def instance(self, kind, path):
        """In some runs a stand-in passes for an instance of a class of the standard library: its parts are drawn, too."""
        if self.seed and is_class(kind) and module_of(kind) in WITH_PARTS and self.draw(f"{path}:stands in", 2) == 1:
            return self.of_class(kind, path)
        return super().instance(kind, path)

    def keep_instance(self, _value, _path):
        """Nothing that such an object lacks is repaired."""

    def plain_value(self, kind, path):
        classes = PLAIN_CLASSES.get(kind)
        if not self.seed or classes is None:
            return PLAIN[kind]
        if path.endswith("]"):
            path = self.place_of_element(path)
        if kind is str and self.keys and self.draw(f"{path}:is a key", 3):
            return self.keys[self.draw(f"{path}:which key", len(self.keys))]
        return self.value(path, "", classes[self.draw(f"{path}:plain", len(classes))])[0]

    def may_be_none(self, path):
        return self.seed > 0 and self.draw(f"{path}:none", 3) == 0

    def parts_of_instance(self, path):
        return self.plain_value(int, f"{path}:number"), self.plain_value(str, f"{path}:text")

    def first_alternative(self, path, count):
        return self.draw(f"{path}:alternative", count)

    def gives_default(self, path):
        return self.seed > 0 and self.draw(f"{path}:given", 2) == 1

    def may_be_text(self, path):
        return self.seed > 0 and self.draw(f"{path}:text", 2) == 0

    def count_of(self, path):
        return (1, 2, 3, 2, 1, 0)[self.draw(f"{path}:length", 6)]

    def keep_keys(self, mapping):
        self.keys += [key for key in mapping if type(key) is str]

    def plain_mapping(self, path):
        """A dictionary of which an annotation says no more than that it is one."""
        return self.container("non-empty dictionary", path, None, None, None) if self.draw(f"{path}:held", 3) else {}

    def keys_read(self, _path):
        return []  # the other version may read others

    def element_of(self, path):
        path = self.place_of_element(path)
        checked = self.checked_element(path.rpartition("[")[0], path)
        return self.fresh(path) if checked is NotImplemented else checked

    def any_class(self, path):
        return BUILTIN_CLASSES[self.draw(f"{path}:class", len(BUILTIN_CLASSES))] if self.seed else NotImplemented

    def uses_constructor(self, _owner):
        return self.drawing.keeps_otherwise or self.drawing.constructed and self.seed % 2 == 0

    def heeds_annotation_of(self, name):
        return name not in self.drawing.constructors_annotated_otherwise

    def is_filled(self, _qualname):
        """True in most runs for objects whose versions keep their state in different ways."""
        return self.drawing.keeps_otherwise and self.draw("filled", 3) > 0

    def lacked(self, value, name, given):
        self.observer.lacked(value, name, given)

    def changed(self, path, name, held):
        path = self.path(path)
        key = f"attribute:{name}"
        if name in self.observer.internal:
            return held  # the other version has nothing that would go with it
        if self.is_checked(key) or any(is_known(key) for is_known in (*self.asked_otherwise, self.drawing.is_whole)):
            return self.value(path, key)[0]
        if type(held) in PLAIN_CLASSES:
            return self.plain_value(type(held), path)
        made = OF_EMPTY.get(type(held))
        return self.fresh(path) if made is None else self.value(path, "", made)[0]

    def leaves_defaults(self, _name):
        return False

    def is_as_initialized(self, _qualname):
        # The other version may have another name.
        return not self.seed or self.drawing.keeps_otherwise or self.draw("initialized", 3) > 0

    def calls_again(self):
        """In some runs: what the first call left behind shows in the second."""
        return self.seed % 4 == 2 and not self.drawing.once
