"""Instances of classes that a condition asks for: of common ones of the standard library, and of the program's own."""

from sys import modules  # programs may replace it

from _surmise_standins import StandIn

# What makes an instance, by module and name of the class, of a number and a text that it is to have in it.
MAKERS = {
    ("builtins", "bytes"): lambda kind, number, text: kind(text.encode()),
    ("builtins", "bytearray"): lambda kind, number, text: kind(text.encode()),
    ("builtins", "complex"): lambda kind, number, text: kind(number),
    ("builtins", "frozenset"): lambda kind, number, text: kind((text,)),
    ("builtins", "function"): lambda kind, number, text: kind(returned.__code__, {}, text),
    ("builtins", "generator"): lambda kind, number, text: (one for one in (text,)),
    ("builtins", "memoryview"): lambda kind, number, text: kind(text.encode()),
    ("builtins", "module"): lambda kind, number, text: kind(text),
    ("builtins", "range"): lambda kind, number, text: kind(number + 1),
    ("builtins", "slice"): lambda kind, number, text: kind(number),
    ("builtins", "type"): lambda kind, number, text: kind(text, (), {}),
    ("collections", "Counter"): lambda kind, number, text: kind(text),
    ("collections", "OrderedDict"): lambda kind, number, text: kind({text: number}),
    ("collections", "defaultdict"): lambda kind, number, text: kind(list),
    ("collections", "deque"): lambda kind, number, text: kind(text),
    ("collections.abc", "Callable"): lambda kind, number, text: type(returned)(returned.__code__, {}, text),
    ("collections.abc", "Collection"): lambda kind, number, text: [text],
    ("collections.abc", "Container"): lambda kind, number, text: [text],
    ("collections.abc", "Generator"): lambda kind, number, text: (one for one in (text,)),
    ("collections.abc", "Iterable"): lambda kind, number, text: [text],
    ("collections.abc", "Iterator"): lambda kind, number, text: iter([text]),
    ("collections.abc", "Mapping"): lambda kind, number, text: {text: number},
    ("collections.abc", "MutableMapping"): lambda kind, number, text: {text: number},
    ("collections.abc", "MutableSequence"): lambda kind, number, text: [text],
    ("collections.abc", "Sequence"): lambda kind, number, text: [text],
    ("collections.abc", "Set"): lambda kind, number, text: {text},
    ("collections.abc", "Sized"): lambda kind, number, text: [text],
    ("datetime", "date"): lambda kind, number, text: kind.fromordinal(738_886 + number),
    ("datetime", "datetime"): lambda kind, number, text: kind(2024, 1, 2, number % 24, 4, 5),
    ("datetime", "time"): lambda kind, number, text: kind(number % 24, 4, 5),
    ("datetime", "timedelta"): lambda kind, number, text: kind(days=number),
    ("datetime", "timezone"): lambda kind, number, text: kind.utc,
    ("decimal", "Decimal"): lambda kind, number, text: kind(number) + kind("0.5"),
    ("fractions", "Fraction"): lambda kind, number, text: kind(number, 2),
    ("io", "BytesIO"): lambda kind, number, text: kind(text.encode()),
    ("io", "StringIO"): lambda kind, number, text: kind(text),
    ("_io", "BytesIO"): lambda kind, number, text: kind(text.encode()),
    ("_io", "StringIO"): lambda kind, number, text: kind(text),
    ("ipaddress", "IPv4Address"): lambda kind, number, text: kind(abs(number)),
    ("ipaddress", "IPv6Address"): lambda kind, number, text: kind(abs(number)),
    ("numbers", "Integral"): lambda kind, number, text: number,
    ("numbers", "Number"): lambda kind, number, text: number,
    ("numbers", "Real"): lambda kind, number, text: number + 0.5,
    ("pathlib", "Path"): lambda kind, number, text: kind(text),
    ("pathlib", "PurePath"): lambda kind, number, text: kind(text),
    ("re", "Match"): lambda kind, number, text: compile_pattern(text).match(text),
    ("re", "Pattern"): lambda kind, number, text: compile_pattern(text),
    ("uuid", "UUID"): lambda kind, number, text: kind(int=abs(number)),
}


def returned(*values, **named):
    """What a function is that does nothing."""


def compile_pattern(text):
    """The expression that matches a text; `re` is imported where somebody knows its classes."""
    return modules["re"].compile(text)


def is_class(kind):
    """True for a real class, to ask which runs no code of the program."""
    is_plain = issubclass(type(kind), type) and type(kind).__getattribute__ is type.__getattribute__
    return is_plain and not issubclass(kind, StandIn)


def module_of(kind):
    """The module from which a class is imported; since 3.13 those of `pathlib` say another one."""
    return kind.__module__.replace("pathlib._local", "pathlib")


def instance_of(kind, module, number=1, text="a"):
    """An instance of a class, without running code of the program, which defines its own classes in `module`;
    `NotImplemented` for what is no class, or one that only its own code can make instances of."""
    if not is_class(kind):
        return NotImplemented
    maker = MAKERS.get((module_of(kind), kind.__name__))
    try:
        if maker is not None:
            return maker(kind, number, text)
        is_own = kind.__module__ == module and kind.__new__ is object.__new__
        is_plain_error = issubclass(kind, BaseException) and kind.__module__ == "builtins"
        return kind.__new__(kind) if is_own or is_plain_error else NotImplemented
    except Exception:
        return NotImplemented
