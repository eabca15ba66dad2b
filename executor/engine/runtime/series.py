"""What a run leaves in a process that may make the next one, too.

Loaded where the runs of a function in its imported module are made in series: each is a call under other values. A run that
leaves what the next one could find is the last one of its process. What objects hold that no namespace of the project shows,
such as the attributes of a class, is not looked at: whoever relies on what a run shows repeats it in a process of its own.
"""

import atexit
import sys
import warnings

from _surmise_preloaded_modules import process_state
from _surmise_standins import Module


class State:
    """The state of the process before its first run."""

    def __init__(self):
        self.modules = dict(sys.modules)
        self.finders = list(sys.meta_path)
        self.builtins = dict(vars(sys.modules["builtins"]))
        self.streams = (sys.stdin, sys.stdout, sys.stderr, sys.excepthook, sys.displayhook)
        self.exit_functions = atexit._ncallbacks()
        self.filters, self.show_warning = list(warnings.filters), warnings.showwarning
        self.random = state_of_random()
        self.process = process_state()

    def restore(self, engine):
        """Puts back what each run changes, of which `engine` made the last one; False if anything else is not as it was."""
        sys.meta_path.remove(engine.finder)
        warnings.showwarning = self.show_warning
        if warnings.filters != self.filters:
            warnings.filters[:] = self.filters
            mutated = getattr(warnings, "_filters_mutated", None) or warnings._filters_mutated_lock_held
            mutated()
        random = sys.modules.get("random")
        if self.random is not None and random is not None:
            random.setstate(self.random)
        return self.is_as_it_was(engine.observer)

    def is_as_it_was(self, observer):
        return (
            sys.meta_path == self.finders
            and self.has_real_modules()
            and dict(vars(sys.modules["builtins"])) == self.builtins
            and (sys.stdin, sys.stdout, sys.stderr, sys.excepthook, sys.displayhook) == self.streams
            and atexit._ncallbacks() == self.exit_functions
            and observer.found_nothing_changed()
            and process_state() == self.process
        )

    def has_real_modules(self):
        """True if all modules from before are there, and among those that a run has imported none is a stand-in."""
        now = sys.modules
        if any(now.get(name) is not module for name, module in self.modules.items()):
            return False
        if len(now) > len(self.modules):
            if any(type(module) is Module for name, module in now.items() if name not in self.modules):
                return False
            self.modules = dict(now)
            self.random = self.random or state_of_random()
        return True


def state_of_random():
    random = sys.modules.get("random")
    return random.getstate() if random is not None else None
