"""Starts the recorder in a Python process of a recorded command, and removes itself from the process.

`surmise trace` puts the folder of this file in front of PYTHONPATH, and `site` imports it before the program runs. Any
Python may read it, so its syntax is that of all versions. A failure must not disturb the program: it becomes a line of
`failures.txt`, which the command shows at its end.
"""

import os
import sys


def _start():
    site = os.path.dirname(__file__)
    spool = os.path.dirname(site)
    sys.path[:] = [entry for entry in sys.path if entry != site]
    sys.path_importer_cache.pop(site, None)
    config = os.environ.get("SURMISE_TRACE")
    if not config or os.path.dirname(config) != spool:
        return  # The program has removed the recorder from the environment of its children.
    try:
        tag = getattr(getattr(sys, "implementation", None), "cache_tag", None)
        library = os.path.join(spool, "_surmise_recorder.%s%s.so" % (tag, getattr(sys, "abiflags", "")))
        if os.path.exists(library):
            _load("_surmise_recorder", library).start(config)
        else:
            _report(spool, "its Python is %s" % sys.version.split()[0])
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        error = sys.exc_info()[1]
        _report(spool, "%s: %s" % (type(error).__name__, error))


def _load(name, path):
    # Not imported from `importlib.machinery`, because programs may look into `sys.modules`.
    machinery = sys.modules["_frozen_importlib_external"]
    loader = machinery.ExtensionFileLoader(name, path)
    spec = machinery.spec_from_file_location(name, path, loader=loader)
    module = sys.modules["_frozen_importlib"].module_from_spec(spec)
    loader.exec_module(module)
    return module


def _report(spool, message):
    try:
        line = "%d\t%s\n" % (os.getpid(), message.replace("\n", " "))
        file = os.open(os.path.join(spool, "failures.txt"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 438)
        try:
            os.write(file, line.encode("utf-8", "replace"))
        finally:
            os.close(file)
    except Exception:
        pass


_start()

# Another `sitecustomize` further down the path takes this one's place; without one, `site` sees the ImportError.
_this = sys.modules.pop(__name__, None)
import sitecustomize  # noqa: E402, F401
