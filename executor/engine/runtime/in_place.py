"""Functions that run where they stand: their module is imported for real, and the function gets its rewritten code."""

import sys
from sys import _getframe

from _surmise_construct import classes_of_project, file_of, with_typing
from _surmise_harness import begins_in
from _surmise_mended_imports import METADATA, imported
from _surmise_module_state import ModuleState
from _surmise_program import codes_in, line_table
from _surmise_signatures import Function
from _surmise_snapshots import Snapshot

OPTIMIZED = 0x01  # the flag of code objects of functions
# Modules whose classes annotations name: they may be loaded for that.
COMMON = {
    "collections",
    "collections.abc",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "io",
    "pathlib",
    "re",
    "typing",
    "uuid",
}
ENTERED = None  # the function of this process, once it was found


class Entered:
    """A function in its imported module."""

    def __init__(self, module, functions, helpers, folders, lacking, is_inner):
        self.module = module
        self.functions = functions  # all that were made of its code
        self.function = functions[0]
        self.helpers = helpers  # the functions around it in the excerpt: their code is part of what runs
        self.folders = folders
        self.lacking = lacking  # what its import lacks, besides modules that are not there
        self.holds_stand_ins = any(not lack.startswith(METADATA) for lack in lacking)
        self.is_inner = is_inner  # another function stands around it, of which the excerpt lacks what it binds
        # What each run would have to read all of the module for.
        self.snapshot = Snapshot(vars(module))
        self.classes = {}  # by the names that annotations may have for them
        self.late_names = {}  # names that functions and type checkers import
        self.state = None  # variables of the module that decide what it does
        self.handlers = []  # of the `try` statements of the whole module
        self.names = {id(vars(module)): (vars(module), with_typing(vars(module)))}

    def begin(self, engine):
        """Lets the engine of a run know what is the program's own."""
        frames = engine.frames
        frames.own_files.add(self.module.__file__)
        frames.own_modules.append(self.module.__name__)
        frames.folders = self.folders
        engine.expectations.add(frames.filename, self.handlers)
        own = [self.function, *self.helpers]
        rewritten = frames.rewritten = {code for one in own for code in codes_in(one.__code__)}

        def lacking(value, name):
            if name.startswith("__") or _getframe(1).f_code in rewritten:
                raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
            # Not kept in the object: to read it is no change that the program makes.
            return engine.attribute_that_others_read(value, name)

        engine.incomplete.lacking = lacking
        engine.answers.lacks_name = self.lacks_name
        engine.answers.late_names = self.late_names

    def lacks_name(self, name):
        """True if nothing in the module's source can bind a name: a read of it fails wherever it runs."""
        import symtable  # now: hardly any run asks

        try:
            with open(self.module.__file__, encoding="utf-8") as file:
                text = file.read()
            pending = [symtable.symtable(text, self.module.__file__, "exec")]
        except (AttributeError, OSError, SyntaxError, ValueError):
            return False
        # `gettext` makes `_` a builtin.
        if name == "_" or "import *" in text or "globals()" in text:
            return False
        while pending:
            table = pending.pop()
            pending += table.get_children()
            found = table.lookup(name) if name in table.get_identifiers() else None
            if found is None:
                continue
            is_around = table.get_type() == "function" and table.has_children() and found.is_assigned()
            if self.is_inner and (found.is_free() or is_around):
                return False  # a function around binds it, from which the excerpt was cut
            if (table.get_type() == "module" or found.is_declared_global()) and (
                found.is_assigned() or found.is_imported() or found.is_namespace()
            ):
                return False
        return True


class Unplaced(Exception):
    """The function cannot run where it stands; says why."""


def enter(engine, name, folders, code, lines, mends, names):
    """Imports the module `name` and gives the function on `lines` the code of it in `code`, that of the whole excerpt.

    What the project's own modules import that is not there is a stand-in; with `mends` also what fails the import. `names`
    are those that only functions and type checkers import, and those that conditions read. Raises `Unplaced`.
    """
    global ENTERED
    top = outermost(code, lines)
    if top is None:
        raise Unplaced("the excerpt has no function there")
    engine.frames.folders = tuple(folders)
    # Of the module's own `try` statements the excerpt has a part.
    engine.expectations.handlers.pop(code.co_filename, None)
    engine.expectations.learn(code.co_filename)
    # Neither the import nor the runs write bytecode: other runs would find it.
    sys.dont_write_bytecode = True
    try:
        module, lacking = imported(engine, name, mends)
    except BaseException as error:
        text = f"{type(error).__name__}: {error}".splitlines()
        raise Unplaced(f"importing `{name}` fails with {text[0] if text else type(error).__name__}") from None
    finally:
        sys.meta_path.remove(engine.finder)
    helpers = [other for other in outer_functions(code) if other is not top]
    found, *around = defined([top, *helpers], code.co_filename, module)
    if not found:
        raise Unplaced(f"importing `{name}` does not define the function")
    is_inner = top.co_firstlineno < lines[0]
    functions = [given_code(function, top, is_inner) for function in found]
    rewritten = [one for helper, others in zip(helpers, around) for one in others if has_taken_code(one, helper)]
    ENTERED = Entered(module, functions, rewritten, tuple(folders), lacking, is_inner)
    late_imports, decisive_names = names
    ENTERED.late_names = late_names(module, late_imports)
    ENTERED.handlers = engine.expectations.handlers.get(code.co_filename, [])
    ENTERED.state = module_state(engine, top, decisive_names)
    ENTERED.classes = {**classes_of_project(engine.frames), **ENTERED.late_names}


