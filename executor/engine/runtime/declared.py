"""Calls of real functions in one spelling, so that two versions which call the same differently do the same."""

from _surmise_signatures import parameters_of
from _surmise_values import PLAIN


def name_of(callee, spelled, frame):
    """What is called, whatever local variable of the frame holds it; empty for what has no name."""
    if callable(callee):
        name = getattr(callee, "__name__", None)
        return name if type(name) is str else spelled
    # An attribute may have the name of a local variable: `instance = factory.instance()`.
    is_local = frame is not None and spelled in frame.f_code.co_varnames
    return "" if is_local and frame.f_locals.get(spelled) is callee else spelled


def as_declared(callee, args, kwargs):
    """The arguments of a call in one spelling: what may be given by position is, and what is the default is not."""
    parameters = parameters_of(callee) if len(args) > 1 or kwargs else []
    if not parameters or any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        return args, kwargs
    by_position = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    given = {**dict(zip(by_position, args)), **kwargs}
    if len(args) > len(by_position) or len(given) < len(args) + len(kwargs):
        return args, kwargs  # the call fails
    for one in parameters:
        value = given.get(one.name, one.empty)
        if type(value) in PLAIN and type(value) is type(one.default) and value == one.default:
            del given[one.name]
    leading = []
    for name in by_position:
        if name not in given:
            break
        leading.append(given.pop(name))
    return tuple(leading), given
