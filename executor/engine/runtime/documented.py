"""What docstrings say the classes of parameters are: in the manners of Google, NumPy and Sphinx."""

import builtins
import sys

# What people write for classes.
SYNONYMS = {"string": "str", "integer": "int", "boolean": "bool", "number": "int", "dictionary": "dict"}
LONGEST = 20_000  # characters of a docstring that are read
PATTERNS = None  # those of `Patterns`, once they were compiled


class Patterns:
    """Where docstrings say types. Made once for all runs of a program, as compiling takes longer than most runs."""

    def __init__(self):
        import re  # now: a program would find it loaded

        self.markup = re.compile(r":\w+:`~?([^`]*)`|[`*~]")
        self.name = re.compile(r"[A-Za-z_][\w.]*")
        # Each has the groups `name` and `type`.
        self.forms = [
            re.compile(r"^\s*[:@]type\s+(?P<name>\w+)\s*:[^\S\n]*(?P<type>.+)$", re.MULTILINE),
            re.compile(r"^\s*[:@]param\s+(?P<type>[^:]+?)\s+(?P<name>\w+)\s*:", re.MULTILINE),
            re.compile(r"^\s*\*{0,2}(?P<name>\w+)\s*\((?P<type>[^)]+)\)\s*:", re.MULTILINE),
        ]
        self.heading = re.compile(r"^\s*Parameters\s*\n\s*-{3,}", re.MULTILINE)
        self.below_heading = re.compile(r"^\s*(?P<name>\w+)\s*:[^\S\n]*(?P<type>.+)$", re.MULTILINE)


def compile_patterns():
    """Compiles the patterns, unless that was done."""
    global PATTERNS
    if PATTERNS is None:
        PATTERNS = Patterns()
    return PATTERNS


def documented_classes(function, parameter, names):
    """The classes that the docstring of a function names for a parameter; `names` are those that the function knows."""
    text = getattr(function, "__doc__", None)
    if type(text) is not str or parameter not in text:
        return []
    found = described(text[:LONGEST], parameter)
    return [] if found is None else list(classes_in(found, names))


def described(text, parameter):
    """What stands where a docstring says the type of a parameter, or None."""
    patterns = compile_patterns()
    forms = [*patterns.forms, patterns.below_heading] if patterns.heading.search(text) else patterns.forms
    for form in forms:
        for match in form.finditer(text):
            if match["name"] == parameter:
                return match["type"]
    return None


def classes_in(text, names):
    """The classes that a text such as `str or datetime.timedelta, optional` names."""
    patterns = compile_patterns()
    for word in patterns.name.findall(patterns.markup.sub(lambda match: match[1] or "", text)):
        value = class_of_name(SYNONYMS.get(word.lower(), word), names)
        if isinstance(value, type) and value is not object:
            yield value


def class_of_name(dotted, names):
    root, *rest = dotted.split(".")
    value = names.get(root, getattr(builtins, root, sys.modules.get(root)))
    for part in rest:
        held = getattr(value, "__dict__", None)
        value = held.get(part) if held is not None else None
    return value
