"""Truth, comparisons, length and parts of stand-ins in paired runs."""

from _surmise_answers import CHAIN
from _surmise_paired_values import OTHER_CLASSES

SAME_ASKED = 60  # equal questions without a call between, then the other answer: loops end


class PairedParts:
    """Needs what `Paired` and `PairedValues` have."""

    # -- truth, comparison, length ------------------------------------------------------------------------------

    def yes_or_no(self, stand_in, operation, usual, key):
        answer = self.choice_of(key)
        if answer is None:
            answer = usual
        count = self.asked[key] = self.asked.get(key, 0) + 1
        if count > SAME_ASKED:
            answer = not answer
        answer = bool(answer)
        self.tell_choice(key, stand_in, operation, answer)
        return answer

    def decide(self, stand_in, operation, detail=""):
        if operation == "truth":
            epoch = self.epoch(stand_in)
            key = f"{stand_in._surmise_state.name}:truth" + (f"#{epoch}" if epoch else "")
            return self.yes_or_no(stand_in, operation, self.size(stand_in) > 0, key)
        key = f"{stand_in._surmise_state.name}:{operation}{detail}"
        odds = 4 if self.salt // 2 % 4 < 2 else 2
        return self.yes_or_no(stand_in, operation, self.draw(key, odds) != 1, key)

    def is_one(self, instance, kind):
        return self.decide(instance, "comparison", f" is a {kind._surmise_state.name}")

    def compare(self, stand_in, operation, other):
        """Comparisons of the same two agree with each other: `a < b` is `b > a` and `not a >= b`."""
        mine, its = stand_in._surmise_state.name, self.describe(other)
        if type(other) is self.types.StandIn:
            its = other._surmise_state.name
        first, second = sorted((mine, its))
        sign = self.draw(f"{first}<>{second}", 3) - (1 if self.salt else 0)
        if first != mine:
            sign = -sign
        if operation in ("eq", "ne"):
            equal = self.yes_or_no(stand_in, "comparison", sign == 0, f"{first}:comparison == {second}")
            return equal if operation == "eq" else not equal
        if operation in ("lt", "ge"):
            less = self.yes_or_no(stand_in, "comparison", sign < 0, f"{mine}:comparison < {its}")
            return less if operation == "lt" else not less
        more = self.yes_or_no(stand_in, "comparison", sign > 0, f"{its}:comparison < {mine}")
        return more if operation == "gt" else not more

    def size(self, stand_in):
        """Elements; no elements is false."""
        state = stand_in._surmise_state
        if state.length is not None:
            return state.length
        epoch = self.epoch(stand_in)
        if self.salt:
            return (2, 0, 1, 3, 2)[self.draw(f"{state.name}:size#{epoch}", 5)]
        return 2 if epoch < 4 else 0

    def length(self, stand_in):
        state = stand_in._surmise_state
        key = f"{state.name}:length" + (f"#{self.epoch(stand_in)}" if self.epoch(stand_in) else "")
        answer = self.choice_of(key)
        if answer is None:
            answer = self.size(stand_in)
        state.length = None if self.salt or self.epoch(stand_in) else answer
        self.tell_choice(key, stand_in, "length", int(answer))
        return int(answer)

    # -- parts --------------------------------------------------------------------------------------------------

    def iterate(self, stand_in):
        frame = self.frame()
        name, argument = self.opcode_at(frame) if frame is not None else ("", 0)
        state = stand_in._surmise_state
        if name == "UNPACK_SEQUENCE":
            count = argument
        elif name == "UNPACK_EX":
            count = (argument & 255) + 1
        elif self.chain(stand_in, "element") >= CHAIN:
            count = 0
        else:
            count = self.length(stand_in)
        for number in range(count):
            if number not in state.items:
                state.items[number] = self.types.StandIn(
                    self.path(f"{state.name}[{number}]"), "object", stand_in, "element"
                )
        return iter([state.items[number] for number in range(count)])

    def element(self, stand_in):
        key = f"{stand_in._surmise_state.name}:next"
        count = self.asked[key] = self.asked.get(key, 0) + 1
        if count > self.size(stand_in):
            self.asked[key] = 0
            raise StopIteration
        return self.item(stand_in, count - 1)

    def item(self, stand_in, key):
        state = stand_in._surmise_state
        try:
            if key in state.items:
                return state.items[key]
        except TypeError:
            return self.fresh(f"{state.name}[{self.describe(key)}]", stand_in, "index")
        path = self.path(f"{state.name}[{self.describe(key)}]")
        if self.raises and self.unusual(f"{path}:raises", 6):
            self.fail("KeyError" if isinstance(key, str) else "IndexError")
        if self.unusual(f"{path}:none", 4):
            value = None
            self.given[path] = "None"
        elif self.unusual(f"{path}:sort", 4):
            value, _ = self.value(path, "", OTHER_CLASSES[self.draw(f"{path}:other", len(OTHER_CLASSES))], stand_in)
        else:
            value = self.fresh(path, stand_in, "index")
        if not isinstance(key, slice):
            state.items[key] = value
        return value

    def missing_key(self, mapping, key):
        if self.expected(KeyError):
            raise KeyError(key)
        path = next((path for path, container, _ in self.containers if container is mapping), "dict")
        value = mapping[key] = self.fresh(f"{path}[{self.describe(key)}]")
        # What a lookup makes up is no change that the program made.
        described = self.describe(mapping)
        self.containers = [
            (path, container, described if container is mapping else before)
            for path, container, before in self.containers
        ]
        return value

    def attribute_of(self, stand_in, name, site):
        state = stand_in._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        path = self.path(f"{state.name}.{name}")
        if site is None and self.unusual(f"{path}:absent", 4):
            raise AttributeError(f"{state.name!r} has no attribute {name!r}")
        key = f"attribute:{name}"
        ended = self.chain(stand_in, key) >= CHAIN
        if site is not None:
            value = self.make(site, stand_in, path, "none" if ended else None)
        else:
            value, _ = self.value(path, key, "none" if ended else None, stand_in)
        state.attributes[name] = value
        return value

    def attribute_of_module(self, module, name, site):
        path = f"{module.__name__}.{name}"
        value = self.value(self.path(path), f"attribute:{name}")[0] if site is None else self.make(site, None, path)
        module.__dict__[name] = value
        return value

    def arithmetic(self, stand_in, operation, others):
        described = [self.describe(other) for other in others]
        symbol = operation.strip("_")
        if symbol[0] == "r" and symbol not in ("rshift", "round"):
            symbol, described = symbol[1:], [*described, f"<{stand_in._surmise_state.name}>"]
        else:
            described.insert(0, f"<{stand_in._surmise_state.name}>")
        return self.fresh(f"{symbol}({', '.join(described)})", stand_in, symbol)
