"""The definitions that a script's prefix may need, as text. `$Name` is a name that the snippet does not use."""

STAND_IN = '''\
class $StandIn:
    """Takes the place of something missing. `answers`: what operations give, in turn; the last one from then on."""

    def __init__(self, name, answers={}, /, **attributes):
        set_ = object.__setattr__
        set_(self, "_$StandIn", (name, {key: list(value) for key, value in answers.items()}, attributes, {}))

    def __getattr__(self, name):
        if name in self._$StandIn[2]:
            return self._$StandIn[2][name]
        raise AttributeError(f"{self._$StandIn[0]!r} object has no attribute {name!r}")

    def __setattr__(self, name, value):
        self._$StandIn[2][name] = value

    def __call__(self, *arguments, **named):
        return $answer(self, "call", *arguments)

    def __repr__(self):
        return f"<{self._$StandIn[0]}>"
'''

ANSWER = """\
def $answer(stand_in, operation, *arguments):
    answers = stand_in._$StandIn[1].get(operation, [None])
    value = answers.pop(0) if len(answers) > 1 else answers[0]
"""
ANSWER_SAME = """\
    if value is $SAME:
        return arguments[0]
"""
ANSWER_RAISES = """\
    if type(value) is $Raises:
        raise value.error()
"""
ANSWER_END = "    return value\n"

SAME = "$SAME = object()  # a call gives back its argument, as decorators may\n"

RAISES = '''\
class $Raises:
    """An answer that is an exception."""

    def __init__(self, error):
        self.error = error
'''

# What functions of `six` and of modules like it do.
COMPATIBLE = {
    "iterkeys": "lambda mapping: iter(mapping.keys())",
    "itervalues": "lambda mapping: iter(mapping.values())",
    "iteritems": "lambda mapping: iter(mapping.items())",
    "viewkeys": "lambda mapping: mapping.keys()",
    "viewvalues": "lambda mapping: mapping.values()",
    "viewitems": "lambda mapping: mapping.items()",
    "u": "lambda text: text",
    "b": "lambda text: text.encode('latin-1')",
    "python_2_unicode_compatible": "lambda cls: cls",
    "implements_to_string": "lambda cls: cls",
    "ensure_str": "lambda value, *how: value.decode(*how) if isinstance(value, bytes) else value",
    "ensure_text": "lambda value, *how: value.decode(*how) if isinstance(value, bytes) else value",
    "ensure_binary": "lambda value, *how: value.encode(*how) if isinstance(value, str) else value",
    "raise_from": "lambda error, cause: setattr(error, '__cause__', cause) or (_ for _ in ()).throw(error)",
    "reraise": "lambda kind, error, traceback=None: (_ for _ in ()).throw(error.with_traceback(traceback))",
    "with_metaclass": (
        "lambda meta, *bases: type.__new__(type('Deferred', (type,), {'__new__': lambda cls, name, _bases, namespace: "
        "meta(name, bases, namespace)}), 'temporary_class', (), {})"
    ),
    "add_metaclass": (
        "lambda meta: lambda cls: meta(cls.__name__, cls.__bases__, {name: value for name, value in vars(cls).items() if "
        "name not in ('__dict__', '__weakref__', *cls.__dict__.get('__slots__', ()))})"
    ),
}
# Methods of stand-ins whose bodies are one expression: parameters and expression, by the operation.
EXPRESSIONS = {
    "eq": ("other", 'other is self or $answer(self, "eq")'),
    "ne": ("other", 'other is not self and $answer(self, "ne")'),
    "iter": ("", 'iter($answer(self, "iter"))'),
    "reversed": ("", 'reversed($answer(self, "iter"))'),
    "enter": ("", "self"),
    "exit": ("*error", "None"),
    "aenter": ("", "self"),
    "aexit": ("*error", "None"),
    "anext": ("", '$answer(self, "next")'),
    "copy": ("", "self"),
    "deepcopy": ("memo", "self"),
    "mro_entries": ("bases", '($answer(self, "mro_entries"),)'),
    "keys": ("", '$answer(self, "keys")'),
}

