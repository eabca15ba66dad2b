"""Objects of the true type, in place of which a stand-in is: a file that cannot be opened is a file nevertheless.

A stand-in with a sample takes part in everything that its type allows. What the type refuses, by a `TypeError` or because
it has no such attribute, is refused with the error that the real object would raise.
"""

from _surmise_standins import StandIn

# Instances have them, the classes do not.
OF_INSTANCES = {"name", "mode"}
BASIC = (str, bytes, int, float, list, tuple, dict)


def sample_of_call(callee, args, kwargs):
    """What makes a sample of the result of a real function that failed; None where its type is not known."""
    name = getattr(callee, "__name__", "")
    if callee is open or name == "open" and getattr(callee, "__module__", "") in ("io", "_io"):
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
        return binary_file if type(mode) is str and "b" in mode else text_file
    if name == "check_output" and getattr(callee, "__module__", "") == "subprocess":
        is_text = any(kwargs.get(key) for key in ("text", "universal_newlines", "encoding", "errors"))
        return str if is_text else bytes
    return None


def text_file():
    import io

    return io.TextIOWrapper(io.BytesIO())


def binary_file():
    import io

    return io.BufferedReader(io.BytesIO())


def sample_of(value):
    """What makes a sample for a value, or None."""
    return value._surmise_state.sample if type(value) is StandIn else None


def described(value):
    """How a report shows a stand-in with a sample."""
    return f"<{type(value._surmise_state.sample()).__name__}>"


def has_method(state, name):
    """True for a method of the type; raises what reading an attribute raises that objects of the type do not have."""
    if state.sample is None or name in OF_INSTANCES:
        return False
    kind = type(state.sample())
    if not hasattr(kind, name):
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    return callable(getattr(kind, name))


def element_of(value):
    """What makes a sample of an element of a value."""
    sample = sample_of(value)
    if sample in (text_file, str):
        return str
    return bytes if sample is binary_file else None


def check_call(callee, args, kwargs):
    """Raises the `TypeError` that a call raises with samples in place of stand-ins; else gives its result, if it has one.

    Nothing is called where another stand-in takes part, whose type is not known.
    """
    taken = [*args, *kwargs.values()]
    if any(type(value) is StandIn and sample_of(value) is None for value in taken):
        return None
    args = [real(value) for value in args]
    kwargs = {key: real(value) for key, value in kwargs.items()}
    try:
        return callee(*args, **kwargs)
    except TypeError as error:
        raise error.with_traceback(None) from None
    except Exception:
        return None


def real(value):
    sample = sample_of(value)
    return value if sample is None else sample()


def result_of_method(callee, args, kwargs):
    """What makes a sample of the result of a method of a stand-in with a sample; raises what its type refuses."""
    state = callee._surmise_state
    sample = sample_of(state.parent) if state.parent is not None else None
    if sample is None:
        return None
    owner = sample()
    name = state.path.rpartition(".")[2]
    method = getattr(owner, name, None)
    if method is None or name in ("fileno", "detach", "close"):
        return None
    result = check_call(method, args, kwargs)
    if result is owner:
        return sample
    kind = type(result)
    if kind in BASIC and len_of(result) == 0:
        return kind
    return None


def len_of(value):
    try:
        return len(value)
    except TypeError:
        return None
