# A program that replaces the builtins that a runtime would use itself: its own are called, and nothing else changes.
import builtins

kept = {name: getattr(builtins, name) for name in ("isinstance", "type", "super", "input", "len", "getattr", "print")}
builtins.isinstance = lambda value, kind: "isinstance"
builtins.type = lambda *arguments: "type"
builtins.super = lambda *arguments: "super"
builtins.input = lambda prompt="": "input"
builtins.len = lambda value: "len"
builtins.getattr = builtins.hasattr = builtins.iter = builtins.vars = None


class A:
    value = 1

    def call(self):
        return super()


print(isinstance(1, int), type(1), A().call(), input("? "), len([]), A.value)
try:
    {}.missing
except AttributeError as error:
    print(error)
try:
    undefined
except NameError as error:
    print(error)
for attempt in (lambda: [][1], lambda: {}["key"], lambda: int("x"), lambda: A().other):
    try:
        attempt()
    except Exception as error:
        print(error)
import string

print(string.digits)
vars(builtins).update(kept) if vars else builtins.__dict__.update(kept)
print(isinstance(1, int), type(1).__name__, len([]))
del builtins.len
try:
    len([])
except NameError as error:
    print(error)
undefined.more
