"""Modules of the repository that a version of a function imports: what it uses of them runs, the rest is a stand-in."""

import builtins
import importlib
import importlib.machinery
import sys

from _surmise_standins import Module


class CompanionModules:
    """Finds the modules before anybody else does, and the packages that they lie in.

    `modules`: name -> (file name, whether it is a package, rewritten text, `try` statements).
    """

    def __init__(self, engine, modules):
        self.engine = engine
        self.modules = modules
        self.around = {
            ".".join(parts[:end])
            for parts in (name.split(".") for name in modules)
            for end in range(1, len(parts))
        } - set(modules)  # fmt: skip

    def load(self):
        """Runs them all: `from package import module` would find a stand-in's attribute else."""
        frames = self.engine.frames
        for name, (file, _is_package, _text, handlers) in self.modules.items():
            frames.own_files.add(file)
            frames.own_modules.append(name)
            self.engine.expectations.add(file, handlers)
        sys.meta_path.insert(0, self)
        for name in self.modules:
            importlib.import_module(name)
        self.engine.answers.begin()

    def find_spec(self, fullname, path=None, target=None):
        if fullname in self.modules:
            file, is_package, *_ = self.modules[fullname]
            spec = importlib.machinery.ModuleSpec(fullname, self, origin=file, is_package=is_package)
            spec.has_location = True
            return spec
        if fullname in self.around:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return None if spec.name in self.modules else Module(spec.name)

    def exec_module(self, module):
        """What raises ends the module; what it has not defined by then is missing."""
        name, namespace = module.__name__, module.__dict__
        if name not in self.modules:
            return

        def lacking(attribute):
            if attribute.startswith("__") and attribute.endswith("__"):
                raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
            return self.engine.answers.attribute_of_module(module, attribute, None)

        namespace["__getattr__"] = lacking
        namespace["__builtins__"] = builtins.__dict__  # the runtime's own ones have no hooks
        file, _is_package, text, _handlers = self.modules[name]
        try:
            exec(compile(text, file, "exec", dont_inherit=True), namespace)
        except Exception:
            pass
