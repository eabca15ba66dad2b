"""Frames of the program: which of them runs, at which instruction, and what its handlers would catch."""

import opcode
import sys
from sys import _getframe

OPNAMES = opcode.opname
OWN = "<surmise "  # how the file names of the runtime itself begin
MODULE = type(opcode)


class Frames:
    """Finds the program among the running frames, by file name."""

    def __init__(self, filename):
        self.filename = filename
        self.own_files = {filename}  # with those of companion modules
        self.own_modules = ["__main__"]
        self.main_names = {"__main__"}  # of the module that the program is
        self.folders = ()  # of the project's modules
        self.rewritten = None  # the code of a function that runs in its imported module, where there is one

    def set_project(self, module, folders):
        """Says which module the program is, if it is one, and where the other modules of its project lie."""
        self.folders = tuple(folders)
        if module:
            self.own_modules.append(module)
            self.main_names.add(module)

    def is_of_project(self, filename):
        """True for the program's own files, and those of the modules that it lies among."""
        if filename in self.own_files:
            return True
        # An environment may lie in the project, and the project in an environment.
        inside = (filename[len(folder) :] for folder in self.folders if filename.startswith(f"{folder}/"))
        return any("/site-packages/" not in path for path in inside)

    def has_class_of(self, value):
        """True for objects of classes of the program, and of the modules that it lies among."""
        name = type(value).__dict__.get("__module__")
        if name in self.own_modules:
            return True
        module = sys.modules.get(name) if self.folders and isinstance(name, str) else None
        file = getattr(module, "__file__", None)
        return isinstance(file, str) and self.is_of_project(file)

    def stands_beside(self, callee):
        """True for functions and classes of the real modules among which a function runs."""
        if self.rewritten is None:
            return False
        code = getattr(getattr(callee, "__func__", callee), "__code__", None)
        if code is not None:
            return self.is_of_project(code.co_filename)
        file = getattr(sys.modules.get(callee.__module__), "__file__", None) if isinstance(callee, type) else None
        return isinstance(file, str) and self.is_of_project(file)

    def is_of_package(self, kind):
        """True for a class of the program's project, or of a package that it imports, but none of the standard library."""
        if not isinstance(kind, type):
            return False
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return isinstance(file, str) and self.is_file_of_package(file)

    def is_file_of_package(self, filename):
        """True for a file of the program's project, or of a package of its environment."""
        return self.is_of_project(filename) or "/site-packages/" in filename

    def innermost(self):
        """The innermost running frame of the program or a companion module, or None."""
        return self.innermost_of(self.own_files)

    def innermost_of_file(self):
        """The innermost running frame of the program's own file: reports show its lines."""
        return self.innermost_of((self.filename,))

    def innermost_of(self, files):
        frame = _getframe(2)
        while frame is not None and frame.f_code.co_filename not in files:
            frame = frame.f_back
        return frame

    def is_asked_by_program(self):
        """True if the program itself called the runtime, or a builtin function that did: no library is between them."""
        frame = _getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(OWN):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename in self.own_files

    def is_asked_by(self, module):
        """True if a module itself called the runtime, or a builtin function that did."""
        frame = _getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(OWN):
            frame = frame.f_back
        return frame is not None and frame.f_globals.get("__name__") == module

    def place(self):
        """(code, offset) of the running instruction of the program, or None."""
        frame = self.innermost()
        return (frame.f_code, frame.f_lasti) if frame is not None else None

    def instruction(self):
        """(name, argument) of the running instruction of the program."""
        return instruction_at(self.innermost())

    def calling_instruction(self):
        """The name of the instruction that called the runtime; empty if no instruction of the program did."""
        frame = _getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(OWN):
            frame = frame.f_back
        return instruction_at(frame)[0] if frame is not None and frame.f_code.co_filename in self.own_files else ""

    def unpacked(self):
        """How many elements the running instruction unpacks: 2 for `a, b = pair`; None if it does not unpack."""
        name, argument = self.instruction()
        if name == "UNPACK_SEQUENCE":
            return argument
        return (argument & 255) + 1 if name == "UNPACK_EX" else None

    def unpacks_all(self):
        """True for `a, *b = values`, which takes as many as there are."""
        return self.instruction()[0] == "UNPACK_EX"

    def passed_through(self, error):
        """True if the exception passed through another frame of the program than the running one."""
        innermost = self.innermost()
        traceback = error.__traceback__
        while traceback is not None:
            frame = traceback.tb_frame
            if self.is_rewritten(frame.f_code) and frame is not innermost:
                return True
            traceback = traceback.tb_next
        return False

    def is_rewritten(self, code):
        """True for code whose own failures are answered where they happen."""
        return code in self.rewritten if self.rewritten is not None else code.co_filename in self.own_files

    def defines(self, callee):
        """True for functions and classes of the program, and for instances of its classes."""
        callee = getattr(callee, "__func__", callee)
        functions = (callee, getattr(callee, "__wrapped__", callee))
        files = {code.co_filename for code in (getattr(one, "__code__", None) for one in functions) if code is not None}
        if files:
            return not files.isdisjoint(self.own_files)
        kind = callee if isinstance(callee, type) else type(callee)
        return kind.__dict__.get("__module__") in self.own_modules


