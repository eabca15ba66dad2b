"""Says where packages are that a traced command never imported.

Arguments: their names. Runs with the command's own environment and folder. The last line of the output is the answer:
for each name null if it is not found, else how it is made and where it lies.
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
