"""DynaPyt analyses that `bench-recording.py` measures. They select what `surmise trace` records as well: reads of
names (`read_identifier`), reads of attributes (`read_attribute`) and results of calls (`post_call`); nothing else is
instrumented. Hooks return nothing, so that the program continues with its own value.
"""

from dynapyt.analyses.BaseAnalysis import BaseAnalysis


class Empty(BaseAnalysis):
    """Hooks without work: what DynaPyt costs before an analysis does anything."""

    def read_identifier(self, dyn_ast, iid, value):
        pass

    def read_attribute(self, dyn_ast, iid, base, name, value):
        pass

    def post_call(self, dyn_ast, iid, result, call, positional, keywords):
        pass


class Classes(BaseAnalysis):
    """Keeps the set of abstract classes of each site, by the type and, where that matters, by the value."""

    SIGNED = frozenset((int, float))
    SIZED = frozenset((str, list, tuple, set, dict))

    def __init__(self, **options):
        super().__init__(**options)
        self.sites = {}

    def observe(self, iid, value):
        kind = type(value)
        if kind is bool or value is None:
            seen = value
        elif kind in self.SIGNED:
            seen = (kind, (value > 0) - (value < 0))
        elif kind in self.SIZED:
            seen = (kind, len(value) > 0)
        else:
            seen = "callable" if callable(value) else "object"
        self.sites.setdefault(iid, set()).add(seen)

    def read_identifier(self, dyn_ast, iid, value):
        self.observe(iid, value)

    def read_attribute(self, dyn_ast, iid, base, name, value):
        self.observe(iid, value)

    def post_call(self, dyn_ast, iid, result, call, positional, keywords):
        self.observe(iid, result)