def instruction_at(frame):
    if frame is None:
        return "", 0
    code, at = frame.f_code.co_code, frame.f_lasti
    if not 0 <= at < len(code):
        return "", 0
    return OPNAMES[code[at]], code[at + 1]


def unpacked_after(frame):
    """How many elements the next instruction of a frame unpacks; None if it does not unpack."""
    code, at = frame.f_code.co_code, frame.f_lasti + 2
    while at < len(code) and OPNAMES[code[at]] == "CACHE":
        at += 2
    return code[at + 1] if at < len(code) and OPNAMES[code[at]] == "UNPACK_SEQUENCE" else None


def may_return(code):
    """True unless code ends by raising only."""
    operations = code.co_code
    if sys.version_info < (3, 10) and len(operations) > 4 and OPNAMES[operations[-6]] == "RAISE_VARARGS":
        # All code ends with `return None` there, which nothing reaches behind a `raise` but by a jump.
        end = len(operations) - 4
        operations = operations if end in jump_targets(operations) else operations[:end]
    return any(OPNAMES[operation].startswith(("RETURN_V", "RETURN_C", "YIELD")) for operation in operations[::2])


def jump_targets(operations):
    """Where jumps of bytecode lead, as CPython 3.9 writes them: arguments are counted in bytes."""
    targets, extended = set(), 0
    for at in range(0, len(operations), 2):
        operation, argument = operations[at], operations[at + 1] | extended
        extended = argument << 8 if OPNAMES[operation] == "EXTENDED_ARG" else 0
        if operation in opcode.hasjabs:
            targets.add(argument)
        elif operation in opcode.hasjrel:
            targets.add(at + 2 + argument)
    return targets


def column_of(frame):
    """The column of the running instruction in UTF-8 bytes; -1 where CPython does not know it."""
    if hasattr(frame.f_code, "co_positions"):
        for at, position in enumerate(frame.f_code.co_positions()):
            if at * 2 == frame.f_lasti:
                return -1 if position[2] is None else position[2]
    return -1


