"""The engine: the entry points of the native hooks.

Runs on cold paths only. The hooks call the functions of `Engine` when a lookup failed or hit a stand-in; a result of
`NotImplemented` lets the original exception stand. What is missing is answered by the policy of the run (`answers`).
"""

import sys

import _surmise_standins as standins
from _surmise_frames import Expectations, Frames
from _surmise_imports import Finder, prepare_from_import
from _surmise_incomplete import IncompleteClasses
from _surmise_predicted import Predicted
from _surmise_samples import attribute_of, has_method
from _surmise_standins import Awaitable, InjectedBase, InjectedError, Module, StandIn
from _surmise_unlikely import AmongRealCode
from _surmise_values import Values, is_injected_class


def new_engine(native, drawn=None, recording=None):
    """The engine of a run. `drawn` is the module of that name where two versions are compared; `recording` is the
    module of that name where a script is made of the run."""
    frames = Frames(native.filename)
    expectations = Expectations(frames, native)
    observer = drawn.Behaviour(frames, native) if drawn is not None else Unobserved()
    policy, kind = Predicted if drawn is None else drawn.Drawn, Engine
    if recording is not None:
        policy, kind = recording.recorded(policy, kind)
    standins.answers = policy(native, frames, expectations, Values(native), observer)
    engine = kind(standins.answers)
    sys.meta_path.append(engine.finder)
    return engine


class Unobserved:
    """The observer of a run that nobody compares: takes every notification, and is false."""

    callbacks = ()

    def __bool__(self):
        return False

    def __getattr__(self, _notification):
        return lambda *_what: None


