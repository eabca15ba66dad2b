"""Objects of the true type, in place of which a stand-in is: a file that cannot be opened is a file nevertheless.

A stand-in with a sample takes part in everything that its type allows. What the type refuses, by a `TypeError` or because
it has no such attribute, is refused with the error that the real object would raise.
"""

import _operator as operator  # builtin: a program does not see it loaded

from _surmise_standins import StandIn

# Instances have them, the classes do not.
OF_INSTANCES = {"name", "mode"}
BASIC = (str, bytes, int, float, list, tuple, dict)
# What methods of sockets give that need a connection.
OF_SOCKETS = {"recv": bytes, "recvfrom": tuple, "accept": tuple}


OF_PATHS = {"read_text": str, "read_bytes": bytes, "open": None}
COMPRESSED = ("gzip", "bz2", "lzma")


def sample_of_call(callee, args, kwargs):
    """What makes a sample of the result of a real function that failed; None where its type is not known."""
    # Methods of builtin types have no module.
    name, module = (getattr(callee, key, None) or "" for key in ("__name__", "__module__"))
    if type(module) is not str or type(name) is not str:
        return None
    if callee is open or name == "open" and module in ("io", "_io"):
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
        return file_of_mode(mode) if type(mode) is str else text_file
    if module == "subprocess":
        is_text = any(kwargs.get(key) for key in ("text", "universal_newlines", "encoding", "errors"))
        if name == "check_output":
            return str if is_text else bytes
        if name == "Popen":
            return lambda: process(callee, is_text, kwargs)
        if name == "run":
            return lambda: finished(callee, is_text, kwargs)
    if name == "urlopen" and module == "urllib.request":
        return response
    if name == "open" and module in COMPRESSED:
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "rb")
        return text_file if type(mode) is str and "t" in mode else binary_file
    owner = getattr(callee, "__self__", None)
    if module.partition(".")[0] == "pathlib" and name in OF_PATHS:  # since 3.13 `pathlib._local`
        if name == "open":
            mode = args[0] if args else kwargs.get("mode", "r")
            return file_of_mode(mode) if type(mode) is str else text_file
        return OF_PATHS[name]
    if name in OF_SOCKETS and type(owner).__name__ == "socket":
        return OF_SOCKETS[name]
    if (name, module) in (("socket", "socket"), ("create_connection", "socket")):
        return unconnected_socket
    return None


def file_of_mode(mode):
    """A maker of files as `open` gives for a mode."""
    if mode == "r":
        return text_file
    if mode == "rb":
        return binary_file
    return lambda: any_file(mode)


def any_file(mode):
    import io

    if "+" in mode:
        file = io.BufferedRandom(io.BytesIO())
    elif "r" in mode:
        file = io.BufferedReader(io.BytesIO())
    else:
        file = io.BufferedWriter(io.BytesIO())
    return file if "b" in mode else io.TextIOWrapper(file)


def text_file():
    return any_file("r")


def binary_file():
    return any_file("rb")


def closed(make):
    """A maker of what another one makes, closed."""

    def make_closed():
        file = make()
        file.close()
        return file

    return make_closed


def close(value):
    """Closes the file that a stand-in is in place of, if it is one."""
    sample = sample_of(value)
    if sample is not None and is_file(sample()):
        value._surmise_state.sample = closed(sample)


def is_file(value):
    import io

    return isinstance(value, io.IOBase)


def process(kind, is_text, wanted):
    """A process that has ended, which nobody started."""
    found = kind.__new__(kind)
    found.args, found.pid, found.returncode = (), 1, 0
    found.text_mode = found.universal_newlines = is_text
    found.stdin = any_file("w" if is_text else "wb") if wanted.get("stdin") is not None else None
    for name in ("stdout", "stderr"):
        setattr(found, name, any_file("r" if is_text else "rb") if wanted.get(name) is not None else None)
    return found


def finished(_run, is_text, wanted):
    """What `subprocess.run` gives."""
    from subprocess import CompletedProcess

    captured = wanted.get("capture_output")
    text = str if is_text else bytes
    output = [text() if captured or wanted.get(name) is not None else None for name in ("stdout", "stderr")]
    return CompletedProcess((), 0, *output)


