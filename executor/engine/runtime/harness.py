"""Harness calls: calls of the program's functions by the runtime itself, with injected arguments."""

import sys  # builtin modules only: a program would find others loaded

from _surmise_construct import Constructor
from _surmise_documented import compile_patterns
from _surmise_harness_results import HarnessResults, is_context_manager
from _surmise_harness_values import HarnessValues
from _surmise_isolated_calls import InnerFunctions, IsolatedCalls, functions_of
from _surmise_program import line_table
from _surmise_signatures import Function, Generator, Parameter, member, parameters_of


def prepare():
    """Makes what the runs of a program have in common, before they are forked."""
    compile_patterns()
    # `inspect` reads the signatures of builtins with it, which compiles its patterns at the first use.
    tokenize = sys.modules.get("tokenize")
    if tokenize is not None:
        list(tokenize.generate_tokens(iter(["()\n"]).__next__))


class Harness(HarnessValues, HarnessResults):
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
        observer.watch(namespace, qualname, self.entered.snapshot if self.entered is not None else None)
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
        is_context = is_context_manager(value)
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
            self.consume(None if qualname.endswith(".__exit__") and result is False else result, is_context)
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
