"""What a run did with what is missing, written down so that two versions of a function can be compared.

`Behaviour` observes: the policy notifies it of what the program does to stand-ins, and harness calls of what functions
give and raise.
"""

import re
import sys
from sys import _getframe

from _surmise_descriptions import ADDRESS, DEPTH, STREAMS, Descriptions, attributes_of, is_of_collections
from _surmise_lasting_state import LastingState, classes_used
from _surmise_signatures import function_of_partial
from _surmise_snapshots import Snapshot, counts
from _surmise_standins import Dict, Mapping, StandIn
from _surmise_values import safe_repr

WARNED = "__warningregistry__"  # where modules keep which warnings they issued, of which each is shown here
ENTRIES = 600  # of a trace that are kept
GIVEN = 200  # values whose paths are shown
# A call that writes a text, or a stand-in.
WRITE = re.compile(r"(.+\.write)\(('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<[^'\"]*>)\)", re.DOTALL)


class Behaviour(Descriptions):
    """The trace of one run."""

    def __init__(self, frames, native):
        super().__init__(frames, native.drawing)
        self.has_site = native.has_site  # whether the program uses a name
        self.rebound = native.rebound  # the names of a namespace that hold other objects than before
        self.namespaces = []  # (prefix of names, snapshot, texts of its values that can change)
        self.lasting = None  # the state that outlives the call
        self.of_tests = []  # (test, number of the call, digest of its arguments, digest of what it did)
        self.begin()

    def begin(self):
        self.trace = []
        self.containers = []  # (path, container, its description when it was made)
        self.given = {}  # path or question -> value or answer
        self.made_up = {}  # (id of an object, name of an attribute that it lacked) -> what that was described as
        self.holders = {}  # id of what was made up for it -> (object, name of the attribute)
        self.is_unusual = False  # a value is of another class than predicted, or absent
        self.callbacks = []  # functions of the program that were handed to something missing
        self.expression = None  # (modules to import, the only call of the function as an expression)
        self.called_once = False
        self.result = None  # the expression of what it returned
        self.last_calls = {}  # path of a result, or id of a real one -> place of the call in the trace

    # -- notifications of the policy ----------------------------------------------------------------------------

    def happened(self, kind, text):
        if len(self.trace) < ENTRIES:
            self.trace.append((kind, text))

    def unobserved(self, call, *arguments):
        """Makes a call that is no part of what the function does."""
        trace, self.trace = self.trace, []
        try:
            call(*arguments)
        finally:
            self.trace = trace

    def wrote(self, place, value):
        if not self.is_internal(place):
            self.happened("write", f"{place} = {self.describe(value)}")

    def deleted(self, place):
        if not self.is_internal(place):
            self.happened("delete", place)

    def made(self, path, value):
        """A value was injected, or made of a real class."""
        path = self.alias(path)
        is_container = type(value) in (list, set, dict, Dict, Mapping, tuple, *STREAMS) or is_of_collections(value)
        if (is_container or self.frames.has_class_of(value)) and not self.is_internal(path):
            self.containers.append((path, value, self.content(path, value)))
        if type(value) in STREAMS:
            self.given[path] = self.describe(value)
        elif type(value) is StandIn:
            if value._surmise_state.of_class is not None:
                self.given[path] = f"<{value._surmise_state.of_class.__qualname__}>"
        else:
            self.given[path] = ADDRESS.sub("", safe_repr(value))

    def lacked(self, value, name, given):
        """An attribute was made up: to put it where it was read is no change."""
        self.made_up[id(value), name] = self.attribute(name, given, DEPTH - 1)
        self.put(value, name, given)

    def put(self, value, name, given):
        """What was made up is in an attribute of an object."""
        self.holders[id(given)] = (value, name)

    def is_let_go(self, container):
        """True for what was made up for an attribute that holds something else now."""
        value, name = self.holders.get(id(container), (None, None))
        return any(held is not container for other, held in attributes_of(value) if other == name)

    def completed(self, mapping):
        """A lookup made up a value: this is no change that the program made."""
        self.containers = [
            (path, container, self.content(path, mapping) if container is mapping else before)
            for path, container, before in self.containers
        ]

    def called(self, text, path, arguments):
        """Something missing was called; `path` is that of the result."""
        if self.is_internal(text.partition("(")[0]):
            return
        self.happened("call", text)
        self.last_calls[path] = len(self.trace) - 1
        for value in arguments:
            if type(value) is not StandIn and callable(value) and not isinstance(value, type):
                if self.frames.defines(function_of_partial(value)):
                    self.callbacks.append(value)

    def resulted(self, value):
        """The last call gave this value."""
        if type(value) is not StandIn and self.trace:
            self.last_calls[id(value)] = len(self.trace) - 1

    def raised(self, value):
        """The arguments of what is raised are its message: they do not count."""
        if self.strict_messages or isinstance(value, BaseException):
            return
        is_stand_in = type(value) is StandIn
        at = self.last_calls.get(value._surmise_state.path if is_stand_in else id(value))
        if at is None or at >= len(self.trace) or self.trace[at][0] != "call":
            return
        callee = value._surmise_state.callee if is_stand_in else None
        name = callee._surmise_state.path if callee is not None else self.trace[at][1].partition("(")[0]
        if not is_stand_in or callee is not None:
            self.trace[at] = ("call", f"{name}(...)")

    # -- notifications of harness calls -------------------------------------------------------------------------

    def watch(self, namespace, qualname, snapshot=None):
        """Globals, and what else outlives the call of a function, are compared from here on; with a snapshot of its module that was
        made before."""
        self.lasting = LastingState(self.describe, classes_used(namespace, self.has_site, qualname))
        names = [name for name in self.frames.own_modules if name in sys.modules]
        around = [(f"{name}.", vars(sys.modules[name])) for name in names]
        snapshots = [("", snapshot or Snapshot(namespace))]
        snapshots += [(prefix, Snapshot(inside)) for prefix, inside in around if inside is not namespace]
        self.namespaces = [
            (prefix, one, {name: self.describe(value) for name, value in one.changing.items()})
            for prefix, one in snapshots
        ]

    def watch_warnings(self):
        """Lets warnings that the project's own code issues count, each time.

        What the interpreter says of that code by itself, such as that `utcnow` is deprecated, is another in each
        version of Python.
        """
        import warnings  # now: most programs have loaded it

        warnings.simplefilter("always")
        show = warnings.showwarning

        def observed(message, category, filename, lineno, file=None, line=None):
            frame = _getframe(1)
            while frame is not None and frame.f_globals is vars(warnings):
                frame = frame.f_back
            if frame is not None and self.issues_warnings(frame):
                self.happened("warning", category.__name__)
            show(message, category, filename, lineno, file, line)

        warnings.showwarning = observed

    def issues_warnings(self, frame):
        """True if a frame of the project calls `warnings.warn`: by that name, or as what a global holds."""
        from warnings import warn, warn_explicit  # now: most programs have loaded it

        code = frame.f_code
        if not self.frames.is_of_project(code.co_filename):
            return False
        names = {"warn", "warn_explicit"}
        if code.co_filename in self.frames.own_files and any(map(self.has_site, names)):
            return True  # rewritten code names its sites by number
        held = [frame.f_globals.get(name) for name in code.co_names]
        return not names.isdisjoint(code.co_names) or any(one is warn or one is warn_explicit for one in held)

    def calls(self, expression):
        """The function is called; the expression says the same without Surmise."""
        self.expression = None if self.called_once else expression
        self.called_once = True

    def returns(self, expression):
        """The function returned what an expression says, or what none does (None)."""
        self.result = expression

    def returned(self, text):
        self.happened("return", text)

    def failed(self, error, unfinished=None):
        """A harness call raised: that of a constructor leaves nobody the object that it did not finish."""
        if unfinished is not None:
            self.containers = [one for one in self.containers if one[1] is not unfinished]
            if type(unfinished) is StandIn:
                path = f"{unfinished._surmise_state.path}."
                self.trace = [one for one in self.trace if one[0] != "write" or not one[1].startswith(path)]
        if isinstance(error, (TypeError, AttributeError)):
            # How much was written before a value was refused is a matter of order.
            self.containers = [one for one in self.containers if type(one[1]) not in STREAMS]
        text = "TypeError" if is_wrong_form(error) else self.alias(type(error).__name__)
        if isinstance(error, SystemExit):
            text += f" {error.code!r}"
        elif self.strict_messages:
            text += f": {error}"
        self.happened("raise", text)
        for name, text in self.carried_by(error, DEPTH - 1):
            self.happened("state", f"{self.alias(type(error).__name__)}.{name} is {text}")

    def ended(self):
        """All harness calls are over: what they left behind is compared."""
        for prefix, snapshot, texts in self.namespaces:
            now, held = snapshot.namespace, snapshot.held
            rebound = set(self.rebound(held, now))
            for name in sorted(rebound | texts.keys()):
                value = now.get(name)
                if name not in now or not counts(name, value):
                    continue
                was = texts.get(name)
                if was is None and name in held and counts(name, held[name]):
                    was = self.describe(held[name])
                if was is None and prefix:
                    continue  # what another module comes to have besides is its import
                text = self.describe(value)
                if was != text:
                    self.happened("global", f"{prefix}{name} is now {text}")
        for place, text in self.lasting.changes() if self.lasting is not None else ():
            if not self.is_internal(place):
                self.happened("global", f"{self.alias(place)} is now {text}")
        for path, container, before in self.containers:
            after = self.content(path, container)
            if after != before and not self.is_let_go(container):
                self.happened("state", f"{path} is now {after}")

    def found_nothing_changed(self):
        """True if the run has left the namespaces of the project's modules as they were, as far as they show it."""
        if any(kind == "global" for kind, _text in self.trace):
            return False
        rebound = [self.rebound(snapshot.held, snapshot.namespace) for _prefix, snapshot, _texts in self.namespaces]
        return all(name == WARNED for names in rebound for name in names)

    # -- the end ------------------------------------------------------------------------------------------------

    def entries(self):
        """The trace; writes between two calls are sorted, the last one to each place counts."""
        result, writes = [], {}
        for kind, text in self.trace:
            if kind == "write":
                place, _, value = text.partition(" = ")
                writes[place] = value
                continue
            result.extend(("write", f"{place} = {writes[place]}") for place in sorted(writes))
            writes = {}
            joined = joined_text(result[-1], (kind, text)) if result else None
            if joined is None:
                result.append((kind, text))
            else:
                result[-1] = joined
        result.extend(("write", f"{place} = {writes[place]}") for place in sorted(writes))
        return result

    def emitted(self):
        """(entries, values given, whether some are unusual, call as an expression, result as one, calls of tests): what the
        parent gets at the end."""
        given = list(self.given.items())[:GIVEN]
        return self.entries(), given, self.is_unusual, self.expression, self.result, self.of_tests


def joined_text(first, second):
    """Two calls that write texts to one place, one after the other, as the one that writes both; None for others."""
    parts = [WRITE.fullmatch(text) for kind, text in (first, second) if kind == "call"]
    if len(parts) < 2 or None in parts or parts[0][1] != parts[1][1]:
        return None
    import ast  # now: few programs come here

    try:
        texts = [part[2] if part[2][0] == "<" else ast.literal_eval(part[2]) for part in parts]
    except (SyntaxError, ValueError):  # it was cut
        return None
    return "call", f"{parts[0][1]}({texts[0] + texts[1]!r})"


def is_wrong_form(error):
    """True for what an f-string raises where `%` raises a `TypeError`: a value of a type that has no such form."""
    return type(error) is ValueError and str(error).startswith("Unknown format code")
