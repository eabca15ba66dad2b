"""Prints as JSON what this interpreter is, and whether it can load the recorder.

The arguments are the recorder's library and the Python version that it was built for. Its syntax is that of all
Pythons.
"""

import json
import sys


def load(library):
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    loader = ExtensionFileLoader("_surmise_recorder", library)
    spec = spec_from_file_location("_surmise_recorder", library, loader=loader)
    loader.exec_module(module_from_spec(spec))


def probe(library, wanted):
    implementation = getattr(getattr(sys, "implementation", None), "name", "cpython")
    answer = {
        "implementation": implementation,
        "version": "%d.%d.%d" % sys.version_info[:3],
        "free_threaded": "t" in getattr(sys, "abiflags", ""),
        "debug": hasattr(sys, "gettotalrefcount"),
        "tag": (getattr(getattr(sys, "implementation", None), "cache_tag", None) or "") + getattr(sys, "abiflags", ""),
        "problem": None,
    }
    fits = implementation == "cpython" and "%d.%d" % sys.version_info[:2] == wanted
    if fits and not answer["free_threaded"] and not answer["debug"]:
        try:
            load(library)
        except Exception as error:
            answer["problem"] = str(error)
    return answer


print(json.dumps(probe(sys.argv[1], sys.argv[2])))