# Methods that take more than that.
BODIES = {
    "getitem": """\
    def __getitem__(self, key):
        items = self._$StandIn[3]
        try:
            if key in items:
                return items[key]
        except TypeError:  # a slice, or another key that cannot be kept
            return $answer(self, "getitem")
        value = items[key] = $answer(self, "getitem")
        return value
""",
    "setitem": """\
    def __setitem__(self, key, value):
        try:
            self._$StandIn[3][key] = value
        except TypeError:
            pass
""",
    "delitem": """\
    def __delitem__(self, key):
        try:
            self._$StandIn[3].pop(key, None)
        except TypeError:
            pass
""",
    "delattr": """\
    def __delattr__(self, name):
        self._$StandIn[2].pop(name, None)
""",
    "class": """\
    @property
    def __class__(self):
        # Looked up when it is asked for: the snippet imports it, or defines it.
        module, _, names = ($answer(self, "class") or "").partition(":")
        kind = $sys.modules.get(module)
        for name in names.split("."):
            kind = getattr(kind, name, type(self))
        return kind
""",
    "aiter": """\
    async def __aiter__(self):
        for element in $answer(self, "iter"):
            yield element
""",
    "await": """\
    def __await__(self):
        return self
        yield
""",
    "format": """\
    def __format__(self, spec):
        for value in (repr(self), 1, 1.0):
            try:
                return format(value, spec)
            except (ValueError, TypeError):
                continue
        return repr(self)
""",
}


def method(operation):
    """The method of stand-ins for an operation."""
    if operation in BODIES:
        return BODIES[operation]
    parameters, result = EXPRESSIONS.get(operation, ("*others", f'$answer(self, "{operation}")'))
    name = operation if operation == "keys" else f"__{operation}__"
    keyword = "async def" if operation in ("aenter", "aexit", "anext") else "def"
    text = f"    {keyword} {name}(self{', ' if parameters else ''}{parameters}):\n        return {result}\n"
    return text + ("\n    __hash__ = object.__hash__\n" if operation == "eq" else "")


DICT = '''\
class $Answering(dict):
    """A dictionary that has the keys that were asked for."""

    def __init__(self, known, answers):
        super().__init__(known)
        self.answers = answers

    def __missing__(self, key):
        if key not in self.answers:
            raise KeyError(key)
        value = self[key] = self.answers[key]
        return value
'''

BASE = '''\
def $base(name, /, **attributes):
    """A class that is missing among the bases of others."""
    names = {"__init__": lambda self, *a, **k: None, "__init_subclass__": classmethod(lambda cls, **k: None)}
    return type(name, (), {"__module__": "builtins", **names, **attributes})
'''

BUSY_BASE = """\
    names.update(__enter__=lambda self: self, __exit__=lambda self, *error: None)
"""

ERROR = '''\
def $error(name, /, **attributes):
    """A missing class of exceptions."""
    return type(name, (Exception,), {"__module__": "builtins", **attributes})
'''

AWAITABLE = '''\
class $Awaitable:
    """Gives a value where the code awaits."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        return self.value
        yield
'''

MODULE = '''\
def $module(name, /, **attributes):
    """A module that is missing."""
    module = $sys.modules[name] = type($sys)(name)
    vars(module).update(__path__=[], __all__=[], __file__=None, **attributes)
'''

FAILING = '''\
def $answering(function, answers):
    """The function; where it fails when the snippet calls it, the next answer."""
    answers = list(answers)

    def wrapper(*arguments, **named):
        try:
            return function(*arguments, **named)
        except Exception:
            if not answers or $sys._getframe(1).f_code.co_filename != $here:
                raise
            answer = answers.pop(0)
            if answer is $FAILS:
                raise
            return answer

    return wrapper


$here = $sys._getframe().f_code.co_filename
$FAILS = object()
'''

ARGUMENTS = '''\
class $Arguments(list):
    """`sys.argv` with an answer for arguments that were not given."""

    def __getitem__(self, index):
        try:
            return super().__getitem__(index)
        except IndexError:
            return "1"


$sys.argv = $Arguments($sys.argv)
'''
