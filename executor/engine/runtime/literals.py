"""Values as Python expressions, for tests that show a difference without Surmise."""

import builtins
import types

ELEMENTS = 20  # of a container at most
DEPTH = 4
LONGEST = 200  # characters of an expression
# Classes of the standard library whose `repr` is an expression, once their module's name stands before it.
WRITTEN = {
    **{("datetime", name): "" for name in ("date", "datetime", "time", "timedelta")},
    ("decimal", "Decimal"): "decimal.",
    ("fractions", "Fraction"): "fractions.",
}


class Expressions:
    """Writes values; the modules that the expressions need are kept in `imports`."""

    def __init__(self):
        self.imports = set()
        self.made = {}  # id of an instance -> (it, the expression that made it)

    def made_by(self, value, kind, arguments):
        """Notes that an instance is what its class gives for arguments, if these can be written."""
        if arguments is not None and "<" not in kind.__qualname__:
            self.imports.add(kind.__module__)
            self.made[id(value)] = (value, f"{kind.__module__}.{kind.__qualname__}({arguments})")

    def changed(self, value):
        """An instance is no longer what its class gave."""
        self.made.pop(id(value), None)

    def arguments(self, positional, named):
        """The arguments of a call, or None where one cannot be written."""
        texts = [self.of(value) for value in positional]
        pairs = [(name, self.of(value)) for name, value in named.items()]
        if None in texts or any(text is None for _, text in pairs):
            return None
        return ", ".join([*texts, *(f"{name}={text}" for name, text in pairs)])

    def of(self, value, depth=DEPTH):
        """The expression of a value, or None."""
        if id(value) in self.made:
            return self.made[id(value)][1]
        text = self.text_of(value, depth)
        return text if text is not None and len(text) <= LONGEST else None

    def text_of(self, value, depth):
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes, complex):
            return repr(value)
        if kind is float:
            return repr(value) if abs(value) <= 1.8e308 and value == value else f"float({str(value)!r})"
        before = WRITTEN.get((kind.__module__, kind.__name__))
        if before is not None:
            self.imports.add(kind.__module__)
            return f"{before}{value!r}"
        if kind is types.SimpleNamespace:
            arguments = self.arguments((), vars(value))
            self.imports.add("types")
            return None if arguments is None else f"types.SimpleNamespace({arguments})"
        if kind is type and vars(builtins).get(value.__name__) is value:
            return value.__name__
        if kind not in (list, tuple, set, frozenset, dict) or depth == 0 or len(value) > ELEMENTS:
            return None
        if kind is dict:
            pairs = [(self.of(key, depth - 1), self.of(item, depth - 1)) for key, item in value.items()]
            return None if any(None in pair for pair in pairs) else "{" + ", ".join(map(": ".join, pairs)) + "}"
        texts = [self.of(item, depth - 1) for item in value]
        if None in texts:
            return None
        if kind is tuple:
            return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
        if kind is list:
            return f"[{', '.join(texts)}]"
        listed = ", ".join(sorted(texts))
        return f"{{{listed}}}" if kind is set and texts else f"{kind.__name__}([{listed}])"
