# Replaces methods of the runtime's own classes.
# outcome: completed | error | killed | timeout
# coverage: any
# timeout: 2
import gc
for thing in gc.get_objects():
    if isinstance(thing, type) and thing.__module__.startswith("_surmise"):
        for name in list(vars(thing)):
            try:
                setattr(thing, name, None)
            except (AttributeError, TypeError):
                pass
missing.call().more
