"""The part of the harness that uses what functions give: generators and coroutines run, functions are called."""

import sys

from _surmise_construct import annotations_of
from _surmise_signatures import AsyncGenerator, Coroutine, Function, Generator, function_of_partial, parameters_of
from _surmise_standins import StandIn
from _surmise_values import is_iterator

ELEMENTS = 1000  # of a generator that are asked for
OBSERVED = 30  # of them where each is compared
CALLBACKS = 4  # functions of the program that are called after it handed them on
LEVELS = 2  # functions returned by functions where each is compared


class HarnessResults:
    """What is done with results, and functions that the program makes or hands on."""

    def consume(self, result, is_context=False):
        """Lets a generator or a coroutine run, and calls a function that was returned where an observer compares. `is_context` says
        that `contextlib` has decorated the function that gave the result."""
        observer = self.observer
        if isinstance(result, contexts()):
            is_context, result = True, result.gen  # the body of a context manager is that of its generator
        if isinstance(result, Generator) and not observer:
            self.run_generator(result)
        elif observer and type(result) is not StandIn and (isinstance(result, Generator) or is_iterator(result)):
            observer.returned("iterator")
            self.observe_elements(result, is_context)
        elif isinstance(result, AsyncGenerator):
            self.run_coroutine(self.all_elements(result, is_context), self.imports_loop)
        elif isinstance(result, Coroutine):
            self.run_coroutine(self.outcome(result) if observer else result, self.imports_loop)
        elif observer and self.is_function_to_call(result):
            # What `functools.partial` makes is a function as a `lambda` is: what it calls with which arguments is seen.
            observer.returned(observer.describe(result) if isinstance(result, Function) else "<function>")
            if self.level < LEVELS:
                self.level += 1
                self.call_function(result, f"result{self.level}")
        else:
            observer.returned(observer.describe(result))
            if observer and self.constructor is not None:
                observer.returns(self.constructor.expressions.of(result))
            if observer and type(result) in (list, tuple, dict):
                self.consume_parts([*result.values()] if type(result) is dict else result)

    def run_generator(self, generator):
        """Lets a generator run. Where a search wants that, its first `yield` raises, as for a context manager in whose `with`
        statement something was raised."""
        thrown = None
        try:
            next(generator)
            thrown = self.answers.thrown_at_yield(generator.gi_frame)
            if thrown is not None:
                generator.throw(thrown)
            for _element in first_of(generator, ELEMENTS):
                pass
        except StopIteration:
            pass
        except BaseException as error:
            if error is not thrown:
                raise

    def observe_elements(self, result, is_context):
        """Asks an iterator for its elements. The generator of a context manager waits for the end of a `with` statement, in which
        something may be raised."""
        for element in first_of(result, OBSERVED):
            self.observer.happened("yield", self.observer.describe(element))
            thrown = self.raised_in_with(result.gi_frame) if is_context else None
            is_context = False
            if thrown is not None:
                try:
                    element = result.throw(thrown)
                except StopIteration:
                    return
                self.observer.happened("yield", self.observer.describe(element))

    def raised_in_with(self, frame):
        """What the `with` statement of a context manager raises in this run, or None."""
        thrown = self.answers.thrown_at_yield(frame)
        if thrown is not None:
            self.observer.calls(None)  # the call alone does not make the statement raise
        return thrown

    def consume_parts(self, result):
        """Lets the iterators and the functions of the program run that a result holds."""
        for part in result[:CALLBACKS]:
            is_iterated = isinstance(part, Generator) or type(part) is not StandIn and is_iterator(part)
            if is_iterated or self.is_function_to_call(part):
                self.consume(part)

    def is_function_to_call(self, value):
        """True for a function of the program, and for one that `functools.partial` makes of that or of what is missing."""
        function = function_of_partial(value)
        if function is not value and type(function) is StandIn:
            return True
        return isinstance(function, Function) and self.frames.defines(function)

    async def all_elements(self, result, is_context):
        left = OBSERVED if self.observer else ELEMENTS
        async for element in result:
            self.observer.happened("yield", self.observer.describe(element))
            thrown = self.raised_in_with(result.ag_frame) if is_context and self.observer else None
            is_context = False
            if thrown is not None:
                try:
                    element = await result.athrow(thrown)
                except StopAsyncIteration:
                    return
                self.observer.happened("yield", self.observer.describe(element))
            left -= 1
            if left == 0:
                return

    async def outcome(self, result):
        self.observer.returned(self.observer.describe(await result))

    def call_function(self, function, name):
        """Calls a function with values of its own, which differ by position; in some runs again, with values for the
        parameters that have a default, which may find what the first call left behind."""
        positional, named, more = [], {}, {}
        whole = function_of_partial(function)
        known = function.keywords if whole is not function else ()
        if type(whole) is StandIn:
            positional.append(self.answers.fresh(f"{name}.0"))  # as for `lambda *more: whole(*given, *more)`
        for number, parameter in enumerate(parameters_of(function) if type(whole) is not StandIn else ()):
            path = f"{name}.{number}"
            if parameter.kind is parameter.VAR_KEYWORD or parameter.name in known:
                continue
            if parameter.default is not parameter.empty:
                if parameter.kind is not parameter.POSITIONAL_ONLY and self.answers.given_with_default(path, False):
                    small = self.answers.small_argument(parameter, path)
                    more[parameter.name] = self.answers.fresh(path) if small is NotImplemented else small
                continue
            value = self.inner_argument(function, parameter, path)
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        self.consume(function(*positional, **named))
        if more:
            self.consume(function(*positional, **named, **more))

    def inner_argument(self, function, parameter, path):
        """The value of a parameter of an inner function: in most runs by its annotation or its name, where both versions
        have these."""
        is_known = parameter.name in self.answers.drawing.inner and parameter.kind is not parameter.VAR_POSITIONAL
        if not is_known or not self.answers.draw(f"{path}:by name", 4):
            return self.answers.fresh(path)
        annotation, value = annotations_of(function).get(parameter.name), NotImplemented
        if annotation is not None and self.constructor is not None:
            try:
                value = self.constructor.of_annotation(annotation, self.constructor.names_of(function), path)
            except Exception:
                pass  # an annotation may be any object, with any attributes
        if value is NotImplemented:
            return self.answers.value(path, f"variable:{parameter.name}")[0]
        self.observer.made(path, value)
        return value

    def call_back(self):
        """Calls functions that were handed to something missing, which might have called them."""
        for number, function in enumerate(self.observer.callbacks[:CALLBACKS]):
            self.observer.happened("callback", str(number))
            self.level = LEVELS
            try:
                self.call_function(function, f"callback{number}")
            except Exception as error:
                self.observer.failed(error)


def contexts():
    """The classes of what functions give that `contextlib` decorates, if the program uses it."""
    contextlib = sys.modules.get("contextlib")
    kinds = [getattr(contextlib, name, None) for name in ("_GeneratorContextManager", "_AsyncGeneratorContextManager")]
    return tuple(kind for kind in kinds if isinstance(kind, type))


def is_context_manager(function):
    """True for what `contextlib` makes of a generator function."""
    contextlib = sys.modules.get("contextlib")
    if contextlib is None or type(function) is not Function or not hasattr(function, "__wrapped__"):
        return False
    decorator = getattr(contextlib.contextmanager, "__code__", None)
    return decorator is not None and function.__code__.co_filename == decorator.co_filename


def first_of(elements, count):
    """The first elements of an iterator, which is not asked for more."""
    for _number in range(count):
        try:
            yield next(elements)
        except StopIteration:
            return
