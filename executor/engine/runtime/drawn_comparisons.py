"""The part of the policy of `diff` that compares stand-ins: with each other, and with what lists, dictionaries and sets hold."""

from types import BuiltinFunctionType, FunctionType, ModuleType

from _surmise_standins import StandIn
from _surmise_values import PLAIN

# What is the same only as itself.
ALONE = (FunctionType, BuiltinFunctionType, ModuleType, object, type(...), type(NotImplemented))
# Arithmetic that mostly numbers know: what it gives is zero where it is false.
OF_NUMBERS = {"sub", "mod", "mul", "floordiv", "truediv", "pow"}


class DrawnComparisons:
    """Comparisons of values, by access path: each agrees with all others."""

    def compare(self, value, name, other):
        """Comparisons of two values agree with each other: `a < b` is `b > a` and `not a >= b`."""
        if other is value:
            return name in ("eq", "le", "ge")
        if name in ("eq", "ne") and (other is None or self.frames.is_asked_by("typing")):
            return name == "ne"  # as `is` says; `typing` compares what annotations consist of with its own forms
        if name in ("eq", "ne") and self.is_never(value, other):
            return name == "ne"
        mine = value._surmise_state.path
        if name in ("eq", "ne") and type(other) in PLAIN and self.is_not_found(mine, other):
            return name == "ne"
        its = other._surmise_state.path if type(other) is StandIn else self.described(other)
        first, second = sorted((mine, its))
        if type(other) is StandIn:
            # Each has a rank, so that an order of three is one.
            sign = self.draw(f"{mine}:rank", 3) - self.draw(f"{its}:rank", 3)
        else:
            sign = self.draw(f"{first}<>{second}", 3) - (1 if self.seed else 0)
            sign = sign if first == mine else -sign
        if name in ("eq", "ne"):
            is_equal = self.is_nothing_like(value, other) if is_nothing(other) else sign == 0
            equal = self.answer(value, "comparison", is_equal, f"{first}:comparison == {second}")
            return equal if name == "eq" else not equal
        if name in ("lt", "ge"):
            less = self.answer(value, "comparison", sign < 0, f"{mine}:comparison < {its}")
            return less if name == "lt" else not less
        more = self.answer(value, "comparison", sign > 0, f"{its}:comparison < {mine}")
        return more if name == "gt" else not more

    def is_not_found(self, path, other):
        """True where a list compares a stand-in with a plain value as it looks for one of them: `[1].index(value)` finds it no more
        than `value in [1]`, nor `1 in [value]` where the other version may keep the elements in a set."""
        if other in self.equated(path):
            return False
        is_sought = not path.endswith("]") or self.drawing.keeps_otherwise
        return is_sought and self.frames.calling_instruction().startswith(("CALL", "CONTAINS"))

    def is_never(self, value, other):
        """True where no stand-in is equal to something: to a function, to an object that nothing but its identity tells from
        others, and to a text, if a version asks whether the stand-in is one."""
        if type(other) in ALONE:
            return True
        return type(other) is str and self.is_any_kind(value, self.drawing.is_told_from_texts)

    def is_nothing_like(self, value, other):
        """True for a stand-in that is false, mostly: but for results of arithmetic it may be nothing of another kind."""
        chosen = self.native.choice(self.key_of(value, "truth", self.epoch(value)))
        is_false = self.size(value) == 0 if type(chosen) is not bool else not chosen
        state = value._surmise_state
        is_number = state.origin in OF_NUMBERS and type(other) in (int, float)
        is_exact = is_number or other in self.equated(state.path)  # the other version may ask whether it is false
        return is_false and (is_exact or self.draw(f"{state.path}<>{self.described(other)}", 3) > 0)

    def is_listed(self, value, elements):
        """Of the plain values that a list holds a stand-in is none but those that a version compares it with: a dictionary or a
        set of the same would not find it."""
        path = value._surmise_state.path
        equated = self.equated(path)

        def may_be(one):
            if type(one) is StandIn and one._surmise_state.path != path:
                # Sets tell them apart.
                is_of_same = one._surmise_state.path.rpartition("[")[0] == path.rpartition("[")[0]
                return not (is_of_same or self.drawing.keeps_otherwise)
            return type(one) not in PLAIN or one in equated

        return any(one is value or may_be(one) and one == value for one in elements)

    def hash_of(self, value):
        """By path: sets of stand-ins have the same order in both versions. What is equal to a constant with which a version
        compares it is found where the other has that as a key."""
        path = value._surmise_state.path
        if path not in self.hashes:
            self.hashes[path] = hash(path)  # where comparing asks for it
            self.hashes[path] = hash(next((one for one in self.equated(path) if value == one), path))
        return self.hashes[path]

    def equated(self, path):
        """Texts and numbers that a version compares the value of an access path with."""
        if path.endswith("']"):
            return self.drawing.equated("item:" + path[path.rfind("['") + 2 : -2])
        found = []
        self.is_any_name(path, lambda key: found.extend(self.drawing.equated(key)))
        return found


def is_nothing(value):
    """True for a plain value that is false, and for an empty container."""
    return (type(value) in PLAIN or type(value) in (list, tuple, dict, set, frozenset)) and not value
