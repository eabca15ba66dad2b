"""What `python FILE` does around the code of a program."""

import sys
from sys import _getframe  # programs may replace the one in `sys`

from _surmise_arguments import arguments_of
from _surmise_frames import OWN, unpacked_after
from _surmise_preloaded_modules import is_standard_file

MOST_ARGUMENTS = 64
REST = slice(1, None)  # the arguments without the name of the script
# Functions of the standard library that give None, or what they are given, for a variable that is not set.
MAY_LACK = {"get", "getenv", "__contains__"}


def prepare_main(namespace, names, paths):
    """Sets up `__main__`, `sys.argv` and `sys.path` as for a script."""
    import importlib.machinery

    filename, argv = names
    loader = importlib.machinery.SourceFileLoader("__main__", filename)
    namespace["__loader__"] = loader
    namespace["__file__"] = filename
    namespace["__cached__"] = None
    sys.argv[:] = argv
    path, packages = paths
    sys.path[:0] = path
    sys.path += packages


class ModuleOfProgram:
    """Imports the program as the module that it is, in the middle of its packages' imports if they ask for it."""

    def __init__(self, name, filename, namespace, code):
        self.name, self.filename, self.namespace, self.code = name, filename, namespace, code
        self.ran, self.error = False, None

    def run(self):
        """Runs the program; raises what it raises, and not what its packages do."""
        import importlib

        sys.meta_path.insert(0, self)
        parts = self.name.split(".")
        for end in range(1, len(parts)):
            package = ".".join(parts[:end])
            try:
                importlib.import_module(package)
            except Exception:
                if self.error is None and package not in sys.modules:
                    self.put_bare(package)
        if not self.ran:
            importlib.import_module(self.name)
        if self.error is not None:
            raise self.error

    def put_bare(self, package):
        """A package that cannot be imported has its other modules all the same."""
        import os

        levels = self.name.count(".") - package.count(".") + self.is_package()
        folder = self.filename
        for _level in range(levels):
            folder = os.path.dirname(folder)
        module = type(sys)(package)
        module.__path__ = [folder]
        sys.modules[package] = module

    def is_package(self):
        return self.filename.endswith("/__init__.py")

    # -- as a finder and loader ---------------------------------------------------------------------------------

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        import importlib.util

        return importlib.util.spec_from_file_location(
            fullname,
            self.filename,
            loader=self,
            submodule_search_locations=[self.filename.rpartition("/")[0]] if self.is_package() else None,
        )

    def create_module(self, spec):
        return sys.modules["__main__"]

    def exec_module(self, module):
        if self.ran:
            return
        self.ran = True
        try:
            exec(self.code, self.namespace)
        except BaseException as error:
            self.error = error
            raise


def run_as_module(namespace, name, filename, code):
    """Runs a program as a module of its package. One that asks whether it is `__main__` is that, as with `python -m`."""
    import importlib

    if not asks_for_main(code):
        namespace["__name__"] = name
        ModuleOfProgram(name, filename, namespace, code).run()
        return
    package = name if filename.endswith("/__init__.py") else name.rpartition(".")[0]
    namespace["__package__"] = package
    try:
        importlib.import_module(package)
    except Exception:
        pass  # what is imported of it is missing then
    exec(code, namespace)


def asks_for_main(code):
    return "__main__" in code.co_consts or any(
        type(constant) is tuple and "__main__" in constant for constant in code.co_consts
    )


def answer_arguments(engine):
    """Lets an engine answer for missing arguments, variables of the environment and standard input."""
    if engine.native.lacks_input:
        sys.stdin = engine.answers.standard_input()
    sys.argv = Arguments(sys.argv)
    Arguments.engine = engine
    Environment.engine = engine
    system = sys.modules.get("os")
    environ = getattr(system, "environ", None)
    if type(getattr(environ, "_data", None)) is dict:
        environ._data = Environment(environ._data)
        if hasattr(system, "environb"):
            system.environb._data = environ._data  # both are views of one dictionary


def take_interrupts():
    """Lets a program that waits for ever be interrupted, also where the command was started with SIGINT ignored."""
    import _signal

    if _signal.getsignal(_signal.SIGINT) is _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


