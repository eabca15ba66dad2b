"""Finds packages that a recorded command never imported.

The arguments are their names. Runs in the environment and folder of the command. The last line of output is a JSON
object that maps each name to null if it is not found, and otherwise to its path and whether it has Python source.
"""

import importlib.util
import json
import sys
from importlib.machinery import SourceFileLoader


def find(name):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    if spec is None:
        return None
    if spec.origin is None or not spec.has_location and spec.submodule_search_locations:
        return {"source": True, "place": next(iter(spec.submodule_search_locations or ()), "")}
    return {"source": isinstance(spec.loader, SourceFileLoader), "place": str(spec.origin)}


print("\n" + json.dumps({name: find(name) for name in sys.argv[1:]}))
