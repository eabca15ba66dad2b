"""Answers to operations on stand-ins."""

import sys

from _surmise_values import ATTRIBUTE, EMPTY, RETURN_VALUE, Values, safe_repr

REPEATS = 3  # so many equal answers in a row at one place, then the other one: loops on stand-ins end
CHAIN = 5  # so many values made by one place out of each other (`node = node.next`), then the end of the chain
EXHAUSTED = 10  # so many results of one call site, then the empty value of the same type
ELEMENTS = 2  # elements of an iterated stand-in


class Answers(Values):
    """Each method answers one operation."""

    def decide(self, stand_in, operation):
        """Yes; but after a few times at the same place once no, so that loops end and both branches run."""
        answer = self.chosen(stand_in, operation)
        if answer is None:
            key = (self.place(), operation)
            count = self.counts.get(key, 0)
            self.counts[key] = count + 1
            answer = count % (REPEATS + 1) < REPEATS
        self.note(stand_in, operation, str(answer), choice=answer)
        return answer

    def chain(self, stand_in, origin):
        """How many values among its ancestors the same place made."""
        length = 0
        while stand_in is not None and length < CHAIN:
            state = stand_in._surmise_state
            length += state.origin == origin
            stand_in = state.parent
        return length

    def length(self, stand_in):
        answer = self.chosen(stand_in, "length")
        if answer is None:
            answer = stand_in._surmise_state.length
        if answer is None:
            key = (self.place(), "length")
            count = self.counts.get(key, 0)
            self.counts[key] = count + 1
            answer = ELEMENTS if count % (REPEATS + 1) < REPEATS else 0
        self.note(stand_in, "length", str(answer), choice=answer)
        return answer

    def iterate(self, stand_in):
        frame = self.frame()
        count = None
        if frame is not None:
            name, argument = self.opcode_at(frame)
            if name == "UNPACK_SEQUENCE":
                count = argument
            elif name == "UNPACK_EX":
                count = (argument & 255) + 1
        origin = ("element", frame.f_code, frame.f_lasti) if frame is not None else None
        state = stand_in._surmise_state
        choice = None
        if count is None:
            choice = count = self.chosen(stand_in, "iteration")
            if count is None:
                choice = count = ELEMENTS if state.length is None else state.length
                if self.chain(stand_in, origin) >= CHAIN:
                    count = 0
        if count == 0:
            self.note(stand_in, "iteration", "empty", choice=0)
            return iter(())
        if state.elements is None:
            state.elements = []
        while len(state.elements) < count:
            state.elements.append(self.fresh(f"{state.name}[]", stand_in, origin))
        self.note(stand_in, "iteration", f"{count} elements", choice=choice)
        return iter(state.elements[:count])

    def element(self, stand_in):
        """`next(stand_in)`."""
        key = (self.place(), "next")
        count = self.counts.get(key, 0)
        self.counts[key] = count + 1
        if count and count % EXHAUSTED == 0:
            frame = sys._getframe(1)
            raise StopAsyncIteration if frame.f_code.co_name == "__anext__" else StopIteration
        return self.child(stand_in, "iteration", "next")

    def item(self, stand_in, key):
        state = stand_in._surmise_state
        try:
            if key in state.items:
                return state.items[key]
        except TypeError:
            return self.child(stand_in, "index", "slice")
        self.chosen(stand_in, "index")
        value = self.fresh(f"{state.name}[{safe_repr(key)}]", stand_in, self.place())
        if not isinstance(key, slice):
            state.items[key] = value
        self.note(stand_in, "index", repr(value), choice=True if self.tries else None)
        return value

    def missing_key(self, mapping, key):
        if self.expected(KeyError):
            raise KeyError(key)
        value = mapping[key] = self.fresh(f"[{safe_repr(key)}]")
        self.note(value, "index", repr(value))
        return value

    def attribute_of(self, stand_in, name, site):
        state = stand_in._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if site is None:
            value = self.fresh(f"{state.name}.{name}", stand_in, self.place())
            self.note(value, ATTRIBUTE, repr(value), name)
        elif self.chain(stand_in, site) >= CHAIN:
            value = self.make(site, stand_in, f"{state.name}.{name}", self.end_of_chain(site))
        else:
            value = self.make(site, stand_in, f"{state.name}.{name}")
        state.attributes[name] = value
        return value

    def attribute_of_module(self, module, name, site):
        path = f"{module.__name__}.{name}"
        value = self.fresh(path) if site is None else self.make(site, None, path)
        module.__dict__[name] = value
        if site is None:
            self.note(value, ATTRIBUTE, repr(value), name)
        return value

    def end_of_chain(self, site):
        """What a chain of values of one place ends with: nothing, in a form that the code can use."""
        return {"": "none", "iterated": "empty-list"}.get(self.assigned(site)[3])

    def result_of(self, callee, args, kwargs, site):
        state = callee._surmise_state
        name = f"{state.name}()"
        if site is None:
            value = self.fresh(name, callee, self.place())
            self.note(value, RETURN_VALUE, repr(value), state.name.rpartition(".")[2])
        else:
            literal = self.literals.get(site)
            if literal is not None and literal[0] == "raises":
                self.fail(literal[1], site)
            assigned = self.assigned(site)[2]
            count = self.results[site] = self.results.get(site, 0) + 1
            variant = None
            if count > EXHAUSTED and count % EXHAUSTED == 1:
                variant = EMPTY.get(assigned)
            elif self.chain(callee, site) >= CHAIN and assigned == "object":
                variant = self.end_of_chain(site)
            value = self.make(site, callee, name, variant)
        if type(value) is self.types.StandIn:
            value._surmise_state.callee = callee
            value._surmise_state.arguments = args
        return value

    def awaited_value(self, stand_in):
        value = self.fresh(stand_in._surmise_state.name, stand_in, self.place())
        value._surmise_state.attributes = stand_in._surmise_state.attributes
        self.note(stand_in, "await", repr(value))
        return value

    def is_instance(self, stand_in, instance):
        base = self.bases.get(id(stand_in))
        if base is not None and isinstance(instance, base[1]):
            return True
        if type(instance) is not self.types.StandIn:
            error = stand_in._surmise_state.error
            return error is not None and isinstance(instance, error)
        return self.is_one(instance, stand_in)

    def is_one(self, instance, _kind):
        return self.decide(instance, "comparison")

    def is_subclass(self, stand_in, subclass):
        base = self.bases.get(id(stand_in))
        if base is not None and isinstance(subclass, type) and issubclass(subclass, base[1]):
            return True
        return type(subclass) is self.types.StandIn and self.decide(subclass, "comparison")
