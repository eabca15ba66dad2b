# Looks for the runtime by frames, modules and the collector, and puts its own in the place of what it finds.
# outcome: completed | error
# coverage: any
import gc, sys, types
frame = sys._getframe()
while frame:
    frame.f_globals.setdefault("__builtins__", {})
    for name in list(frame.f_globals):
        if "surmise" in name or "engine" in name:
            frame.f_globals[name] = None
    frame = frame.f_back
for name in ("engine", "standins", "imports", "program", "values"):
    sys.modules["_surmise_" + name] = types.ModuleType("_surmise_" + name)
for thing in gc.get_objects():
    if isinstance(thing, types.ModuleType) and thing.__name__.startswith("_surmise"):
        for name in list(vars(thing)):
            setattr(thing, name, None)
missing.call()
