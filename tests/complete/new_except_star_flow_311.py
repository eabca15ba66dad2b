# requires: 3.11
"""except* control flow, nested groups, reraise, walrus; asyncio-free."""


def make(*excs, name="group"):
    return ExceptionGroup(name, list(excs))


def handle(eg):
    trail = []
    for attempt in range(2):
        try:
            trail.append(f"try{attempt}")
            if eg is not None:
                raise eg
        except* (ValueError, TypeError) as g:
            trail.append(("vt", [repr(e) for e in g.exceptions]))
        except* OSError as g:
            trail.append(("os", len(g.exceptions), g.message))
            if (n := len(g.exceptions)) > 1:
                raise
        else:
            trail.append("else")
        finally:
            trail.append("finally")
    return trail


print(handle(None))
print(handle(make(ValueError(1))))
print(handle(make(ValueError(1), make(TypeError(2), OSError(3), name="inner"))))
for eg in (make(KeyError("left")), make(OSError(1), OSError(2)), ValueError("naked"), make(OSError(1), KeyError(2))):
    try:
        print(handle(eg))
    except ExceptionGroup as e:
        print("escaped", e.message, [repr(x) for x in e.exceptions])
    except Exception as e:
        print("plain", repr(e))
class MyGroup(ExceptionGroup):
    def derive(self, excs):
        return MyGroup("derived " + self.message, excs)
try:
    raise MyGroup("mine", [ValueError(1), KeyError(2)])
except* KeyError as g: print(type(g).__name__, g.message)
except* ValueError as g: print(type(g).__name__, g.exceptions, "e" in dir())
print("g" in dir())
try:
    try: raise make(ValueError("v"), KeyError("k"))
    except* ValueError: raise IndexError("new in handler")
except ExceptionGroup as e:
    print([type(x).__name__ for x in e.exceptions], repr(e.exceptions[0].__context__))
try:
    try: raise make(ValueError(1))
    except* undefined_exc_name: pass
except NameError as e: print(e, repr(e.__context__))
try:
    try: raise make(ValueError(1))
    except* ExceptionGroup: pass
except TypeError as e: print(e)
for src in ("try: pass\nexcept* ValueError: pass\nexcept KeyError: pass", "for x in y:\n  try: pass\n  except* ValueError: break", "try: pass\nexcept*: pass"):
    try: compile(src, "<s>", "exec")
    except SyntaxError as e: print(e.msg)
e = ValueError("noted"); e.add_note("n1"); e.add_note("n2")
try: raise make(e, KeyError("kept"))
except* ValueError as g: print(g.exceptions[0].__notes__); raise
