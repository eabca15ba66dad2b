"""The state that the imported module of a function is in: its variables by which the function decides what it does.

A module that was just imported is in one state of several: nobody has filled its registry, the proxy of its current request has
no request, its constants are those of this platform. A search may put it into another one before the function is called.
"""

import sys

from _surmise_values import safe_repr


class ModuleState:
    """Variables of a module that conditions of a function read: `None`, a truth, or a proxy for what is not there yet. Those
    of a function around it are of the same kind."""

    def __init__(self, module, code, names, is_own):
        self.decisive = names
        local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        # No code of the program runs here: whether a proxy is true, a run finds out.
        found = [(name, line, *variable_of(vars(module), name, is_own)) for name, line in names if name not in local]
        self.variables = [one for one in found if one[-1] in one[-2] and is_state(one[-2][one[-1]])]

    def change(self, answers):
        """Gives the variables the values that the search has chosen, and notes which it could choose."""
        changed = set()
        for name, line, variables, own_name in self.variables:
            if name not in changed:
                value = turned(answers, name, line, variables[own_name])
                if value is not NotImplemented:
                    changed.add(name)
                    variables[own_name] = value

    def change_around(self, answers, function):
        """The same for the variables of the functions around one that these have made."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        for name, line in self.decisive:
            cell = cells.pop(name, None)  # once
            held = contents(cell)
            if held is None or type(held) is bool:
                value = turned(answers, name, line, held)
                if value is not NotImplemented:
                    cell.cell_contents = value


def variable_of(variables, name, is_own):
    """(the variables of the module that has one, its name there): for `settings.DEBUG` those of another module, if that
    `is_own` code of the project."""
    owner, _, attribute = name.partition(".")
    if not attribute:
        return variables, name
    owner = variables.get(owner)
    return (vars(owner) if type(owner) is type(sys) and is_own(owner) else {}), attribute


def is_state(value):
    """True for what another state of the module may replace by another value."""
    kind = type(value)
    is_proxy = "__getattr__" in vars(kind) and not issubclass(kind, (type, type(vars)))
    return value is None or kind is bool or is_proxy and kind.__module__ != "builtins"


def turned(answers, name, line, held):
    """The value that the search has chosen for a variable; `NotImplemented` if it is to stay as it is."""
    is_true = is_truthy(held)
    if is_true and type(held) is not bool:
        return NotImplemented  # a proxy that stands for something already
    key, value = f"state:{name}", NotImplemented
    chosen = answers.native.choice(key)
    if type(chosen) is bool and chosen != is_true:
        value = chosen if type(held) is bool else answers.fresh(name)
        answers.native.answered(line, -1, "variable", name, safe_repr(value))
    answers.native.chose(key, line, is_true if type(chosen) is not bool else chosen)
    return value


def contents(cell):
    """What a variable of a function around another one holds; `NotImplemented` if there is none, or nothing yet."""
    try:
        return NotImplemented if cell is None else cell.cell_contents
    except ValueError:
        return NotImplemented


def is_truthy(value):
    """Whether an object is true; one that does not know is not."""
    try:
        return bool(value)
    except Exception:
        return False