class Environment(dict):
    """What `os.environ` keeps: a variable that the program reads without another in reserve is answered."""

    engine = None

    def __missing__(self, key):
        engine, caller = self.engine, _getframe(2)
        while caller.f_code.co_filename.startswith(OWN):
            caller = caller.f_back  # what reads items for a function in its module
        name = key.decode("utf-8", "replace") if type(key) is bytes else str(key)
        own_files, may_lack = engine.frames.own_files, False
        for _level in range(2):
            if caller.f_code.co_filename not in own_files and caller.f_code.co_name in MAY_LACK:
                caller, may_lack = caller.f_back, True
        if caller.f_code.co_filename not in own_files:
            raise KeyError(key)
        if may_lack and not self.is_set(name, caller) or not may_lack and self.may_fail(name):
            raise KeyError(key)
        text = chosen_text(engine, name, "1", caller.f_lineno)
        engine.native.answered(caller.f_lineno, -1, "environment", name, repr(text))
        engine.gave_variable(name, text)
        value = self[key] = text.encode("utf-8", "surrogateescape") if type(key) is bytes else text
        return value

    def is_set(self, name, caller):
        """True if a variable is set of which the program asks in a way that needs none."""
        key = f"variable:{name}"
        chosen = self.engine.native.choice(key)
        chosen = self.engine.answers.sets_variable(name) if chosen is None else chosen is True
        self.engine.native.chose(key, caller.f_lineno, chosen)
        return chosen

    def may_fail(self, name):
        return not self.engine.answers.sets_variable(name) and self.engine.expectations.expects(
            KeyError, f"environment:{name}"
        )


def chosen_text(engine, name, usual, line):
    """An argument or a variable that is made up: what the search chose, or else the usual one. One that the code takes
    apart has a form, which no search leaves."""
    key = f"text:{name}"
    chosen = engine.native.choice(key)
    form = engine.native.outer_text(line)
    text = chosen if type(chosen) is str else engine.answers.outer_text(name, form or usual)
    if form is None:
        engine.native.chose(key, line, text)
    engine.values.keep_constant(text, has_true_type=True)
    return text


class Arguments(list):
    """`sys.argv` of a script that was given none: a missing one is answered."""

    engine = None

    def __getitem__(self, index):
        if isinstance(index, slice):
            caller = _getframe(1)
            if len(self) == 1 and caller.f_globals.get("__name__") == "argparse" and "self" in caller.f_locals:
                return self.for_parser(caller.f_locals["self"])
            if index == REST and caller.f_code.co_filename in self.engine.frames.own_files:
                self.extend_to(1 + self.rest(caller))
            return list.__getitem__(self, index)
        try:
            return list.__getitem__(self, index)
        except IndexError:
            if self.engine.lets_argument_fail(index, IndexError):
                raise
            if type(index) is not int or not -MOST_ARGUMENTS < index < MOST_ARGUMENTS:
                raise
            return self.argument(index)

    def __contains__(self, text):
        """True for an argument that was given, or that the search chose to give (`"-v" in sys.argv`)."""
        found = list.__contains__(self, text)
        caller = _getframe(1)
        if found or type(text) is not str or caller.f_code.co_filename not in self.engine.frames.own_files:
            return found
        key = f"given:{text}"
        chosen = self.engine.native.choice(key) is True
        self.engine.native.chose(key, caller.f_lineno, chosen)
        if chosen:
            name = f"sys.argv[{list.__len__(self)}]"
            self.append(text)
            self.engine.values.keep_constant(text, has_true_type=True)
            self.report(name, text)
            self.engine.gave_arguments(list.__getitem__(self, REST))
        return chosen

    def argument(self, index):
        name = f"sys.argv[{index}]"
        text = chosen_text(self.engine, name, "1", self.line())
        self.report(name, text)
        return text

    def __len__(self):
        """As many as there are, or as the search chose where the program asks for their number."""
        count = list.__len__(self)
        caller = _getframe(1)
        if caller.f_code.co_filename not in self.engine.frames.own_files:
            return count
        key = "length:sys.argv"
        chosen = self.engine.native.choice(key)
        count = self.extend_to(chosen) if type(chosen) is int else count
        self.engine.native.chose(key, caller.f_lineno, count)
        return count

    def extend_to(self, wanted):
        """Adds arguments until there are as many, with the name of the script; gives how many there are."""
        count = list.__len__(self)
        if count < wanted < MOST_ARGUMENTS:
            for number in range(count, wanted):
                self.append(self.argument(number))
            self.engine.gave_arguments(list.__getitem__(self, REST))
        return list.__len__(self)

    def rest(self, caller):
        """How many arguments `sys.argv[1:]` has: as many as are unpacked or as the search chose, at first none."""
        wanted = unpacked_after(caller)
        if wanted is not None:
            return wanted
        key, count = "rest:sys.argv", list.__len__(self) - 1
        chosen = self.engine.native.choice(key)
        self.engine.native.chose(key, caller.f_lineno, max(count, chosen) if type(chosen) is int else count)
        return chosen if type(chosen) is int else 0

    def line(self):
        return self.engine.frames.innermost().f_lineno

    def report(self, name, text):
        self.engine.native.answered(self.line(), -1, "argument", name, repr(text))

    def for_parser(self, parser):
        """The arguments that a parser asks for, and those of its options that a search chose."""
        if self.engine.lets_argument_fail("parser", SystemExit):
            return []
        given = arguments_of(parser, self.is_chosen, self.text_of)
        for name, texts in given:
            self.report(name, " ".join(texts))
        texts = [text for _name, texts in given for text in texts]
        self.engine.gave_arguments(texts)
        return texts

    def text_of(self, name, usual):
        return chosen_text(self.engine, name, usual, self.line())

    def is_chosen(self, option):
        """True if a search chose to give an option that may be left out."""
        key = f"argument:{option}"
        chosen = self.engine.native.choice(key) is True
        self.engine.native.chose(key, self.line(), chosen)
        return chosen