class Expectations:
    """Knows which failures handlers of the program wait for: those are raised and not repaired."""

    def __init__(self, frames, native):
        self.frames = frames
        self.native = native
        self.handlers = {}  # file -> its `try` statements
        self.add(frames.filename, native.handlers)

    def add(self, file, handlers):
        known = self.handlers.get(file, [])
        if handlers:
            lines = {(first_line, last_line) for first_line, last_line, *_ in known}
            self.handlers[file] = known + [handler for handler in handlers if tuple(handler[:2]) not in lines]

    def learn(self, file):
        """Reads the `try` statements of a module of the project that is imported as it is."""
        if file in self.handlers:
            return
        self.handlers[file] = []
        try:
            with open(file, "rb") as source:
                tree = compile(source.read(), file, "exec", ONLY_SYNTAX, True)
        except (OSError, SyntaxError, ValueError):
            return  # of compiled code there is no source
        self.handlers[file] = list(tries_in(tree, 0))

    def expected(self, kind):
        """True if a handler of the program waits for exceptions of this class."""
        return self.handler_of(kind) == NARROW

    def handler_of(self, kind):
        """`NARROW` for a handler that waits for exceptions of this class, `BROAD` for one that waits for any, or None.

        `except Exception:` around a body says nothing of what in it may be missing. Imports are the exception: code
        that does without a module often catches whatever importing it raises.
        """
        if not self.handlers:
            return None
        found, seen = None, set()
        frame = _getframe(1)
        while frame is not None:
            code = frame.f_code
            place = (code, frame.f_lasti)
            is_new = code.co_filename in self.handlers and place not in seen  # recursion stands at few places
            if is_new and self.frames.is_of_project(code.co_filename):
                seen.add(place)
                scope = 0 if code.co_name == "<module>" else code.co_firstlineno
                for first_line, last_line, scope_line, caught in self.handlers[code.co_filename]:
                    if first_line <= frame.f_lineno <= last_line and scope_line == scope:
                        for name in caught:
                            if catches(frame, name, kind):
                                if issubclass(kind, ImportError) or not is_broad(frame, name):
                                    return NARROW
                                found = BROAD
            frame = frame.f_back
        return found

    def expects(self, kind, what, name=None):
        """True if a failure at a site (a number) or an import (a text) stands: the search may decide otherwise.

        `name` is that of a variable: where one of Python 2 is read, any handler waits for it to be missing.
        """
        handler = self.handler_of(kind)
        if handler is None:
            return False
        if name in OF_PYTHON_2:
            handler = NARROW
        key, frame = f"expected:{what}", self.frames.innermost()
        line, chosen = frame.f_lineno if frame is not None else 0, self.native.choice(key)
        if handler == BROAD:
            self.native.chose(key, line, chosen is True)
            return chosen is True
        if chosen is False:
            return False
        self.native.expected(key, line)
        return True


ONLY_SYNTAX = 0x400  # the flag of `compile` for a tree
NARROW, BROAD = "narrow", "broad"  # handlers


def tries_in(node, scope):
    """(first line, last line, first line of the code object, names of what is caught) of the `try` statements in a tree, and of
    `with suppress(...)`."""
    kind = type(node).__name__
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        scope = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    if kind in ("Try", "TryStar"):
        caught = [name for handler in node.handlers for name in names_caught(handler.type)]
        yield node.body[0].lineno, node.body[-1].end_lineno, scope, caught
    if kind in ("With", "AsyncWith"):
        caught = [name for item in node.items for name in names_suppressed(item.context_expr)]
        if caught:
            yield node.body[0].lineno, node.body[-1].end_lineno, scope, caught
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, field, None)
        for statement in inner if type(inner) is list else ():
            yield from tries_in(statement, scope)


def names_caught(node):
    """Dotted names of what `except node` catches; None where it catches any exception."""
    if node is None:
        return [None]
    if type(node).__name__ == "Tuple":
        return [name for element in node.elts for name in names_caught(element)]
    parts = []
    while type(node).__name__ == "Attribute":
        parts.append(node.attr)
        node = node.value
    return [".".join([node.id, *reversed(parts)])] if type(node).__name__ == "Name" else []


def names_suppressed(node):
    """The same of `with suppress(...)`."""
    callee = getattr(node, "func", None)
    if getattr(callee, "attr", getattr(callee, "id", None)) != "suppress":
        return []
    return [name for element in node.args for name in names_caught(element)]


OF_PYTHON_2 = frozenset(
    "basestring buffer cmp execfile file long raw_input reduce reload unichr unicode xrange".split()
)


def is_broad(frame, dotted):
    """True for `except:`, `except Exception:` and `except BaseException:`."""
    return dotted is None or look_up(frame, dotted) in (Exception, BaseException)


def catches(frame, dotted, kind):
    """True if `except dotted` catches exceptions of a class; no name stands for a bare `except`."""
    if dotted is None:
        return True
    value = look_up(frame, dotted)
    for candidate in value if type(value) is tuple else (value,):
        if isinstance(candidate, type) and issubclass(candidate, BaseException) and issubclass(kind, candidate):
            return True
    return False


def look_up(frame, dotted):
    """What a dotted name of modules and classes means in a frame, or None."""
    root, *rest = dotted.split(".")
    for namespace in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if root in namespace:
            value = namespace[root]
            break
    else:
        return None
    for part in rest:
        if not isinstance(value, (type, MODULE)):
            return None
        value = getattr(value, part, None)
    return value
