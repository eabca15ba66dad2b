"""The part of the policy of `diff` that says what containers hold, injected ones and stand-ins for them."""

import re

from _surmise_answers import CHAIN
from _surmise_drawn_calls import IS_MATCH
from _surmise_operations import view_of
from _surmise_samples import element_of
from _surmise_standins import stand_in
from _surmise_values import NO_LITERAL, last_name

ALL = slice(None)
# The path of the parts of a text.
IS_LIST = re.compile(r"\.(?:r?split|splitlines)\([^()]*\)(?:#\d+)?$")
UNUSUAL_CLASSES = (
    *("None", "object", "non-empty string", "positive integer", "None", "True", "False"),
    *("non-empty list", "non-empty dictionary", "zero integer", "empty string", "None"),
)


class DrawnElements:
    """Lengths, keys and elements, by access path."""

    def container_length(self, path, parent, length):
        if self.chain(parent, "part") >= CHAIN - 2:
            return length or 0
        if length is not None:
            return length
        # What the code asks of elements shows where there are several.
        is_checked = self.is_checked(f"element:{last_name(path)}")
        return (3 if is_checked else 1, 2, 3, 2)[self.draw(f"{path}:length", 4)]

    def container_keys(self, path):
        texts = self.drawing.texts if self.seed else ()
        return [text for text in texts if self.has_text(path, text)] or ["a"]

    def has_text(self, path, text):
        """In half of the runs a mapping has all keys that the code names, else each or not."""
        return self.seed % 2 == 0 or self.draw(f"{path}:has {text}", 2) == 1

    def has_key(self, mapping, key):
        """True if an injected dictionary that was asked for a key is to have it; it then does."""
        path = self.values.path_of(mapping, "dict")
        is_text = type(key) is str and key in self.drawing.texts
        if not (self.has_text(path, key) if is_text else self.has_text(path, self.described(key))):
            return False
        inner = f"{path}[{self.described(key)}]"
        value = self.item_asked_otherwise(key, inner, mapping)
        if value is NotImplemented:
            checked = self.checked_element(path, inner)
            value = self.fresh(inner) if checked is NotImplemented else checked
        dict.__setitem__(mapping, key, value)
        self.observer.completed(mapping)
        return True

    def missing_key(self, mapping, key):
        if key in mapping:
            return dict.__getitem__(mapping, key)
        raise KeyError(key)

    def part(self, path, parent, _origin):
        """An element of a container: mostly a stand-in; all of one container are of one class."""
        whole, _, key = path.rpartition("[")
        known = self.item_asked_otherwise(key[1:-2], path, parent) if key[:1] == "'" else NotImplemented
        if known is not NotImplemented:
            return known
        path = self.place_of_element(path)
        special = self.special_element(whole, path, parent)
        if special is not NotImplemented:
            return special
        if self.drawing.is_told_from_texts(f"element:{last_name(whole)}") and self.draw(f"{path}:is text", 3) == 1:
            return self.value(path, "", "non-empty string", parent)[0]
        if not self.holds_functions(whole) and self.unusual(f"{whole}:parts", 3):
            return self.value(
                path, "", ("non-empty string", "positive integer")[self.draw(f"{whole}:sort", 2)], parent
            )[0]
        return self.fresh(path, parent, "part")

    def place_of_element(self, path):
        """The path by which an element is drawn: in some containers all elements are one value."""
        whole = path.rpartition("[")[0]
        return f"{whole}[0]" if self.seed and self.draw(f"{whole}:alike", 5) == 1 else path

    def special_element(self, whole, path, parent):
        """An element that only one version checks for, None among others, or one of a kind that the versions ask in different ways;
        `NotImplemented` for a usual one."""
        checked = self.checked_element(whole, path, parent)
        if checked is not NotImplemented:
            return checked
        return None if self.is_gap(path) else self.element_asked_otherwise(whole, path, parent)

    def holds_functions(self, whole):
        """True for a container whose elements a version calls."""
        return self.drawing.is_callable(f"element:{last_name(whole)}")

    def is_gap(self, path):
        """True where an element is None among others, but for what a mapping has under a key that a version asks `get` for."""
        whole, _, key = path.rpartition("[")
        if key[:1] == "'" and self.is_any_name(whole, self.drawing.is_mapping):
            return False
        if self.holds_functions(path.rpartition("[")[0]):
            return False
        if not self.unusual(f"{path.rpartition('[')[0]}:gaps", 6) or not self.draw(f"{path}:gap", 2):
            return False
        self.observer.given[path] = "None"
        return True

    def checked_element(self, whole, path, parent=None):
        """An element of a class that only one version checks for, mostly; `NotImplemented` where none was drawn."""
        key = f"element:{last_name(whole)}"
        if whole.endswith("]"):  # it is in an element itself
            part = f"part {path[len(whole) + 1 : -1]}:{last_name(whole)}"
            key = part if self.is_checked(part) else key
        if not self.is_checked(key):
            return NotImplemented
        value = self.value(path, key, None, parent)[0]
        if self.draw(f"{path}:other", 2) == 0:
            return value
        other = {str: "non-empty string", int: "positive integer"}.get(type(value))
        return NotImplemented if other is None else self.value(path, "", other, parent)[0]

    def is_checked(self, key):
        """True where a value was drawn that only one version checks for."""
        return self.drawing.class_of(key)[1] != NO_LITERAL

    def item_asked_otherwise(self, key, path, parent):
        """What a mapping holds under a key where the versions ask that in different ways what it holds."""
        kind = f"item:{key}"
        if type(key) is not str or not any(is_known(kind) for is_known in self.asked_otherwise):
            return NotImplemented
        return self.value(path, kind, None, parent)[0]

    def element_asked_otherwise(self, whole, path, parent):
        """An element of which the versions ask in different ways what it holds, or with which they count otherwise."""
        kind = f"element:{last_name(whole)}"
        if not any(is_known(kind) for is_known in (*self.asked_otherwise, self.drawing.is_whole)):
            return NotImplemented
        return self.value(path, kind, None, parent)[0]

    def new_item(self, value, key, path):
        known = self.item_asked_otherwise(key, path, value)
        if known is not NotImplemented:
            return known
        if self.drawing.raises and self.unusual(f"{path}:raises", 6):
            self.classes.fail("KeyError" if isinstance(key, str) else "IndexError")
        if type(key) is int and key >= 0:
            return self.new_element(value, key)
        checked = self.checked_element(value._surmise_state.path, path, value)
        if checked is not NotImplemented:
            return checked
        if self.unusual(f"{path}:none", 4):
            self.observer.given[path] = "None"
            return None
        if self.unusual(f"{path}:sort", 4):
            made = UNUSUAL_CLASSES[self.draw(f"{path}:other", len(UNUSUAL_CLASSES))]
            return self.value(path, "", made, value)[0]
        return stand_in(path, value, "index")

    def item(self, value, key):
        """All of a stand-in, `x[:]`, is a list of what it holds, and so are some of the parts of a text; a part of a match is what
        `group` gives."""
        if type(key) is slice and key == ALL:
            return list(value)
        if type(key) is slice and IS_LIST.search(value._surmise_state.path):
            return list(value)[key]
        if type(key) in (int, str) and IS_MATCH.search(value._surmise_state.path):
            return self.result_of(value, "group", key)
        return super().item(value, key)

    def element_at(self, value, number):
        items = value._surmise_state.items
        if number not in items:
            items[number] = self.new_element(value, number)
        return items[number]

    def new_element(self, value, number):
        """An element, read by its number or one after the other: all of them are of one class if that is an unusual one."""
        whole = value._surmise_state.path
        owner, view = view_of(value)
        if owner is not None:
            return self.element_of_view(owner, view, f"{whole}[{self.described(number)}]", number)
        path = self.place_of_element(self.path(f"{whole}[{self.described(number)}]"))
        special = self.special_element(whole, path, value)
        if special is not NotImplemented:
            return special
        if self.unusual(f"{whole}:elements", 6):
            made = UNUSUAL_CLASSES[self.draw(f"{whole}:other element", len(UNUSUAL_CLASSES))]
            return self.value(path, "", made, value)[0]
        element = self.fresh(path, value, self.origin("element"))
        element._surmise_state.sample = element_of(value, number)
        return element

    def element_of_view(self, owner, view, path, number):
        """A key, a value or both of a mapping: what `for key in m: m[key]` reads as well."""
        key = self.element_at(owner, number)
        if view == "items":
            parts = [self.checked_element(path, f"{path}[{place}]") for place in (0, 1)]
            key = key if parts[0] is NotImplemented else parts[0]
            return (key, self.item(owner, key) if parts[1] is NotImplemented else parts[1])
        if view == "keys":
            return key
        checked = self.checked_element(path.rpartition("[")[0], path, owner)
        return self.item(owner, key) if checked is NotImplemented else checked
