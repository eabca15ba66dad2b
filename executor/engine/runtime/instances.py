"""Instances of classes that a condition asks for: of common ones of the standard library, and of the program's own."""

from _surmise_standins import StandIn

# What makes an instance, by module and name of the class, of a number and a text that it is to have in it.
MAKERS = {
    ("builtins", "bytes"): lambda kind, number, text: kind(text.encode()),
    ("builtins", "bytearray"): lambda kind, number, text: kind(text.encode()),
    ("builtins", "complex"): lambda kind, number, text: kind(number),
    ("builtins", "frozenset"): lambda kind, number, text: kind((text,)),
    ("builtins", "range"): lambda kind, number, text: kind(number + 1),
    ("collections", "Counter"): lambda kind, number, text: kind(text),
    ("collections", "OrderedDict"): lambda kind, number, text: kind({text: number}),
    ("collections", "defaultdict"): lambda kind, number, text: kind(list),
    ("collections", "deque"): lambda kind, number, text: kind(text),
    ("collections.abc", "Callable"): lambda kind, number, text: len,
    ("collections.abc", "Iterable"): lambda kind, number, text: [text],
    ("collections.abc", "Mapping"): lambda kind, number, text: {text: number},
    ("collections.abc", "MutableMapping"): lambda kind, number, text: {text: number},
    ("collections.abc", "MutableSequence"): lambda kind, number, text: [text],
    ("collections.abc", "Sequence"): lambda kind, number, text: [text],
    ("collections.abc", "Set"): lambda kind, number, text: {text},
    ("datetime", "date"): lambda kind, number, text: kind.fromordinal(738_886 + number),
    ("datetime", "datetime"): lambda kind, number, text: kind(2024, 1, 2, number % 24, 4, 5),
    ("datetime", "time"): lambda kind, number, text: kind(number % 24, 4, 5),
    ("datetime", "timedelta"): lambda kind, number, text: kind(days=number),
    ("decimal", "Decimal"): lambda kind, number, text: kind(number) + kind("0.5"),
    ("fractions", "Fraction"): lambda kind, number, text: kind(number, 2),
    ("io", "BytesIO"): lambda kind, number, text: kind(text.encode()),
    ("io", "StringIO"): lambda kind, number, text: kind(text),
    ("_io", "BytesIO"): lambda kind, number, text: kind(text.encode()),
    ("_io", "StringIO"): lambda kind, number, text: kind(text),
    ("numbers", "Integral"): lambda kind, number, text: number,
    ("numbers", "Number"): lambda kind, number, text: number,
    ("numbers", "Real"): lambda kind, number, text: number + 0.5,
    ("pathlib", "Path"): lambda kind, number, text: kind(text),
    ("pathlib", "PurePath"): lambda kind, number, text: kind(text),
    ("uuid", "UUID"): lambda kind, number, text: kind(int=abs(number)),
}


def instance_of(kind, module, number=1, text="a"):
    """An instance of a class, without running code of the program, which defines its own classes in `module`;
    `NotImplemented` for what is no class, or one that only its own code can make instances of."""
    if not isinstance(kind, type) or type(kind).__getattribute__ is not type.__getattribute__:
        return NotImplemented
    if issubclass(kind, StandIn):
        return NotImplemented
    maker = MAKERS.get((kind.__module__.replace("pathlib._local", "pathlib"), kind.__name__))
    try:
        if maker is not None:
            return maker(kind, number, text)
        is_own = kind.__module__ == module and kind.__new__ is object.__new__
        is_plain_error = issubclass(kind, BaseException) and kind.__module__ == "builtins"
        return kind.__new__(kind) if is_own or is_plain_error else NotImplemented
    except Exception:
        return NotImplemented
