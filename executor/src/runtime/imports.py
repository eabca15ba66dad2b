"""Missing modules, for the snippet's own imports only."""

import importlib.machinery
import sys

PACKAGE = "surmise_missing_package"


class Finder:
    """Comes last on `sys.meta_path`: what nobody found, a stand-in is."""

    def __init__(self, engine):
        self.engine = engine

    def find_spec(self, fullname, path=None, target=None):
        parent = sys.modules.get(fullname.rpartition(".")[0])
        inside = type(parent) is self.engine.types.Module
        if not inside and not self.imported_by_snippet():
            return None
        if self.engine.expects(ModuleNotFoundError, f"import:{fullname}"):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def imported_by_snippet(self):
        frame = sys._getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<frozen importlib"):
                return name in self.engine.own_files
            frame = frame.f_back
        return False

    def create_module(self, spec):
        module = self.engine.types.Module(spec.name)
        frame = self.engine.frame()
        if frame is not None:
            self.engine.native.answered(frame.f_lineno, -1, "import", spec.name, repr(module))
        return module

    def exec_module(self, module):
        """Nothing to run."""


def prepare_from_import(engine, level, module, names, line, column):
    """Makes `from module import names` succeed where the module or a name is missing."""
    frame = engine.frame()
    if frame is None or engine.expects(ImportError, f"import:{module}"):
        return
    if level > 0:
        namespace = frame.f_globals
        if not namespace.get("__package__"):
            package = ".".join([PACKAGE] + ["parent"] * level)
            namespace["__package__"] = package
        return
    try:
        found = __import__(module, frame.f_globals, frame.f_locals, names)
    except Exception:
        return  # the statement itself raises it again, or the finder answers
    if type(found) is engine.types.Module:
        return
    for name in names:
        if name == "*" or hasattr(found, name):
            continue
        value = engine.fresh(f"{module}.{name}")
        engine.native.answered(line, column, "import", f"{module}.{name}", repr(value))
        try:
            setattr(found, name, value)
        except (AttributeError, TypeError):
            return