def read_of(pipe):
    """What is read from a pipe of a process: nothing, of the right type."""
    return None if pipe is None else pipe.read()


def response():
    """An HTTP response without a body."""
    from http.client import HTTPResponse

    class Connection:
        def makefile(self, *_mode):
            import io

            return io.BytesIO(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    found = HTTPResponse(Connection())
    found.begin()
    return found


def unconnected_socket():
    """A socket without a descriptor, whose methods check what they are given."""
    import socket

    return socket.socket.__new__(socket.socket)


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
    sample = state.sample()
    kind = type(sample)
    if not hasattr(kind, name):
        if hasattr(sample, name):
            return False
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    return callable(getattr(kind, name))


def method_of(sample, name):
    """What makes a sample of a method."""
    return lambda: getattr(sample(), name)


def attribute_of(value, name):
    """What makes a sample of an attribute of a stand-in with a sample, which is no method; None if that is not known."""
    sample = sample_of(value)
    if sample is None:
        return None
    attribute = getattr(sample(), name, None)
    if is_file(attribute):
        return lambda: getattr(sample(), name)
    return type(attribute) if type(attribute) in (str, bytes) else None


def element_of(value, number=0):
    """What makes a sample of an element of a value."""
    sample = sample_of(value)
    if sample is None:
        return None
    if sample is str:
        return str
    one = sample()
    if isinstance(one, tuple):
        kind = type(one[number]) if number < len(one) else None
        return kind if kind in BASIC else None
    if isinstance(one, list):
        return type(one[0]) if one and type(one[0]) in BASIC else None
    if is_file(one) and not one.closed:
        return str if hasattr(one, "encoding") else bytes
    return None


def check_call(callee, args, kwargs, of_file=False):
    """Raises the `TypeError` that a call raises with samples in place of stand-ins, and what a file raises that is closed
    or of another mode; else gives the result, if there is one.

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
    except ValueError as error:
        if of_file and (isinstance(error, OSError) or "closed file" in str(error)):
            raise error.with_traceback(None) from None
        return None
    except Exception:
        return None


def check_operands(value, name, operands):
    """Raises the `TypeError` of an operator that a type does not have for another: `"a" + b"b"`."""
    sample = sample_of(value)
    if sample is None or len(operands) != 1 or name in ("mod", "rmod") or is_unknown(operands[0]):
        return
    left, right = sample(), real(operands[0])
    if type(left) not in (str, bytes):
        return
    if name[0] == "r" and name not in ("rshift", "round"):
        left, right, name = right, left, name[1:]
    operation = getattr(operator, name, None) or getattr(operator, f"{name}_", None)  # `and_`
    if operation is None:
        return
    try:
        operation(left, right)
    except TypeError as error:
        raise error.with_traceback(None) from None
    except Exception:
        return


def holds_itself(value, sample):
    """True for a value of the type of a sample whose parts are of no known type."""
    kind = type(sample())
    return kind not in (tuple, list) and isinstance(value, kind)


def is_unknown(value):
    return type(value) is StandIn and sample_of(value) is None


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
    if method is None or name in ("fileno", "detach"):
        return None
    if name == "close":
        close(state.parent)
        return None
    if name in OF_SOCKETS and type(owner).__name__ == "socket":
        return OF_SOCKETS[name]
    if name == "communicate" and type(owner).__name__ == "Popen":
        result = (read_of(owner.stdout), read_of(owner.stderr))
    else:
        result = check_call(method, args, kwargs, is_file(owner))
    if result is owner:
        return sample
    kind = type(result)
    if kind is tuple and any(type(element) in BASIC for element in result):
        return lambda: result
    if kind is list and (is_file(owner) or type(owner) in (str, bytes)):
        text = str if hasattr(owner, "encoding") or type(owner) is str else bytes
        return lambda: [text()]
    if kind in BASIC and len_of(result) == 0:
        return kind
    return None


def len_of(value):
    try:
        return len(value)
    except TypeError:
        return None
