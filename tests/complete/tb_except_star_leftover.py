# requires: 3.11
"""Uncaught: except* handles some, raises anew, leaves the rest."""


def collect():
    found = []
    for fn in (lambda: int("x"), lambda: [][1], lambda: {}["k"], lambda: None.attr):
        try:
            fn()
        except Exception as e:
            found.append(e)
    raise ExceptionGroup("found", found)


try:
    collect()
except* ValueError as g:
    print("values", [str(e) for e in g.exceptions])
except* KeyError as g:
    print("keys", [str(e) for e in g.exceptions])
    raise LookupError("replacement")
finally:
    print("finally")
