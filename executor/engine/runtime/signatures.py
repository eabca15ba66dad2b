"""What `inspect` tells of functions and of what they return; importing it takes longer than most programs run."""


def _generator():
    yield


async def _coroutine():
    pass


async def _asynchronous_generator():
    yield


def _type_of_coroutine():
    coroutine = _coroutine()
    coroutine.close()  # or it would warn that nobody awaits it
    return type(coroutine)


class _Probe:
    def method(self):
        """Gives the type of bound methods."""


Function = type(_generator)
Method = type(_Probe().method)
Generator = type(_generator())
Coroutine = _type_of_coroutine()
AsyncGenerator = type(_asynchronous_generator())
VARIABLE, NAMED = 0x04, 0x08  # flags of code objects: `*args`, `**kwargs`


class Parameter:
    """With the names that `inspect.Parameter` has."""

    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)
    empty = object()

    def __init__(self, name, kind, default=empty):
        self.name, self.kind, self.default = name, kind, default


def parameters_of(function):
    """Those of a callable, in order; none if they are not known."""
    if type(function) is not Function or "__signature__" in function.__dict__:
        return asked_elsewhere(function)
    # A function that only has the name of another one has parameters of its own.
    is_wrapper = type(function.__dict__.get("__wrapped__")) in (Function, Method)
    if is_wrapper and function.__code__.co_flags & (VARIABLE | NAMED):
        return asked_elsewhere(function)
    code, defaults, named = function.__code__, function.__defaults__ or (), function.__kwdefaults__ or {}
    names = code.co_varnames
    positional, keywords = code.co_argcount, code.co_kwonlyargcount
    found = []
    for number, name in enumerate(names[:positional]):
        kind = Parameter.POSITIONAL_ONLY if number < code.co_posonlyargcount else Parameter.POSITIONAL_OR_KEYWORD
        place = number - (positional - len(defaults))
        found.append(Parameter(name, kind, defaults[place] if place >= 0 else Parameter.empty))
    if code.co_flags & VARIABLE:
        found.append(Parameter(names[positional + keywords], Parameter.VAR_POSITIONAL))
    for name in names[positional : positional + keywords]:
        found.append(Parameter(name, Parameter.KEYWORD_ONLY, named.get(name, Parameter.empty)))
    if code.co_flags & NAMED:
        last = positional + keywords + bool(code.co_flags & VARIABLE)
        found.append(Parameter(names[last], Parameter.VAR_KEYWORD))
    return found


def plain_base_of(kind):
    """The builtin class of texts or numbers whose constructor is that of a class; None for others."""
    return next((one for one in (str, int, float, bytes) if constructor_of(kind) is one.__new__), None)


def constructor_of(kind):
    return kind.__init__ if kind.__init__ is not object.__init__ else kind.__new__


def function_of_partial(value):
    """The function that `functools.partial` gives arguments, or what this is else."""
    kind = type(value)
    return value.func if kind.__name__ == "partial" and kind.__module__ == "functools" else value


def asked_elsewhere(function):
    import inspect

    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [
        Parameter(one.name, int(one.kind), Parameter.empty if one.default is one.empty else one.default)
        for one in found
    ]


def member(owner, name):
    """What a class or an object has under a name as its source spells it, without asking it."""
    if name.startswith("__") and not name.endswith("__"):
        kind = owner if isinstance(owner, type) else type(owner)
        name = f"_{kind.__name__.lstrip('_')}{name}"  # Language Reference, 6.2.1
    if isinstance(owner, type):
        for kind in type.__dict__["__mro__"].__get__(owner):
            if name in kind.__dict__:
                return kind.__dict__[name]
        raise AttributeError(name)
    import inspect

    return inspect.getattr_static(owner, name)
