"""Instances of classes that a condition asks for: of common ones of the standard library, and of the program's own."""

from _surmise_standins import StandIn

# What makes an instance, by module and name of the class.
MAKERS = {
    ("builtins", "bytes"): lambda kind: kind(b"a"),
    ("builtins", "bytearray"): lambda kind: kind(b"a"),
    ("builtins", "complex"): lambda kind: kind(1),
    ("builtins", "frozenset"): lambda kind: kind(("a",)),
    ("builtins", "range"): lambda kind: kind(2),
    ("collections", "Counter"): lambda kind: kind("a"),
    ("collections", "OrderedDict"): lambda kind: kind(a=1),
    ("collections", "defaultdict"): lambda kind: kind(list),
    ("collections", "deque"): lambda kind: kind("a"),
    ("collections.abc", "Callable"): lambda _: len,
    ("collections.abc", "Iterable"): lambda _: ["a"],
    ("collections.abc", "Mapping"): lambda _: {"a": 1},
    ("collections.abc", "MutableMapping"): lambda _: {"a": 1},
    ("collections.abc", "MutableSequence"): lambda _: ["a"],
    ("collections.abc", "Sequence"): lambda _: ["a"],
    ("collections.abc", "Set"): lambda _: {"a"},
    ("datetime", "date"): lambda kind: kind(2024, 1, 2),
    ("datetime", "datetime"): lambda kind: kind(2024, 1, 2, 3, 4, 5),
    ("datetime", "time"): lambda kind: kind(3, 4, 5),
    ("datetime", "timedelta"): lambda kind: kind(days=1),
    ("decimal", "Decimal"): lambda kind: kind("1.5"),
    ("fractions", "Fraction"): lambda kind: kind(1, 2),
    ("io", "BytesIO"): lambda kind: kind(b"a"),
    ("io", "StringIO"): lambda kind: kind("a"),
    ("_io", "BytesIO"): lambda kind: kind(b"a"),
    ("_io", "StringIO"): lambda kind: kind("a"),
    ("numbers", "Integral"): lambda _: 1,
    ("numbers", "Number"): lambda _: 1,
    ("numbers", "Real"): lambda _: 1.5,
    ("pathlib", "Path"): lambda kind: kind("a"),
    ("pathlib", "PurePath"): lambda kind: kind("a"),
    ("uuid", "UUID"): lambda kind: kind(int=1),
}


def instance_of(kind, module):
    """An instance of a class, without running code of the program, which defines its own classes in `module`;
    `NotImplemented` for what is no class, or one that only its own code can make instances of."""
    if not isinstance(kind, type) or type(kind).__getattribute__ is not type.__getattribute__:
        return NotImplemented
    if issubclass(kind, StandIn):
        return NotImplemented
    maker = MAKERS.get((kind.__module__.replace("pathlib._local", "pathlib"), kind.__name__))
    try:
        if maker is not None:
            return maker(kind)
        is_own = kind.__module__ == module and kind.__new__ is object.__new__
        is_plain_error = issubclass(kind, BaseException) and kind.__module__ == "builtins"
        return kind.__new__(kind) if is_own or is_plain_error else NotImplemented
    except Exception:
        return NotImplemented