class Engine(AmongRealCode):
    """One run's engine."""

    types = standins  # the hooks send what is of its classes here

    def __init__(self, answers):
        super().__init__()
        self.answers = answers
        self.native = answers.native
        self.frames = answers.frames
        self.expectations = answers.expectations
        self.values = answers.values
        self.classes = answers.classes
        self.observer = answers.observer
        self.finder = Finder(self)
        self.lacking = {}  # id of a real object -> (the object, {attribute: value})
        self.incomplete = IncompleteClasses(self.values)
        self.decorated = {}  # id of what a missing decorator was put on -> it

    # -- names --------------------------------------------------------------------------------------------------

    def name(self, number):
        return self.answers.variable(number)

    def bound(self, number):
        """True for an unbound local variable that stays so."""
        site = self.native.site(number)
        if site.assigned is None or self.answers.keeps_unbound(number):
            return True
        frame = self.frames.innermost()
        if site.name in frame.f_globals or site.name in frame.f_builtins:
            return True  # a `global` is missing: a bug of the code, not a missing value
        return site.name not in self.answers.variables and self.expectations.expects(UnboundLocalError, number)

    # -- attributes ---------------------------------------------------------------------------------------------

    def attribute(self, number, value):
        """An attribute of a stand-in or a missing module."""
        name = self.native.site(number).name
        if type(value) is Module:
            if name in value.__dict__:
                return value.__dict__[name]
            if self.lets_read_fail(number, value, name):
                raise AttributeError(f"module {value.__name__!r} has no attribute {name!r}")
            return self.answers.attribute_of_module(value, name, number)
        state = value._surmise_state
        if name in state.attributes:
            return state.attributes[name]
        if name.startswith("__") and name.endswith("__"):
            try:
                return getattr(value, name)
            except AttributeError:
                pass
        if has_method(state, name):
            return self.answers.method(value, name, number)
        sample = attribute_of(value, name)
        if sample is not None:
            result = self.answers.method(value, name, number)
            result._surmise_state.sample = sample
            return result
        if self.lets_read_fail(number, value, name):
            raise AttributeError(f"{state.path!r} object has no attribute {name!r}")
        return self.answers.attribute(value, name, number)

    def lets_read_fail(self, number, value, name):
        return self.answers.read_may_fail(value, name) and self.expectations.expects(AttributeError, number)

    def attribute_failed(self, number, value, error):
        """An attribute that a real object does not have, or whose code fails."""
        site = self.native.site(number)
        name = self.answers.usual_name(site.name)
        if name != site.name and self.values.is_injected(value, number) and hasattr(type(value), name):
            return getattr(value, name)
        if site.assigned is None or not self.answers.repairs_attribute_of(value) or self.passed_through(error):
            return NotImplemented
        if value is None:
            return self.attribute_of_nothing(number)
        held = self.lacking.get(id(value))
        if held is not None and site.name in held[1]:
            return held[1][site.name]
        if isinstance(error, AttributeError) and hasattr(value, "__dict__") and self.may_lack(value, site.name, number):
            _, held = self.lacking.setdefault(id(value), (value, {}))
            found = self.answers.through_property(value, site.name, error, held)
            if found is not NotImplemented:
                return found
        # What an object of a module that holds no state yet says, and a property of one that is made up.
        is_of_code = self.answers.is_refused(error) and (
            not isinstance(error, AttributeError) or self.is_made_up(value)
        )
        if not is_of_code and not (isinstance(error, AttributeError) and self.may_lack(value, site.name, number)):
            return NotImplemented
        if self.answers.read_may_fail(value, site.name) and self.expectations.expects(type(error), number):
            return NotImplemented
        key = f"attribute:{name}" if name != site.name else None
        result = self.answers.make(number, None, f"{type(value).__name__}.{name}", None, key)
        self.lacking.setdefault(id(value), (value, {}))[1][site.name] = result
        self.answers.lacked(value, site.name, result)
        return result

    def attribute_that_others_read(self, value, name):
        """An attribute that an object was not given, read by code that is not rewritten: what the program's own code would
        get there."""
        _, held = self.lacking.setdefault(id(value), (value, {}))
        if name not in held:
            held[name] = self.answers.attribute_elsewhere(f"{type(value).__name__}.{name}", name)
            self.answers.lacked(value, name, held[name])
        return held[name]

    def may_lack(self, value, name, number):
        """True where a missing attribute is the fault of missing code rather than a bug of the code at hand."""
        if isinstance(value, super):
            return any(issubclass(base, InjectedBase) for base in value.__self_class__.__mro__)
        if isinstance(value, type):
            return is_injected_class(value) or id(value) in self.decorated or self.incomplete.holds(value)
        if isinstance(value, (InjectedBase, InjectedError)) or self.values.is_injected(value, number):
            return True
        if self.answers.is_state(value):
            return True
        if id(value) in self.decorated:
            return True
        kind = type(value)
        if self.incomplete.holds(kind):
            return True
        if getattr(kind, "__module__", None) not in self.frames.main_names or isinstance(value, BaseException):
            return False
        return not self.native.is_assigned_attribute(name) and not self.native.is_misspelt(name, dir(value))

    def augmented(self, number, value):
        """`value.name += 1`: gives the value an attribute that it may lack."""
        site = self.native.site(number)
        if site.assigned is None or type(value) is Module:
            return value
        kind, name = type(value), site.name
        if kind is StandIn:
            self.answers.attribute(value, name, number)
            return value
        is_open = hasattr(kind, "__getattr__") and kind.__dict__.get("__getattr__") is not self.incomplete.lacking
        if hasattr(kind, name) or is_open or name in getattr(value, "__dict__", {}):
            return value
        if kind.__getattribute__ is not object.__getattribute__ or not hasattr(value, "__dict__"):
            return value
        if self.may_lack(value, name, number) and not self.expectations.expected(AttributeError):
            try:
                made = self.answers.make(number, None, f"{kind.__name__}.{name}")
                setattr(value, name, made)
                self.answers.lacked(value, name, made)
            except (AttributeError, TypeError):
                pass
        return value

    # -- calls --------------------------------------------------------------------------------------------------

    def call(self, number, callee, args, kwargs):
        return self.answers.call(callee, args, kwargs, number)

    def call_failed(self, number, callee, args, kwargs, error):
        site = self.native.site(number)
        if site.assigned is None or self.passed_through(error):
            return NotImplemented
        if isinstance(callee, type) and self.incomplete.holds(callee) and isinstance(error, TypeError):
            value = self.incomplete.instance(callee)
            return NotImplemented if value is None else value
        if isinstance(callee, type) and self.answers.is_refused(error):
            self.incomplete.add(callee, is_whole=True)
            value = self.incomplete.instance(callee)
            if value is not None and not self.expectations.expects(type(error), number):
                self.native.injected(number, "object", f"<{callee.__name__}>")
                return value
        if self.of_program(callee):
            if id(callee) in self.decorated and isinstance(error, TypeError):
                return self.answers.call_decorated(callee, args, kwargs)
            return NotImplemented
        if callee is super and self.lacks_class(args, error):
            if self.expectations.expects(type(error), number):
                return NotImplemented
            return self.answers.super_of_nothing(number)
        return self.answers.repair_call(number, site, callee, args, kwargs, error)

    def lacks_class(self, args, error):
        """True if `super()` fails because its method was cut out of a class, or has a stand-in as `self`."""
        if args:
            return any(type(value) is StandIn for value in args)
        if isinstance(error, RuntimeError):
            return True
        frame = self.frames.innermost()
        first = frame.f_code.co_varnames[:1] if frame is not None else ()
        return any(type(frame.f_locals.get(name)) is StandIn for name in first)

    def passed_through(self, error):
        return self.frames.passed_through(error)

    def of_program(self, callee):
        """True for functions and classes that the program defined: their failures are its own."""
        if type(callee) is StandIn:
            return False
        if self.frames.rewritten is not None:
            # What the rest of the module does with made-up values is like what a library does with them.
            return getattr(getattr(callee, "__func__", callee), "__code__", None) in self.frames.rewritten
        return self.frames.defines(callee) and not (isinstance(callee, type) and issubclass(callee, InjectedError))

    # -- statements ---------------------------------------------------------------------------------------------

    def decorator(self, _number, value):
        """A missing decorator, which gives back what it is put on."""
        if type(value) is not StandIn:
            return self.of_cut_classes(value) if self.incomplete.in_excerpt else value
        self.answers.report(value, "decorator", "the decorated object itself")
        self.observer.happened("decorate", value._surmise_state.path)

        def keep(decorated):
            self.decorated[id(decorated)] = decorated
            return decorated

        return keep

    def of_cut_classes(self, decorator):
        """`decorator`, which may need what was cut of a class: where it fails, the class stays as it is."""

        def decorate(decorated):
            try:
                return decorator(decorated)
            except Exception:
                if not isinstance(decorated, type):
                    raise
            name = getattr(decorator, "__name__", "decorator")
            self.answers.report(None, "decorator", "the decorated object itself", name)
            return decorated

        return decorate

    def awaited(self, number, value):
        kind = type(value)
        if kind is StandIn or hasattr(kind, "__await__") or not self.values.is_injected(value, number):
            return value
        return Awaitable(value)

    def caught(self, number, value):
        return self.classes.caught(value, number)

    def raised(self, number, value):
        self.observer.raised(value)
        return self.classes.raised(value, number)

    def import_from(self, number):
        """Called before `from module import names`; returns the exception that importing the module raised."""
        return prepare_from_import(self, number)

    def lets_import_fail(self, module):
        """True if the program expects that a module is missing."""
        return self.expectations.expects(ModuleNotFoundError, f"import:{module}")

    def lets_argument_fail(self, what, kind):
        """True if the program expects that an argument is missing, and the error of this class that follows."""
        return self.frames.innermost() is None or self.expectations.expects(kind, f"argument:{what}")

    def gave_variable(self, name, text):
        """A variable of the environment was made up."""

    def gave_arguments(self, texts):
        """Arguments were made up that the program reads together, or with a parser: all that there are."""

    def emitted(self):
        """What the parent gets at the end, of a run that is compared."""
        return self.observer.emitted()

    def contains(self, item, container):
        """`stand_in in "text"`, which CPython refuses, and `stand_in in [...]`."""
        if type(container) in (list, tuple):
            return self.answers.is_listed(item, container)
        return self.answers.decide(item, "membership")

    def metaclass(self, value):
        if type(value) is StandIn:
            self.answers.report(value, "metaclass", "<class 'type'>")
            return type
        return value

    # -- patterns -----------------------------------------------------------------------------------------------

    def pattern(self, first, count, subject):
        frame = self.frames.innermost()
        for number in range(first, first + count):
            self.bind_pattern(frame, number)
        return subject

    def bind_pattern(self, frame, number):
        """Gives a value to a name that a pattern reads, and a class to one that it matches against."""
        site = self.native.site(number)
        if site.assigned is None:
            return
        namespaces = (frame.f_locals, frame.f_globals, frame.f_builtins)
        if site.role != "caught":
            if not any(site.name in names for names in namespaces) and not self.expectations.expected(NameError):
                frame.f_globals[site.name] = self.answers.variable(number)
            return
        root, *rest = site.name.split(".")
        for namespace in namespaces:
            if root in namespace:
                value = namespace[root]
                break
        else:
            if self.expectations.expected(NameError):
                return
            if rest:
                value = self.answers.variables.setdefault(root, self.answers.fresh(root))
                frame.f_globals[root] = value
            else:
                frame.f_globals[root] = self.classes.pattern_type(root)
                self.native.injected(number, "object", f"<class {root}>")
                return
        for position, part in enumerate(rest):
            if type(value) not in (StandIn, Module):
                return
            known = value._surmise_state.attributes if type(value) is StandIn else value.__dict__
            if position == len(rest) - 1 and type(known.get(part)) in (StandIn, type(None)):
                known[part] = self.classes.pattern_type(part)
                self.native.injected(number, "object", f"<class {part}>")
            value = known.get(part) or getattr(value, part)
        if not rest and type(value) is StandIn:
            frame.f_globals[root] = self.classes.pattern_type(root)
