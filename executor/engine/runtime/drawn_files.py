"""The part of the policy of `diff` that says what files give: the same in whichever way code opens, reads and writes them."""

import codecs
import os
import re
from importlib import import_module

from _surmise_standins import StandIn
from _surmise_values import last_name

PARAMETERS = ("file", "mode", "buffering", "encoding", "errors", "newline", "closefd", "opener")
USUAL = {"mode": "r", "buffering": -1, "errors": "strict", "closefd": True}  # None is usual for all others
# Letters of modes in the order in which they are written here.
LETTERS = "rwxab+"
# By name of a method of `pathlib.Path`: the mode in which it opens a file, the method of the file, how many arguments that
# takes, and the names of the parameters that follow.
OF_PATHS = {
    "open": (None, "", 0, PARAMETERS[1:]),
    "read_text": ("r", "read", 0, ("encoding", "errors", "newline")),
    "read_bytes": ("rb", "read", 0, ()),
    "write_text": ("w", "write", 1, ("encoding", "errors", "newline")),
    "write_bytes": ("wb", "write", 1, ()),
}
# The text of what is made up and has a name; `<` and `>` around it.
IS_MADE_UP = re.compile(r"<[\w.]+>")
IS_RESULT = re.compile(r"\)(#\d+)?$")  # of a path that ends with a call


class DrawnFiles:
    """Files that do not exist."""

    def opened(self, number, site, callee, args, kwargs):
        """What a call gives that opens a file by its name, or reads or writes one as a whole; NotImplemented for others."""
        found = as_open(callee, args, kwargs)
        if found is None:
            return NotImplemented
        file, options, method, given = found
        if type(file) is not StandIn:
            text = os.path.normpath(f"{file}")
            text = "" if text == "." else text  # as `pathlib` has it
            file = self.fresh(text[1:-1]) if IS_MADE_UP.fullmatch(text) else text
        mode = options.pop("mode", None)
        path = self.called("open", (file,) if mode is None else (file, mode), options)
        key = None if site.name == "open" else "return value:open"
        if not method:
            return self.make(number, None, path, None, key)
        stream = self.value(self.path(path), "return value:open")[0]
        return self.result_of(stream, method, *given) if type(stream) is StandIn else getattr(stream, method)(*given)

    def loaded(self, number, site, stream, kwargs, error):
        """What `json.load` gives: what `json.loads` gives of what the stream gave when it was read."""
        read = f"{stream._surmise_state.path}.read()"
        if read in self.calls:
            text = self.value(self.path(read), "return value:read", None, stream)[0]
        else:
            text = self.result_of(stream, "read")
        loads = import_module("json").loads
        if type(text) is StandIn:
            return self.repair_call(number, site, loads, (text,), kwargs, error)
        return loads(text, **kwargs)


def as_open(callee, args, kwargs):
    """(path, options, method of the file, its arguments) of a call as one of `open`; None for another call."""
    if callee is open or callee is codecs.open:
        names = PARAMETERS if callee is open else ("file", "mode", "encoding", "errors", "buffering")
        if "filename" in kwargs:
            kwargs = {("file" if name == "filename" else name): value for name, value in kwargs.items()}
        given = named(names, args, kwargs)
        return None if given is None or "file" not in given else (given.pop("file"), usual(given), "", ())
    name, owner = getattr(callee, "__name__", None), getattr(callee, "__self__", None)
    if type(owner).__module__.partition(".")[0] != "pathlib" or name not in OF_PATHS:
        return None
    mode, method, count, names = OF_PATHS[name]
    if "data" in kwargs:
        args, kwargs = (kwargs["data"], *args), {key: value for key, value in kwargs.items() if key != "data"}
    given = named(names, args[count:], kwargs)
    if given is None or len(args) < count:
        return None
    return owner, usual({"mode": mode, **given} if mode else given), method, args[:count]


def named(names, args, kwargs):
    """The arguments of a call by name; None for a call that fails."""
    given = dict(zip(names, args))
    is_call = len(args) <= len(names) and not given.keys() & kwargs.keys() and kwargs.keys() <= set(names)
    return {**given, **kwargs} if is_call else None


def usual(options):
    """Options without those that have the usual value, and the others in one spelling."""
    mode, encoding = options.get("mode"), options.get("encoding")
    if type(mode) is str and set(mode) <= {*LETTERS, "t", "U"}:
        options["mode"] = "".join(sorted(set(mode) - {"t", "U"}, key=LETTERS.index))
    if type(encoding) is str:
        try:
            options["encoding"] = codecs.lookup(encoding).name
        except LookupError:
            pass
    return {name: value for name, value in options.items() if type(value) is StandIn or value != USUAL.get(name)}


def is_file(value):
    """True for what a function gives that opens something by its name, but for a process."""
    path = value._surmise_state.path
    name = last_name(path)
    return name.endswith("open") and not name.lower().endswith("popen") and IS_RESULT.search(path) is not None
