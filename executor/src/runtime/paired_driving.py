"""Calls the function of a paired run, and what it returns or hands on, and records what they give."""

import sys
from itertools import islice
from types import FunctionType, MethodType

from _surmise_driving import Driver
from _surmise_signatures import AsyncGenerator, Coroutine, Generator, parameters_of

YIELDED = 30  # elements of a generator that are asked for
CALLBACKS = 4  # functions of the snippet that are called after it handed them on
SMALL = ("zero-int", "none", "empty-str", "false", "true", "str", "none", "empty-list", "list", "zero-int")
LEVELS = 2  # functions returned by functions


def drive(engine, namespace, qualname, parameters, alone, run_coroutine):
    driver = PairedDriver(engine, parameters, alone, run_coroutine)
    stand_in = engine.fresh("super()")
    # `self` is a stand-in, which no real `super` takes.
    namespace["super"] = lambda *_arguments: stand_in
    before = engine.globals_now(namespace)
    around = [(f"{name}.", vars(sys.modules[name])) for name in engine.own_modules if name in sys.modules]
    around = [(prefix, inside, engine.globals_now(inside)) for prefix, inside in around if inside is not namespace]
    try:
        driver.call(namespace, qualname)
        if engine.salt % 4 == 2:
            # Once more: what the first call left behind shows.
            driver.level = 0
            driver.call(namespace, qualname)
    except BaseException as error:
        driver.tell_error(error)
        raise
    finally:
        driver.call_back()
        for name, text in engine.globals_now(namespace).items():
            if before.get(name) != text:
                engine.record("global", f"{name} is now {text}")
        for prefix, inside, known in around:
            for name, text in engine.globals_now(inside).items():
                if known.get(name, text) != text:
                    engine.record("global", f"{prefix}{name} is now {text}")
        for text in engine.changed_containers():
            engine.record("state", text)


class PairedDriver(Driver):
    """Equal parameters get equal values in both versions, and those with defaults get one in every second run."""

    level = 0

    def given(self, name, odds):
        return self.engine.salt % 2 == 1 and self.engine.draw(f"parameter {name}", odds) == 0

    def arguments(self, qualname, function, bound):
        positional, named, skipped = [], {}, False
        aliases = self.engine.aliases
        own = parameters_of(function)
        for number, parameter in enumerate(own):
            name = aliases.get(parameter.name, parameter.name)
            if number == 0 and bound:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                if not skipped and self.given("*", 2):
                    positional.append(self.engine.fresh("args[0]"))
            elif parameter.kind is parameter.VAR_KEYWORD:
                for text in self.engine.texts:
                    if text.isidentifier() and self.given(f"**{text}", 3):
                        named.setdefault(text, self.engine.value(f"kwargs[{text!r}]", "")[0])
            elif parameter.default is not parameter.empty and not self.given(name, 2):
                skipped = True
            elif skipped or parameter.kind is parameter.KEYWORD_ONLY:
                if parameter.kind is not parameter.POSITIONAL_ONLY:
                    named[parameter.name] = self.own_argument(qualname, parameter, name)
            else:
                positional.append(self.own_argument(qualname, parameter, name))
        for name in self.engine.extra:
            # A parameter that only the other version has: callers may give it.
            if self.given(name, 2):
                named[name] = self.engine.value(name, f"variable:{name}")[0]
        return positional, named

    def call(self, namespace, qualname):
        value = namespace.get(qualname)
        if isinstance(value, (classmethod, staticmethod)):
            # A method that was cut out of its class.
            positional, named = self.arguments(qualname, value.__func__, False)
            self.consume(value.__func__(*positional, **named))
        else:
            super().call(namespace, qualname)

    def instance(self, owner, qualname, function):
        """A stand-in, with the methods that came along: the other version lacks them, so they are part of the change."""
        value = super().instance(owner, qualname, function)
        if type(value) is self.engine.types.StandIn:
            for name, method in vars(owner).items():
                if isinstance(method, FunctionType) and name != qualname.rpartition(".")[2]:
                    value._surmise_state.attributes[name] = MethodType(method, value)
        return value

    def own_argument(self, qualname, parameter, name):
        """What a caller gives; often a small value where there is a default."""
        if parameter.default is not parameter.empty and self.engine.draw(f"{name} is small", 3):
            made = SMALL[self.engine.draw(f"small {name}", len(SMALL))]
            return self.engine.value(name, "", made)[0]
        return self.argument(qualname, parameter)

    def argument(self, qualname, parameter):
        name = "self" if parameter is None else parameter.name
        if name in ("self", "cls"):
            return self.engine.fresh(name)
        site = self.sites.get((qualname, name))
        if site is not None:
            return self.engine.make(site)
        name = self.engine.aliases.get(name, name)
        return self.engine.value(name, f"variable:{name}")[0]

    def consume(self, result):
        engine = self.engine
        if isinstance(result, (Generator, map, filter, zip, enumerate, reversed)):
            engine.record("return", type(result).__name__)
            for element in islice(result, YIELDED):
                engine.record("yield", engine.describe(element))
        elif isinstance(result, AsyncGenerator):

            async def all_elements():
                number = 0
                async for element in result:
                    engine.record("yield", engine.describe(element))
                    number += 1
                    if number == YIELDED:
                        return

            self.run_coroutine(all_elements())
        elif isinstance(result, Coroutine):

            async def outcome():
                engine.record("return", engine.describe(await result))

            self.run_coroutine(outcome())
        elif isinstance(result, type(drive)) and engine.of_snippet(result) and self.level < LEVELS:
            engine.record("return", "<function>")
            self.level += 1
            self.call_function(result, f"result{self.level}")
        else:
            engine.record("return", engine.describe(result))

    def call_function(self, function, name):
        """Calls a function with values of its own: what it is called with is told apart by position."""
        positional, named = [], {}
        for number, parameter in enumerate(parameters_of(function)):
            path = f"{name}.{number}"
            if parameter.kind is parameter.VAR_KEYWORD or parameter.default is not parameter.empty:
                continue
            value = self.engine.fresh(path)
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        self.consume(function(*positional, **named))

    def call_back(self):
        """Calls functions that were handed to something missing, which might have called them."""
        for number, function in enumerate(self.engine.callbacks[:CALLBACKS]):
            self.engine.record("callback", str(number))
            self.level = LEVELS
            try:
                self.call_function(function, f"callback{number}")
            except Exception as error:
                self.tell_error(error)

    def tell_error(self, error):
        text = type(error).__name__
        if isinstance(error, SystemExit):
            text += f" {error.code!r}"
        elif self.engine.strict_messages:
            text += f": {error}"
        self.engine.record("raise", text)
