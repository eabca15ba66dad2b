"""The part of the policy of `diff` that says what calls give: of what is missing, and real ones that fail on what was made up."""

import re
from ast import literal_eval
from importlib import import_module
from operator import attrgetter

from _surmise_answers import CHAIN, EXHAUSTED
from _surmise_declared import as_declared, name_of
from _surmise_drawn_files import is_file
from _surmise_failed_calls import result_class
from _surmise_operations import VIEWS
from _surmise_signatures import function_of_partial, parameters_of
from _surmise_standins import StandIn
from _surmise_values import EMPTY, PLAIN, last_name

# Methods of lists, with what they are called for sets.
OF_SETS = {"append": "add", "extend": "update"}
# Known to do nothing but give a value.
WITHOUT_EFFECT = {"Path", "pathlib.Path", "PurePath", "pathlib.PurePath", "cast", "typing.cast", "t.cast"}
# Methods of texts and containers that only ask: code may ask once or twice, or in another way.
QUESTIONS = {"keys", "values", "items", "copy", "lower", "upper", "casefold", "startswith", "endswith", "splitlines"}
QUESTIONS |= {"strip", "lstrip", "rstrip", "capitalize", "swapcase", "removeprefix", "removesuffix"}
# By the name of a method of texts and containers, arguments by position, and what they are unless they are given.
DEFAULTS = {"get": {1: None}, "setdefault": {1: None}, "split": {0: None, 1: -1}, "rsplit": {0: None, 1: -1}}
DEFAULTS |= {"group": {0: 0}, "strip": {0: None}, "lstrip": {0: None}, "rstrip": {0: None}, "replace": {2: -1}}
ERROR_ENDINGS = ("Error", "Exception", "Warning")
BUILTIN = (type(len), type(str.join), type("".__len__), type(str.__len__), type)
OF_ATTRIBUTES = (hasattr, getattr, setattr, delattr)
# How names begin that say yes or no.
PREDICATES = ("is_", "has_", "can_", "was_", "should_", "startswith", "endswith")
LOCK = re.compile("(^|_)(r?lock|mutex|semaphore)$")  # in names of what `with` acquires and releases
# The path of a match of a regular expression; what is asked of one does nothing else.
IS_MATCH = re.compile(r"(?:^|\.)(?:match|search|fullmatch)\([^()]*(?:\([^()]*\)[^()]*)*\)(?:#\d+)?$")
OF_MATCHES = {"group", "groups", "groupdict", "start", "end"}
# The path of a match, with the text of the regular expression.
MATCH_OF = re.compile(
    r"(?:^|\.)(?:match|search|fullmatch)\((?P<pattern>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")[^()]*\)(?:#\d+)?$"
)
FOLDER_MAKING = {"makedirs", "mkdir"}
# Functions that are given the text of a warning or an error.
MESSAGES = {"warn", "warn_explicit", "error", "fail", "abort"}
CONDITIONS = ("for", "if", "on", "unless", "when")  # words behind `raise_`


