"""Harness calls: calls of the program's functions by the runtime itself, with injected arguments."""

import sys  # builtin modules only: a program would find others loaded

from _surmise_construct import Constructor, annotations_of
from _surmise_documented import compile_patterns, documented_classes
from _surmise_isolated_calls import InnerFunctions, IsolatedCalls, functions_of
from _surmise_program import line_table
from _surmise_signatures import (
    AsyncGenerator,
    Coroutine,
    Function,
    Generator,
    Method,
    Parameter,
    function_of_partial,
    member,
    parameters_of,
)
from _surmise_standins import StandIn
from _surmise_values import is_iterator, safe_repr

ELEMENTS = 1000  # of a generator that are asked for
OBSERVED = 30  # of them where each is compared
CALLBACKS = 4  # functions of the program that are called after it handed them on
LEVELS = 2  # functions returned by functions where each is compared
# The classes of usual values, of which a use may show that they will not do.
USUAL = {bool: "True", int: "positive integer", float: "positive float", str: "non-empty string"}
GROWING = (list, dict, set)  # classes of what methods put something into

# Methods whose other operand mostly is of the same class.
BINARY = frozenset(
    f"__{name}__"
    for name in "eq ne lt le gt ge add sub mul truediv floordiv mod and or xor matmul radd rsub iadd isub iand ior ixor".split()
)


def prepare():
    """Makes what the runs of a program have in common, before they are forked."""
    compile_patterns()


