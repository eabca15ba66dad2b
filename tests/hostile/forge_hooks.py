# Takes the hooks away, wherever the collector and the frames show them.
# outcome: completed | error | killed
# coverage: any
import builtins, gc, sys
for name in list(vars(builtins)):
    if name.startswith("_") and not name.startswith("__"):
        setattr(builtins, name, lambda *arguments, **named: None)
frame = sys._getframe()
while frame:
    for name in list(frame.f_globals):
        if name.startswith("_surmise"):
            del frame.f_globals[name]
    frame = frame.f_back
for thing in gc.get_objects():
    if type(thing).__name__ == "Engine":
        vars(thing).clear()
print(len(sys.modules) > 0)
missing.call()