class DrawnCalls:
    """Calls, by access path: their results, what they are compared by, and what is repaired."""

    def result(self, callee, args, kwargs, number):
        state = callee._surmise_state
        if state.parent is not None and last_name(state.path) == "update" and (args or kwargs):
            if len(args) < 2 and all(isinstance(one, dict) for one in args):
                for key, new in dict(*args, **kwargs).items():
                    self.set_item(state.parent, key, new)
                return None
        if state.parent is not None and not kwargs:
            known = self.of_file_or_match(state.parent, last_name(state.path), args)
            if known is not NotImplemented:
                return known
        path = self.called(state.path, args, kwargs, number is not None and self.native.site(number).role == "raised")
        counts = not (self.drawing.is_log(state.path) or is_question(state.path))
        for changed in (callee, state.parent):
            if changed is not None and counts:
                name = changed._surmise_state.path
                self.epochs[name] = self.epochs.get(name, 0) + 1
        name = state.path.rpartition(".")[2]
        key = f"return value:{name}"
        made, (kind, given) = self.drawing.class_of(key)
        raises = self.drawing.raises
        if kind == "raises":
            self.classes.fail(given, number)
        elif always_raises(name):
            self.classes.fail("Exception", number)
        elif raises and counts and self.draw(f"{path}:raises", (5, 12)[self.seed % 2]) == 4:
            self.classes.fail(raises[self.draw(f"{path}:which", len(raises))])
        count = self.results[key] = self.results.get(key, 0) + 1
        variant = EMPTY.get(made) if counts and count > EXHAUSTED else None
        if variant is None and self.chain(callee, key) >= CHAIN:
            variant = "None"
        is_view = name in VIEWS and not (args or kwargs) and state.parent is not None
        if variant is None and is_view and not self.is_checked(key):
            variant = "object"  # of the same elements as the mapping itself
        if number is not None:
            # What a variable is called that holds the callee is no part of what it gives.
            by_name = self.native.site(number).name == name or not name.isidentifier()
            value = self.make(number, callee, path, variant, None if by_name else key)
        else:
            value = self.value(path, key, variant, callee)[0]
        if type(value) is StandIn and counts and count > EXHAUSTED:
            value._surmise_state.length = 0
        if counts:
            self.observer.resulted(value)
        return value

    def of_file_or_match(self, owner, name, args):
        """What a method gives that goes by others: a file is closed in any case, and groups of a match are each one by itself."""
        if name == "close" and not args and is_file(owner):
            return None
        if name == "group" and len(args) > 1:
            return tuple([self.result_of(owner, name, one) for one in args])
        if name == "span":
            return self.result_of(owner, "start", *args), self.result_of(owner, "end", *args)
        pattern = pattern_of(owner._surmise_state.path) if name in ("groups", "groupdict") and not args else None
        if pattern is None:
            return NotImplemented
        if name == "groups":
            return tuple([self.result_of(owner, "group", number + 1) for number in range(pattern.groups)])
        return {group: self.result_of(owner, "group", group) for group in pattern.groupindex}

    def enter(self, value):
        """A file is only closed where its block ends, which it also is where nobody does; a lock is acquired, and released there."""
        if is_lock(value):
            return self.result_of(value, "acquire")
        return value if is_file(value) else super().enter(value)

    def exit(self, value, *error):
        if is_lock(value):
            self.result_of(value, "release")
        elif not is_file(value):
            super().exit(value, *error)

    def iterate(self, value):
        """The lines of a file are those that `readlines` gives."""
        return iter(self.result_of(value, "readlines")) if is_file(value) else super().iterate(value)

    def result_of(self, value, name, *args):
        """What a method of a stand-in gives."""
        return self.result(self.fresh(f"{value._surmise_state.path}.{name}", value), args, {}, None)

    def failing(self, number):
        """The exception that a call of real code raises in this run, as one version waits for it there; else None."""
        name = self.native.site(number).name
        kind, error = self.drawing.class_of(f"return value:{name}")[1]
        if kind != "raises":
            return None
        self.observer.given.setdefault(f"{name}()", f"raises {error}")
        return error

    def called(self, path, args, kwargs, raised=False):
        """Notifies of a call; returns the path of its result. `raised` is what is called in a `raise`."""
        if self.drawing.is_log(path):
            return f"{path}()"
        owner, _, name = path.rpartition(".")
        if name in OF_SETS and self.observer.member(owner.rpartition(".")[2]) in self.observer.regrouped:
            path = f"{owner}.{OF_SETS[name]}"  # a list in one version, and a set in the other
        while args and not kwargs and type(args[-1]) in (int, type(None)):
            if DEFAULTS.get(name, {}).get(len(args) - 1, NotImplemented) != args[-1]:
                break
            args = args[:-1]
        if name in ("get", "pop") and len(args) == 2 and type(args[1]) in (list, tuple, dict) and not args[1]:
            args = (args[0], [])  # nothing, of whatever kind
        if name in FOLDER_MAKING:
            kwargs = {key: value for key, value in kwargs.items() if key != "exist_ok"}  # or the code asks before
        blank = is_message(name) and not self.drawing.strict_messages
        described = ["..." if blank and type(value) is str else self.argument_text(value) for value in args]
        described += sorted(f"{name}={self.argument_text(value)}" for name, value in kwargs.items())
        if (raised or path.endswith(ERROR_ENDINGS)) and not self.drawing.strict_messages:
            described = ["..."]  # the arguments of an exception are its message
        result = f"{path}({', '.join(described)})"
        if is_question(path):
            return self.path(result)
        count = self.calls[result] = self.calls.get(result, 0) + 1
        numbered = self.path(result if count == 1 else f"{result}#{count}")
        self.observer.called(result, numbered, (*args, *kwargs.values()))
        return numbered

    def argument_text(self, value):
        function = function_of_partial(value)
        if function is not value and self.frames.defines(function):
            return "<function>"  # which is called
        # 1 and True are equal.
        return repr(int(value)) if type(value) is bool else self.described(value)

    def repair_call(self, number, site, callee, args, kwargs, error):
        if self.frames.stands_beside(callee):
            return NotImplemented  # the other version may do the same itself
        if is_of_json(callee, "load") and [type(one) for one in args] == [StandIn]:
            return self.loaded(number, site, args[0], kwargs, error)
        if is_of_json(callee, "dump") and len(args) == 2:
            text = self.repair_call(number, site, import_module("json").dumps, args[:1], kwargs, error)
            return text if text is NotImplemented else args[1].write(text)
        if type(callee) is type(str.lower) and args and type(args[0]) is StandIn:
            return self.result_of(args[0], callee.__name__, *args[1:])  # `str.lower(text)`
        if any(callee is one for one in OF_ATTRIBUTES) and len(args) > 1 and type(args[1]) is StandIn:
            return callee(args[0], f"{args[1]}", *args[2:])
        if name_of(callee, "", None) == "update" and type(getattr(callee, "__self__", None)) is dict:
            return self.updated(callee, args, kwargs)
        callee, args, kwargs = as_function_of_re(callee, args, kwargs)
        method = name_of(callee, "", None) if type(getattr(callee, "__self__", None)) is str else ""
        if method == "join" and len(args) == 1:
            return self.joined(callee, args[0])
        reads_attributes = any(type(value) is attrgetter for value in (callee, *args, *kwargs.values()))
        if type(error) is AttributeError and (method == "format" or reads_attributes):
            return self.with_all_attributes(callee, args, kwargs)
        if callee is dict and [type(value) for value in args] == [StandIn]:
            return self.copied(args[0], kwargs)
        injected = any(self.is_of_stand_ins(value, number) for value in (*args, *kwargs.values()))
        of_system = isinstance(error, (OSError, EOFError))
        if not (injected or of_system or not callable(callee)) or isinstance(error, (StopIteration, RecursionError)):
            return NotImplemented
        if of_system and not self.native.inject_io or self.expectations.expects(type(error), number):
            return NotImplemented
        opened = self.opened(number, site, callee, args, kwargs)
        if opened is not NotImplemented:
            return opened
        is_builtin = isinstance(getattr(callee, "__func__", callee), BUILTIN)  # also as a bound method
        if is_builtin and type(error) is TypeError and "integer" in str(error):
            found = self.called_with_numbers(callee, args, kwargs)
            if found is not NotImplemented:
                return found
        plain = result_class(callee)
        # What it is called in the module is no part of what it gives.
        name = callee.__name__ if is_builtin or getattr(callee, "__module__", None) == "json" else site.name
        if plain is None and (of_system or not is_builtin):
            # What holds something that nobody can call is no part of what it gives, either.
            known = name_of(callee, site.name, self.frames.innermost()) if callable(callee) else ""
            path = self.called(
                self.path(known or self.described(callee)),
                *as_declared(callee, args, kwargs),
                site.role == "raised",
            )
        else:
            owner = getattr(callee, "__self__", None)
            of = f"{self.described(owner)}." if type(owner) in PLAIN else ""
            args, kwargs = as_declared(callee, args, kwargs)
            texts = [self.described(value) for value in args]
            texts += sorted(f"{name}={self.described(value)}" for name, value in kwargs.items())
            path = self.path(f"{of}{name}({', '.join(texts)})")
        if not callable(callee):
            return self.value(path, "", plain)[0]
        return self.make(number, None, path, plain, f"return value:{name}" if name != site.name else None)

    def is_of_stand_ins(self, value, number):
        """True for a stand-in, and for a container in which the program has put some."""
        if type(value) not in (list, tuple, dict) or self.values.is_injected(value, number):
            return type(value) is StandIn
        return self.values.holds_injected(value, number)

    def copied(self, mapping, more):
        """`dict(m)` of a stand-in: what it holds under its keys."""
        try:
            keys = [self.element_at(mapping, number) for number in range(self.length(mapping))]
            return {**{key: self.item(mapping, key) for key in keys}, **more}
        except TypeError:  # a key that cannot be one
            return NotImplemented

    def updated(self, update, args, kwargs):
        """`d.update(m)` of a stand-in: `d` has what it holds under its keys."""
        items = self.copied(args[0], kwargs) if [type(one) for one in args] == [StandIn] else NotImplemented
        return items if items is NotImplemented else update(items)

    def joined(self, join, parts):
        """A text of several: a stand-in among them is the text that it is in an f-string."""
        if type(parts) not in (list, tuple) or not any(type(part) is StandIn for part in parts):
            return NotImplemented
        try:
            return join([f"{part}" if type(part) is StandIn else part for part in parts])
        except TypeError:
            return NotImplemented

    def with_all_attributes(self, callee, args, kwargs):
        """What a call gives that reads attributes of its arguments, none of which is absent: code that reads them itself, as an
        f-string does, finds them."""
        self.is_complete = True
        try:
            return callee(*args, **kwargs)
        finally:
            self.is_complete = False

    def called_with_numbers(self, callee, args, kwargs):
        """What a function of Python's own gives that takes nothing for a number but one."""

        def as_number(value):
            return self.number_of(value) if type(value) is StandIn else value

        try:
            return callee(*map(as_number, args), **{name: as_number(value) for name, value in kwargs.items()})
        except Exception:
            return NotImplemented