class Harness:
    """Calls functions and methods by their qualified names.

    `parameters`: (qualified name of the function, name, site, given in spite of a default) of all functions; `excerpt`
    says that the program was cut out of its surroundings: methods get a stand-in as `self`. `entered` is the function
    if it runs in its imported module: arguments of known classes are real instances then.
    """

    def __init__(self, engine, parameters, excerpt, run_coroutine, entered=None):
        self.engine = engine
        self.answers = engine.answers
        self.native = engine.native
        self.values = engine.values
        self.frames = engine.frames
        self.observer = engine.observer
        self.sites = {(function, name): site for function, name, site, _ in parameters}
        self.chosen = {(function, name) for function, name, _, given in parameters if given}
        self.excerpt = excerpt
        self.entered = entered
        self.constructor = Constructor(self.answers, entered) if entered is not None else None
        if not self.observer:
            self.answers.constructor = self.constructor
        self.run_coroutine = run_coroutine
        self.imports_loop = bool(self.native.implicit_import("asyncio")[0])
        self.level = 0  # of functions returned by functions
        self.owner = None  # the class of the method that is called
        self.passed = []  # what it is called with, besides the object
        self.unfinished = None  # the object whose constructor is called

    def run(self, namespace, qualname):
        """Calls the function whose end is the program's, under the eyes of the observer."""
        observer = self.observer
        observer.watch(namespace, self.entered.snapshot if self.entered is not None else None)
        observer.watch_warnings()

        def call():
            self.call(namespace, qualname)
            if self.answers.calls_again():
                self.level = 0
                self.call(namespace, qualname)

        self.observe(call)

    def observe(self, call):
        """Makes a call; what it raises, hands on and leaves behind is observed, too."""
        try:
            call()
        except BaseException as error:
            self.observer.failed(error, self.unfinished)
            raise
        finally:
            self.call_back()
            self.observer.ended()

    def call(self, namespace, qualname, lines=None):
        """Calls the function of a name. The body of one that is called by itself begins in `lines`; if another function
        has taken its name since, it is found by that."""
        self.answers.called_in = namespace
        first, *rest = qualname.split(".")
        is_nested = False
        try:
            value, owner = namespace[first], None
            for part in rest:
                value = self.function_in(value)
                if isinstance(value, Function):
                    outer = value if self.entered is None or is_nested else self.entered.function
                    owner, value = None, self.inner(outer, part)
                    is_nested = True
                    if self.entered is not None and not self.observer and isinstance(value, Function):
                        self.entered.state.change_around(self.answers, value)
                    continue
                owner, value = value, member(value, part)
                if self.excerpt:
                    self.engine.incomplete.add(owner)
        except (KeyError, AttributeError):
            value, owner = self.function_at(qualname, lines), None
            if value is None and self.entered is not None:
                value = self.entered.function
            if value is None:
                return  # the module did not come to define it
        is_plain = self.entered is not None and value is self.entered.function
        is_found = is_nested or isinstance(value, (staticmethod, classmethod)) or self.observer and is_generic(value)
        if self.entered is not None and not is_found:
            value = self.entered.function  # what decorators made of it may not come to it
        if lines is not None and isinstance(value, Function) and self.is_another(value, lines):
            value, owner = self.function_at(qualname, lines) or value, None
        needs_instance = False
        if isinstance(value, (staticmethod, classmethod)):
            # Without a class it is a method that was cut out of one.
            signature = value.__func__
            function = value.__func__ if owner is None else value.__get__(None, owner)
            bound = owner is not None and isinstance(value, classmethod)
        else:
            if isinstance(value, property) and not self.observer:
                return self.call_accessors(value, owner, qualname)
            function = value if callable(value) else getattr(value, "fget", None) or getattr(value, "func", value)
            signature, bound = function, isinstance(owner, type)
            needs_instance = bound
        self.owner = owner if isinstance(owner, type) else None
        if self.entered is not None and not self.observer:
            self.entered.state.change(self.answers)
            self.engine.keeps_empty = self.answers.is_as_initialized(qualname)
        positional, named = self.arguments(qualname, signature, bound)
        self.passed = [*positional, *named.values()]
        if needs_instance:
            positional.insert(0, self.instance(owner, qualname, function))
        if self.observer:
            self.observer.calls(self.expression(qualname, positional, named, needs_instance) if is_plain else None)
            self.unfinished = positional[0] if needs_instance and qualname.endswith(".__init__") else None
            result = function(*positional, **named)
            self.unfinished = None
            # `with` asks only whether it is true.
            self.consume(None if qualname.endswith(".__exit__") and result is False else result)
            return
        with InnerFunctions(self, self.entered.function if self.entered is not None else function):
            result = function(*positional, **named)  # which may hold them
            self.consume(result)

    def isolated_calls(self):
        """What calls are made in that are not the program's own."""
        return IsolatedCalls()

    def expression(self, qualname, positional, named, is_method):
        """(modules to import, the call of the function as an expression), or None where a value cannot be written."""
        expressions = self.constructor.expressions
        expressions.imports.clear()
        callee = f"{self.entered.module.__name__}.{qualname}"
        if is_method:
            callee = expressions.of(positional[0])
            callee = None if callee is None else f"{callee}.{qualname.rpartition('.')[2]}"
        arguments = expressions.arguments(positional[is_method:], named)
        if callee is None or arguments is None:
            return None
        return sorted({self.entered.module.__name__, *expressions.imports}), f"{callee}({arguments})"

    def is_another(self, function, lines):
        """True for a function of the program that lies elsewhere."""
        return self.frames.defines(function) and not begins_in(function.__code__, lines)

    def function_at(self, qualname, lines):
        """The function whose body begins in the lines, whatever its name stands for now; None if nobody holds it."""
        if lines is None:
            return None
        import gc  # now: a program would find it loaded

        name = qualname.rpartition(".")[2]
        for value in gc.get_objects():
            if type(value) is Function and value.__code__.co_name == name and begins_in(value.__code__, lines):
                if self.frames.defines(value):
                    return value
        return None

    def call_accessors(self, value, owner, qualname):
        """Calls what reads, writes and deletes a property, whatever one of them raises."""
        failed = None
        for function in (value.fget, value.fset, value.fdel):
            if function is None:
                continue
            try:
                positional, named = self.arguments(qualname, function, True)
                self.consume(function(self.instance(owner, qualname, function), *positional, **named))
            except Exception as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def function_in(self, value):
        """The function that a descriptor of a class holds, or that decorators made an object of."""
        if isinstance(value, (staticmethod, classmethod)):
            return value.__func__
        if isinstance(value, property):
            return value.fget
        is_other = self.entered is not None and not isinstance(value, (Function, type))
        return self.entered.function if is_other else value

    def inner(self, outer, name):
        """A function that another one defines, which is called for it; of the other the excerpt has little else."""
        found = {}

        def look(frame, event, _argument):
            if event == "return" and frame.f_code is outer.__code__:
                found.update(frame.f_locals)

        # What the rest of the outer function makes of its parameters is cut, so that their defaults say little.
        given = parameters_of(outer)
        if any(one.default is not Parameter.empty for one in given) and self.answers.leaves_defaults(outer.__name__):
            given = [one for one in given if one.default is Parameter.empty]
        values = [(one.kind, one.name, self.answers.fresh(one.name)) for one in given]
        positional = [value for kind, _, value in values if kind <= Parameter.POSITIONAL_OR_KEYWORD]
        named = {name: value for kind, name, value in values if kind == Parameter.KEYWORD_ONLY}
        for one in given if not self.observer else ():
            if one.kind == Parameter.VAR_POSITIONAL:
                positional += self.answers.star_arguments(outer.__name__, one.name)
        before = sys.getprofile()
        sys.setprofile(look)
        try:
            result = outer(*positional, **named)
            if isinstance(result, Generator):
                next(result, None)
        finally:
            sys.setprofile(before)
        if name not in found:
            raise AttributeError(name)
        return found[name] if self.observer else undecorated(outer, name, found[name])

    # -- arguments ----------------------------------------------------------------------------------------------

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
        if self.observer and not self.answers.is_as_initialized(qualname):
            self.change(value, owner)
        elif not self.observer and not self.engine.keeps_empty:
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

    # -- results ------------------------------------------------------------------------------------------------

    def consume(self, result):
        """Lets a generator or a coroutine run, and calls a function that was returned where an observer compares."""
        observer = self.observer
        if isinstance(result, contexts()):
            result = result.gen  # the body of a context manager is that of its generator
        if isinstance(result, Generator) and not observer:
            self.run_generator(result)
        elif observer and type(result) is not StandIn and (isinstance(result, Generator) or is_iterator(result)):
            observer.returned("iterator")
            for element in first_of(result, OBSERVED):
                observer.happened("yield", observer.describe(element))
        elif isinstance(result, AsyncGenerator):
            self.run_coroutine(self.all_elements(result), self.imports_loop)
        elif isinstance(result, Coroutine):
            self.run_coroutine(self.outcome(result) if observer else result, self.imports_loop)
        elif observer and isinstance(result, Function) and self.frames.defines(result):
            if self.level < LEVELS:
                observer.returned(observer.describe(result))
                self.level += 1
                self.call_function(result, f"result{self.level}")
            else:
                observer.returned(observer.describe(result))
        else:
            observer.returned(observer.describe(result))
            if observer and self.constructor is not None:
                observer.returns(self.constructor.expressions.of(result))
            if observer and type(result) in (list, tuple):
                self.consume_parts(result)

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

    def consume_parts(self, result):
        """Lets the iterators and the functions of the program run that a result holds."""
        for part in result[:CALLBACKS]:
            is_iterated = isinstance(part, Generator) or type(part) is not StandIn and is_iterator(part)
            if is_iterated or isinstance(part, Function) and self.frames.defines(part):
                self.consume(part)

    async def all_elements(self, result):
        left = OBSERVED if self.observer else ELEMENTS
        async for element in result:
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
        known = function.keywords if function_of_partial(function) is not function else ()
        for number, parameter in enumerate(parameters_of(function)):
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


def is_generic(function):
    """True for what `functools.singledispatch` makes of a function: other functions are a part of it."""
    return isinstance(function, Function) and {"dispatch", "register", "registry"} <= vars(function).keys()


def undecorated(outer, name, value):
    """The function of a name that another one defines, whatever its decorators made of it."""
    codes = [code for code in outer.__code__.co_consts if getattr(code, "co_name", None) == name]
    if not codes or type(value) is Function and value.__code__ in codes:
        return value
    return next(iter(functions_of(codes)), value)


def begins_in(code, lines):
    """True if code has an instruction on one of the lines."""
    first, last = lines
    return any(first <= line <= last for line in line_table(code))


def contexts():
    """The classes of what functions give that `contextlib` decorates, if the program uses it."""
    contextlib = sys.modules.get("contextlib")
    kinds = [getattr(contextlib, name, None) for name in ("_GeneratorContextManager", "_AsyncGeneratorContextManager")]
    return tuple(kind for kind in kinds if isinstance(kind, type))


def first_of(elements, count):
    """The first elements of an iterator, which is not asked for more."""
    for _number in range(count):
        try:
            yield next(elements)
        except StopIteration:
            return
