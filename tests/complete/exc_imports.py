"""ImportError / ModuleNotFoundError with .name, .path, and fallbacks."""
import importlib


def run(label, fn):
    try:
        print(label, "ok", fn())
    except ImportError as e:
        print(label, type(e).__name__, "|", str(e).split(" (")[0], "|", e.name)


def missing():
    import no_such_module_anywhere
    return no_such_module_anywhere


def missing_sub():
    import os.no_sub
    return os


def missing_from():
    from math import no_such_name
    return no_such_name


def missing_from_sub():
    from json.no_sub import thing
    return thing


def not_package():
    import math.deeper
    return math


def relative():
    from . import sibling
    return sibling


def relative2():
    from .pkg import sibling
    return sibling


def dynamic():
    return importlib.import_module("no_such_module_x")


def dynamic_ok():
    return importlib.import_module("xml.dom").__name__


for f in (missing, missing_sub, missing_from, missing_from_sub, not_package,
          relative, relative2, dynamic, dynamic_ok):
    run(f.__name__, f)

try:
    import ujson_not_here as json
except ImportError:
    import json
try:
    from yaml_not_here import load
except ModuleNotFoundError:
    load = None
try:
    import cPickle as pickle
    FAST = True
except ImportError:
    import pickle
    FAST = False
print(json.dumps({"a": [1, None]}), load, FAST, pickle.__name__)

try:
    raise ImportError("custom", name="nm", path="/p")
except ImportError as e:
    print(e, e.name, e.path, e.args)
try:
    __import__("")
except ValueError as e:
    print(e)
try:
    importlib.import_module(".rel")
except TypeError as e:
    print(str(e)[:40])
