"""Modules of the repository that a version of a function imports: what it uses of them runs, the rest is a stand-in."""

import importlib
import importlib.machinery
import sys


class Modules:
    """Finds the modules before anybody else does, and the packages that they lie in.

    `sources`: name -> (file name, whether it is a package, rewritten source, its `try` statements).
    """

    def __init__(self, engine, sources):
        self.engine = engine
        self.sources = sources
        self.around = {
            ".".join(parts[:end])
            for parts in (name.split(".") for name in sources)
            for end in range(1, len(parts))
        } - set(sources)  # fmt: skip

    def load(self):
        """Runs them all: `from package import module` would find a stand-in's attribute else."""
        for name, (file, _, _, tries) in self.sources.items():
            self.engine.own_files.add(file)
            self.engine.own_modules.append(name)
            if tries:
                self.engine.tries[file] = tries
        sys.meta_path.insert(0, self)
        for name in self.sources:
            importlib.import_module(name)

    def find_spec(self, fullname, path=None, target=None):
        if fullname in self.sources:
            file, is_package, *_ = self.sources[fullname]
            spec = importlib.machinery.ModuleSpec(fullname, self, origin=file, is_package=is_package)
            spec.has_location = True
            return spec
        if fullname in self.around:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return None if spec.name in self.sources else self.engine.types.Module(spec.name)

    def exec_module(self, module):
        """What raises ends the module; what it has not defined by then is missing."""
        name = module.__name__
        if name not in self.sources:
            return
        file, _, source, _ = self.sources[name]
        namespace = module.__dict__

        def lacking(attribute):
            if attribute.startswith("__") and attribute.endswith("__"):
                raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
            return self.engine.attribute_of_module(module, attribute, None)

        namespace["__getattr__"] = lacking
        try:
            exec(compile(source, file, "exec", dont_inherit=True), namespace)
        except Exception:
            pass
