"""The part of all policies that answers the operations of stand-ins: iteration, items, numbers, contexts."""

from _surmise_lines import input_file, lines_for
from _surmise_samples import check_call, check_operands, close, element_of
from _surmise_standins import StandIn
from _surmise_values import last_name, safe_repr

SUBSCRIPTS = {"BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "BINARY_OP"}
VIEWS = ("keys", "items", "values")


class Operations:
    """What operations of stand-ins come to, as far as policies do not decide it."""

    # -- truth, comparison, length ------------------------------------------------------------------------------

    def truth(self, value):
        return self.decide(value, "truth")

    def contains(self, value, item):
        return self.decide(value, "membership", item)

    def is_instance(self, value, instance):
        return self.classes.is_instance(value, instance)

    def is_subclass(self, value, subclass):
        return self.classes.is_subclass(value, subclass)

    # -- iteration and items ------------------------------------------------------------------------------------

    def iterate(self, value):
        check_call(iter, [value], {}, of_file=True)
        lines = lines_for(self, value)
        if lines is not None:
            self.report(value, "lines", repr(lines))
            return iter(lines)
        count = self.frames.unpacked()
        if count is None:
            count = self.iteration_length(value)
        elif self.observer and self.frames.unpacks_all():
            count = max(count - 1, self.length(value))
        else:
            self.report(value, "iteration", f"{count} elements")
        return unless_resized([self.element_at(value, number) for number in range(count)], mapping_of(value))

    def standard_input(self):
        """A file in place of the standard input that nobody gave."""
        self.input = input_file(self)
        return self.input

    def iterate_reversed(self, value):
        return reversed(list(self.iterate(value)))

    def element_at(self, value, number):
        """An element: `value[number]` by another way."""
        state = value._surmise_state
        if number not in state.items:
            element = self.fresh(f"{state.path}[{number}]", value, self.origin("element"))
            element._surmise_state.sample = element_of(value, number)
            state.items[number] = element
        return state.items[number]

    def element(self, value):
        """`next(value)`."""
        position = self.next_position(value)
        if position is None:
            raise StopIteration
        result = self.element_at(value, position)
        self.report(value, "iteration", safe_repr(result))
        return result

    def item(self, value, key):
        state = value._surmise_state
        try:
            if key in state.items:
                return state.items[key]
        except TypeError:  # a slice, or another key that cannot be kept
            result = self.fresh(f"{state.path}[{self.described(key)}]", value, self.origin("index"))
            self.report(value, "index", repr(result))
            return result
        result = self.new_item(value, key, self.path(f"{state.path}[{self.described(key)}]"))
        if not isinstance(key, slice):
            state.items[key] = result
        return result

    def set_item(self, value, key, new):
        state = value._surmise_state
        try:
            state.items[key] = new
        except TypeError:
            pass
        self.observer.wrote(f"{state.path}[{self.described(key)}]", new)

    def delete_item(self, value, key):
        state = value._surmise_state
        try:
            state.items.pop(key, None)
        except TypeError:
            pass
        if type(key) is StandIn and is_part_of(key, value):
            state.resized = True  # a mapping, as its elements are keys
        self.observer.deleted(f"{state.path}[{self.described(key)}]")

    def missing_key(self, mapping, key):
        """A key that an injected dictionary is asked for, and does not have."""
        if self.expectations.expected(KeyError):
            raise KeyError(key)
        path = self.values.path_of(mapping, "dict")
        value = mapping[key] = self.fresh(f"{path}[{self.described(key)}]")
        self.observer.completed(mapping)
        self.report(value, "index", repr(value))
        return value

    def keys(self, value):
        """No keys, so that no call fails on an unexpected one."""
        self.report(value, "mapping", "{}")
        return []

    # -- numbers and strings ------------------------------------------------------------------------------------

    def arithmetic(self, value, name, *operands):
        check_operands(value, name, operands)
        symbol, described = name, [self.described(operand) for operand in operands]
        if name[0] == "r" and name not in ("rshift", "round"):
            symbol, described = name[1:], [*described, repr(value)]
        else:
            described.insert(0, repr(value))
        result = self.fresh(f"{symbol}({', '.join(described)})", value, self.origin(symbol))
        self.report(value, "arithmetic", repr(result))
        return result

    def is_listed(self, value, elements):
        """True if a list or a tuple holds a stand-in, or something that is equal to it."""
        return value in elements

    def number_of(self, value):
        """What a stand-in is as a number, however it becomes one."""
        return 1

    def integer(self, value):
        check_call(int, [value], {})
        number = self.number_of(value)
        self.report_number(value, number)
        return number

    def report_number(self, value, number):
        self.report(value, "conversion", str(number))

    def real(self, value):
        check_call(float, [value], {})
        number = float(self.number_of(value))
        self.report_number(value, number)
        return number

    def complex_number(self, value):
        self.report(value, "conversion", "(1+0j)")
        return 1 + 0j

    def as_index(self, value):
        number = 0 if self.frames.calling_instruction() in SUBSCRIPTS else 2
        self.report(value, "conversion", str(number))
        return number

    def as_bytes(self, value):
        return b"a"

    def as_file_name(self, value):
        self.report(value, "conversion", "'a'")
        return "a"

    def formatted(self, value, spec):
        text, number = repr(value), self.number_of(value)
        for one in (text, number, float(number)):
            try:
                return format(one, spec)
            except (ValueError, TypeError):
                continue
        return text

    def copied(self, value, *_memo):
        return value

    # -- context managers and asynchrony ------------------------------------------------------------------------

    def enter(self, value):
        self.report(value, "context", repr(value))
        self.observer.happened("enter", value._surmise_state.path)
        return value

    def exit(self, value, *_error):
        close(value)
        self.observer.happened("exit", value._surmise_state.path)

    def awaited(self, value):
        """`await value`: the stand-in itself, so that it agrees with itself before and after."""
        self.report(value, "await", repr(value))
        self.observer.happened("await", value._surmise_state.path)
        return value


def view_of(value):
    """(the stand-in whose keys, items or values a stand-in is, which of them), or (None, None)."""
    state = value._surmise_state
    callee = state.callee
    if callee is not None and not state.arguments:
        name, owner = last_name(callee._surmise_state.path), callee._surmise_state.parent
        if name in VIEWS and type(owner) is StandIn:
            return owner, name
    return None, None


def mapping_of(value):
    """The state of the mapping that iterating a stand-in goes through: its own, or that of whose view it is."""
    owner, _ = view_of(value)
    return (value if owner is None else owner)._surmise_state


def unless_resized(elements, mapping):
    """Elements, as long as none is taken away between them."""
    mapping.resized = False
    for element in elements:
        yield element
        if mapping.resized:
            raise RuntimeError("dictionary changed size during iteration")


def is_part_of(part, value):
    """True for an element of a stand-in, or of one of its views."""
    for _level in range(4):
        parent = part._surmise_state.parent
        callee = part._surmise_state.callee
        part = callee if parent is None and callee is not None else parent
        if part is value:
            return True
        if type(part) is not StandIn:
            return False
    return False