def codes_in(code):
    """A code object and all in it."""
    yield code
    for inner in code.co_consts:
        if type(inner) is type(code):
            yield from codes_in(inner)


def line_table(code):
    """The lines that CPython's line table has for this code and all code inside."""
    lines = set()
    pending = [code]
    while pending:
        code = pending.pop()
        if hasattr(code, "co_lines"):
            lines.update(line for _, _, line in code.co_lines() if line)
        else:
            import dis

            lines.update(line for _, line in dis.findlinestarts(code))
        pending.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    return sorted(lines)


def quietly(call):
    """Runs a function with all warnings off; the same warnings were given for the source itself."""
    import _warnings

    saved = list(_warnings.filters)
    _warnings.filters.insert(0, ("ignore", None, Warning, None, 0))
    _warnings._filters_mutated() if hasattr(_warnings, "_filters_mutated") else _warnings._filters_mutated_lock_held()
    try:
        return call()
    finally:
        _warnings.filters[:] = saved
        _warnings._filters_mutated() if hasattr(_warnings, "_filters_mutated") else None


def run_coroutine(coroutine, imports_loop=False):
    """Runs a coroutine, in an event loop if the program has imported one or will (`imports_loop`)."""
    if imports_loop or "asyncio" in sys.modules:
        import asyncio

        return asyncio.run(coroutine)
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def exit_code_of(error):
    """What Python makes of a SystemExit: (exit code, text for stderr or None)."""
    code = error.code
    if code is None:
        return 0, None
    if isinstance(code, int):
        return code & 0xFFFFFFFF, None
    return 1, code


def locate(error, filename, lines=None):
    """(line, column, end column) of the innermost frame of the program in a traceback, and whether code outside of it and
    of the standard library, which it called, raised the error; columns in UTF-8 bytes. `lines` are those of the function
    that the program is, if it is one of a module."""
    found, is_outside = None, False
    traceback = error.__traceback__
    while traceback is not None:
        is_inside = lines is None or lines[0] <= traceback.tb_lineno <= lines[1]
        if traceback.tb_frame.f_code.co_filename == filename and is_inside:
            found, is_outside = traceback, False
        elif not is_standard_file(traceback.tb_frame.f_code.co_filename):
            is_outside = True
        traceback = traceback.tb_next
    if found is None:
        return 0, None, None, is_outside
    code = found.tb_frame.f_code
    if hasattr(code, "co_positions"):
        for at, (line, end_line, column, end_column) in enumerate(code.co_positions()):
            if at * 2 == found.tb_lasti:
                return found.tb_lineno, column, end_column if line == end_line else None, is_outside
    return found.tb_lineno, None, None, is_outside


def describe(error):
    """(class name, message) of an exception, whatever its own methods do."""
    kind = type(error).__name__
    try:
        return kind, str(error)
    except Exception:
        return kind, "<exception str() failed>"


def finish(namespace):
    """What happens at the end of a program: threads joined, exit functions called, globals let go."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit = sys.modules.get("atexit")
    try:
        if atexit is not None:
            atexit._run_exitfuncs()
    except BaseException:
        pass  # Python 3.9 raises the last error again; each was printed
    for name in [name for name in namespace if name.startswith("_") and name != "__builtins__"]:
        if name[1:2] != "_":
            namespace[name] = None
    for name in [name for name in namespace if name != "__builtins__"]:
        namespace[name] = None
    flush()


def flush():
    """Empties the buffers of the standard streams; a closed or broken one is no error here."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
