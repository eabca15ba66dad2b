"""The part of the harness that makes what functions are called with: objects for methods, values for parameters."""

from _surmise_construct import annotations_of
from _surmise_documented import documented_classes
from _surmise_signatures import Function, Method, parameters_of
from _surmise_standins import StandIn
from _surmise_values import safe_repr

# The classes of usual values, of which a use may show that they will not do.
USUAL = {bool: "True", int: "positive integer", float: "positive float", str: "non-empty string"}
GROWING = (list, dict, set)  # classes of what methods put something into

# Methods whose other operand mostly is of the same class.
BINARY = frozenset(
    f"__{name}__"
    for name in "eq ne lt le gt ge add sub mul truediv floordiv mod and or xor matmul radd rsub iadd isub iand ior ixor".split()
)


class HarnessValues:
    """Objects that methods are called on, and arguments."""

    def instance(self, owner, qualname, function):
        """An object that the method may be called on."""
        name = qualname.rpartition(".")[2]
        if not isinstance(owner, type):  # a property that was cut out of its class
            return self.argument(qualname, next(iter(parameters_of(function)), None))
        if self.entered is not None:
            return self.constructed_instance(owner, qualname, function)
        if not self.excerpt:
            return self.real_instance(owner, qualname, name)
        if not self.observer:
            return self.incomplete_instance(owner, qualname, function)
        value = self.argument(qualname, next(iter(parameters_of(function)), None))
        if type(value) is StandIn:
            # Methods and variables that came along: the other version lacks them or has others, so they are part of the change.
            for other, held in vars(owner).items():
                if isinstance(held, Function) and other != name:
                    value._surmise_state.attributes[other] = Method(held, value)
                elif not hasattr(type(held), "__get__") and not other.startswith("__"):
                    value._surmise_state.attributes[other] = held
        return value

    def incomplete_instance(self, owner, qualname, function):
        """An object of a class that was cut out of its surroundings, which has not gone through its `__init__`."""
        parameter = next(iter(parameters_of(function)), None)
        number = self.sites.get((qualname, parameter.name)) if parameter is not None else None
        value = self.engine.incomplete.instance(owner)
        if value is None:
            return self.argument(qualname, parameter)
        if number is not None:
            self.native.injected(number, "object", f"<{owner.__name__}>")
        return value

    def path_of(self, owner):
        """The path of an object of a class: versions may have different names for it."""
        return self.observer.alias(owner.__name__) if self.observer else owner.__name__

    def constructed_instance(self, owner, qualname, function):
        """An object of a real class, by its constructor if that takes what it is given."""
        name, parameter = qualname.rpartition(".")[2], next(iter(parameters_of(function)), None)
        value, path = NotImplemented, self.path_of(owner)
        if name not in ("__init__", "__new__") and self.answers.uses_constructor(owner):
            value = self.constructor.instance(owner, path)
        if value is NotImplemented:
            self.engine.incomplete.add(owner, is_whole=True)
            value = self.incomplete_instance(owner, qualname, function)
            self.observer.made(path, value)
            return value
        if self.observer:
            if not self.answers.is_as_initialized(qualname):
                self.change(value, owner)
            elif self.answers.is_filled(qualname):
                self.observer.unobserved(self.constructor.fill, value, path, self.passed)
        elif not self.engine.keeps_empty:
            self.continue_life(value)
            if self.engine.is_empty_object(value) and self.answers.is_filled(qualname):
                self.constructor.fill(value, path, self.passed)
        self.values.keep(value, path)  # what it lacks, a class that derives from its own may have
        self.observer.made(path, value)
        number = self.sites.get((qualname, parameter.name)) if parameter is not None else None
        if number is not None:
            self.native.injected(number, "object", safe_repr(value))
        return value

    def real_instance(self, owner, qualname, name):
        if name not in ("__init__", "__new__"):
            try:
                positional, named = self.arguments(f"{qualname.rpartition('.')[0]}.__init__", owner.__init__, True)
                value = owner(*positional, **named)
            except Exception:
                pass  # that is what the call of `__init__` will show
            else:
                if not self.answers.is_as_initialized(qualname):
                    self.change(value, owner)
                return value
        try:
            value = owner.__new__(owner)
        except Exception:
            return self.answers.fresh(owner.__name__)
        # It was never initialized: its attributes are missing, and nobody's fault.
        self.values.keep(value, owner.__name__)
        return value

    def continue_life(self, value):
        """Replaces what `__init__` leaves empty in an object by what is predicted where the function reads it: other methods
        may have filled it before."""
        for name, held in list(getattr(value, "__dict__", {}).items()):
            number = self.native.attribute_site(name)
            if number is None or held is not None and (type(held) not in GROWING or held):
                continue
            filled = self.answers.filled(number, held, f"{type(value).__name__}.{name}")
            if filled is not NotImplemented:
                value.__dict__[name] = filled

    def change(self, value, owner):
        """Replaces the constants that `__init__` put into an object, as other methods would. Where the real class was
        imported, empty containers are replaced, too."""
        if self.constructor is not None:
            self.constructor.expressions.changed(value)
        self.answers.expected = {}  # such an object may be one that a check refuses
        for name, held in list(getattr(value, "__dict__", {}).items()):
            is_empty = self.entered is not None and type(held) in (list, dict, set, tuple) and not held
            if held is None or is_empty or type(held) in (bool, int, float, str):
                value.__dict__[name] = changed = self.answers.changed(f"{self.path_of(owner)}.{name}", name, held)
                if self.observer:
                    self.observer.put(value, name, changed)

    def arguments(self, qualname, function, bound):
        """Injected values for the parameters that need one; the first is passed over for bound functions."""
        positional, named, skipped = [], {}, False
        for number, parameter in enumerate(parameters_of(function)):
            if number == 0 and bound:
                continue
            has_default = parameter.default is not parameter.empty
            chosen = (qualname, parameter.name) in self.chosen
            if parameter.kind is parameter.VAR_POSITIONAL:
                more = [] if skipped else self.answers.star_arguments(qualname, parameter.name)
                self.report_star(qualname, parameter, tuple(more))
                positional += more
            elif parameter.kind is parameter.VAR_KEYWORD:
                more = self.answers.named_arguments(qualname)
                self.report_star(qualname, parameter, more)
                for name, value in more.items():
                    named.setdefault(name, value)
            elif has_default and not self.answers.given_with_default(parameter.name, chosen):
                skipped = True
            elif skipped and parameter.kind is parameter.POSITIONAL_ONLY:
                continue
            else:
                value = self.argument(qualname, parameter, function)
                if has_default and self.answers.is_none_by_default(parameter.name, value):
                    skipped = True
                elif skipped or parameter.kind is parameter.KEYWORD_ONLY:
                    named[parameter.name] = value
                else:
                    positional.append(value)
        named.update(self.answers.extra_arguments())
        return positional, named

    def report_star(self, qualname, parameter, given):
        """Reports what `*args` or `**kwargs` of a function in its module is: nobody has said so, even of none."""
        number = self.sites.get((qualname, parameter.name))
        if self.entered is not None and number is not None:
            self.native.injected(number, "object", safe_repr(given))

    def argument(self, qualname, parameter, function=None):
        name = "self" if parameter is None else parameter.name
        number = self.sites.get((qualname, name))
        if self.entered is not None and function is not None and (qualname, name) not in self.chosen:
            is_given = parameter is not None and (
                parameter.default is None or self.answers.is_none_by_default(parameter.name, None)
            )
            value = self.annotated(name, function, number, is_given)
            if value is not NotImplemented:
                return value
        if name not in ("self", "cls") and parameter is not None:
            small = self.answers.small_argument(parameter, name)
            if small is not NotImplemented:
                return small
            if number is not None and self.native.site(number).assigned is not None:
                return self.answers.make(number)
        value = self.answers.parameter(name)
        if number is not None:
            self.native.injected(number, "object", repr(value))
        return value

    def annotated(self, name, function, number, is_given=False):
        """What the annotation of a parameter, the docstring or the name of its function says it is, where that is more
        than was predicted; with `is_given` it is not to be None, which is its default."""
        self.constructor.given = name if is_given else None
        function = getattr(function, "__func__", function)
        names, annotation = self.constructor.names_of(function), annotations_of(function).get(name)
        if not self.answers.takes_hint(name, annotation is not None, number):
            return NotImplemented
        try:
            if annotation is not None:
                value = self.constructor.of_annotation(annotation, names, name)
            elif self.owner is not None and function.__name__ in BINARY:
                value = self.constructor.instance(self.owner, name)
            else:
                value = self.constructor.first_of(documented_classes(function, name, names), names, name)
        except Exception:
            return NotImplemented  # an annotation may be any object, with any attributes
        if value is not NotImplemented and type(value) in USUAL and self.answers.may_refuse(number, USUAL[type(value)]):
            value = NotImplemented
        if value is not NotImplemented:
            value = self.answers.agreeing(name, value)
        if value is not NotImplemented:
            self.observer.made(name, value)
            if number is not None:
                self.native.injected(number, "object", safe_repr(value), name)
        return value
