"""Uncaught ImportError in a function, after a fallback worked."""


def load(kind):
    try:
        from json import dumpz as dump
    except ImportError:
        from json import dumps as dump
    print(dump({"kind": kind}))
    from collections import (
        OrderedDict,
        namedtupel,
    )
    return OrderedDict, namedtupel


load("x")