def pattern_of(path):
    """The regular expression of which a path is a match, where it is written out in the path."""
    found = MATCH_OF.search(path)
    try:
        return re.compile(literal_eval(found["pattern"])) if found else None
    except (re.error, SyntaxError, ValueError):
        return None


def is_lock(value):
    return LOCK.search(last_name(value._surmise_state.path).lower()) is not None


def as_function_of_re(callee, args, kwargs):
    """A call of a method of a compiled regular expression as one of a function of `re`: `search(p, s)` of `p.search(s)`."""
    pattern = getattr(callee, "__self__", None)
    function = getattr(re, callee.__name__, None) if type(pattern) is re.Pattern else None
    if function is None or len(args) > len(parameters_of(function)) - 2:
        return callee, args, kwargs
    flags = pattern.flags & ~re.UNICODE
    return function, (pattern.pattern, *args), {**kwargs, "flags": re.RegexFlag(flags)} if flags else kwargs


def is_of_json(callee, name):
    return getattr(callee, "__module__", None) == "json" and getattr(callee, "__name__", None) == name


def is_message(name):
    """True for the name of a function whose texts say what went wrong."""
    return name in MESSAGES or name.startswith("raise_") or name.endswith("_error") and not name.startswith(PREDICATES)


def always_raises(name):
    """True for the name of a function that does nothing but raise: `raise_syntax_error`, but not `raise_for_status`."""
    return name.startswith("raise_") and name.split("_")[1] not in CONDITIONS


def is_question(path):
    """True for what is known to do nothing but give a value."""
    owner, _, name = path.rpartition(".")
    is_of_match = name in OF_MATCHES and IS_MATCH.search(owner) is not None
    return path in WITHOUT_EFFECT or bool(owner) and (name in QUESTIONS or is_of_match)