def enter_otherwise(engine, code, lines, decisive_names):
    """Gives the function that was entered, on the same lines of its file, other code: that of it in `code`, another excerpt. Raises
    `Unplaced`."""
    top = outermost(code, lines)
    sys.meta_path.remove(engine.finder)
    if top is None:
        raise Unplaced("the excerpt has no function there")
    ENTERED.functions = [given_code(function, top, ENTERED.is_inner) for function in ENTERED.functions]
    ENTERED.function = ENTERED.functions[0]
    helpers = {(one.co_name, one.co_firstlineno): one for one in outer_functions(code)}
    for function in ENTERED.helpers:
        own = function.__code__
        helper = helpers.get((own.co_name, own.co_firstlineno))
        if helper is None or not has_taken_code(function, helper):
            raise Unplaced(f"the excerpt has no `{own.co_name}`")
    ENTERED.state = module_state(engine, top, decisive_names)


def module_state(engine, top, decisive_names):
    frames = engine.frames
    return ModuleState(ENTERED.module, top, decisive_names, lambda other: frames.is_of_project(file_of(other)))


def given_code(function, code, is_inner):
    """The function with this code, or if it stands in another function perhaps one that is made of it."""
    try:
        function.__code__ = code
    except ValueError as error:
        made = with_code(function, code) if is_inner else None
        if made is None:
            raise Unplaced(f"the function is defined otherwise: {error}") from None
        return made
    return function


def has_taken_code(function, code):
    """Gives a function this code; False if it is a closure where it stands."""
    try:
        function.__code__ = code
    except ValueError:
        return False
    return True


def with_code(function, code):
    """Another function with some code that reads less of what stands around the function, such as no `super()`; None if it reads
    more."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    if not cells.keys() >= set(code.co_freevars):
        return None
    closure = tuple(cells[name] for name in code.co_freevars)
    made = Function(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    return made


def late_names(module, imports):
    """What names stand for that only functions or type checkers import: what is loaded, or of a common module.

    `imports`: (name, dots before the module's name, that name, attribute or None for the whole module).
    """
    names, package = {}, (module.__package__ or "").split(".")
    for name, level, source, attribute in imports:
        if name in vars(module):
            continue
        if level:
            around = package[: len(package) - level + 1]
            source = ".".join([*around, source] if source else around)
        held = sys.modules.get(source)
        if held is None and source in COMMON:
            try:
                held = __import__(source, fromlist=["*"])
            except Exception:
                continue  # the project has a module of that name
        value = held if type(held) is type(sys) else None
        if value is not None and attribute is not None:
            value = vars(value).get(attribute, sys.modules.get(f"{source}.{attribute}"))
        if value is not None:
            names.setdefault(name, value)
    return names


def outer_functions(code):
    """The code objects of the functions of a module and of its classes."""
    pending = [code]
    while pending:
        outer = pending.pop()
        for inner in outer.co_consts:
            if type(inner) is not type(code):
                continue
            if inner.co_flags & OPTIMIZED:
                yield inner
            else:
                pending.append(inner)  # the body of a class


def outermost(code, lines):
    """The code object of the function that begins on one of the lines, or of the outermost one around it."""
    inside = [one for one in outer_functions(code) if begins_in(one, lines) and one.co_firstlineno <= lines[1]]
    named = (one for one in inside if not one.co_name.startswith("<"))  # a default may be a lambda
    return next(named, next(iter(inside), None))


def defined(codes, filename, module):
    """For each of some pieces of code, the functions that were made of it in its file when the module was imported."""
    import gc  # now: the program would find it loaded
    import posix

    def is_same_file(other):
        if other == filename:
            return True
        try:
            one, two = posix.stat(other), posix.stat(filename)
        except (OSError, ValueError):
            return False
        return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)

    def is_made_of(function, top):
        code = function.__code__
        is_alike = (code.co_name, code.co_argcount) == (top.co_name, top.co_argcount)
        # Of an outer function the excerpt lacks the decorators, with which the code of the real one begins.
        if not is_alike or not is_same_file(code.co_filename):
            return False
        return code.co_firstlineno <= top.co_firstlineno <= max(line_table(code), default=0)

    def is_remade_of(function, top):
        """A decorator may have compiled the function anew, without decorators: `typeguard` does."""
        code = function.__code__
        is_alike = (code.co_name, code.co_argcount) == (top.co_name, top.co_argcount)
        is_inside = top.co_firstlineno <= code.co_firstlineno <= max(line_table(top), default=0)
        return is_alike and is_inside and is_same_file(code.co_filename) and "<locals>" not in function.__qualname__

    functions = [one for one in gc.get_objects() if type(one) is Function]
    for code in codes:
        found = [one for one in functions if is_made_of(one, code)]
        found = found or [one for one in functions if is_remade_of(one, code)]
        own = [one for one in found if one.__globals__ is module.__dict__]
        yield own or found
