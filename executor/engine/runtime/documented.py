"""What docstrings say the classes of parameters are: in the manners of Google, NumPy and Sphinx."""

import builtins
import sys

# What people write for classes.
SYNONYMS = {"string": "str", "integer": "int", "boolean": "bool", "number": "int", "dictionary": "dict"}
MARKUP = r":\w+:`~?([^`]*)`|[`*~]"
NAME = r"[A-Za-z_][\w.]*"
LONGEST = 20_000  # characters of a docstring that are read


def documented_classes(function, parameter, names):
    """The classes that the docstring of a function names for a parameter; `names` are those that the function knows."""
    text = getattr(function, "__doc__", None)
    if type(text) is not str:
        return []
    found = described(text[:LONGEST], parameter)
    return [] if found is None else list(classes_in(found, names))


def described(text, parameter):
    """What stands where a docstring says the type of a parameter, or None."""
    import re  # now: a program would find it loaded

    parameter = re.escape(parameter)
    forms = [
        rf"^\s*[:@]type\s+{parameter}\s*:\s*(.+)$",
        rf"^\s*[:@]param\s+([^:]+?)\s+{parameter}\s*:",
        rf"^\s*\*{{0,2}}{parameter}\s*\(([^)]+)\)\s*:",
    ]
    if re.search(r"^\s*Parameters\s*\n\s*-{3,}", text, re.MULTILINE):
        forms.append(rf"^\s*{parameter}\s*:\s*(.+)$")
    for form in forms:
        match = re.search(form, text, re.MULTILINE)
        if match is not None:
            return match[1]
    return None


def classes_in(text, names):
    """The classes that a text such as `str or datetime.timedelta, optional` names."""
    import re

    for word in re.findall(NAME, re.sub(MARKUP, lambda match: match[1] or "", text)):
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
