"""What a paired run did, told so that two versions of a function can be compared."""

import re
import types

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
ENTRIES = 600  # of a trace that are kept
TEXT = 400  # characters of a description
ITEMS = 40  # elements of a container that are described
DEPTH = 5
ITERATORS = (map, filter, zip, enumerate, reversed, types.GeneratorType)
FUNCTIONS = (types.FunctionType, types.MethodType)


class Behaviour:
    """Needs `types` (the stand-ins), `own_modules` and `strict_messages`."""

    def start_trace(self):
        self.trace = []
        self.containers = []  # (path, container, its description when it was made)
        self.given = {}
        self.callbacks = []

    def record(self, kind, text):
        if len(self.trace) < ENTRIES:
            self.trace.append((kind, text))

    def describe(self, value, depth=DEPTH):
        """A text that is equal for values that count as equal."""
        text = self.description(value, depth)
        if len(text) <= TEXT:
            return text
        return f"{text[:TEXT]}... ({len(text)} characters, {self.hash_of(text) & 0xFFFFFF:06x})"

    def description(self, value, depth):
        kind = type(value)
        if kind is self.types.StandIn:
            return f"<{value._surmise_state.name}>"
        if value is None or kind in (bool, int, float, complex, bytes, str):
            return repr(value)
        if depth == 0:
            return f"<{kind.__name__}>"
        inner = depth - 1
        if kind is list:
            return "[" + ", ".join(self.description(item, inner) for item in value[:ITEMS]) + self.more(value) + "]"
        if kind is tuple:
            return "(" + ", ".join(self.description(item, inner) for item in value[:ITEMS]) + self.more(value) + ",)"
        if isinstance(value, (set, frozenset)):
            items = sorted(self.description(item, inner) for item in value)
            return f"{kind.__name__}{{" + ", ".join(items[:ITEMS]) + self.more(items) + "}"
        if isinstance(value, dict):
            pairs = dict.items(value)
            items = sorted(f"{self.description(key, inner)}: {self.description(item, inner)}" for key, item in pairs)
            name = "" if kind in (dict, self.types.Dict) else kind.__name__
            return f"{name}{{" + ", ".join(items[:ITEMS]) + self.more(items) + "}"
        if kind is self.types.Module:
            return f"<module {value.__name__}>"
        if kind is self.types.Awaitable:
            return self.description(value.value, inner)
        if isinstance(value, BaseException):
            arguments = self.description(value.args, inner) if self.strict_messages else ""
            return f"{kind.__name__}({arguments})"
        if isinstance(value, type):
            return f"<class {value.__name__}>"
        if isinstance(value, FUNCTIONS):
            return "<function>" if self.of_snippet(value) else f"<function {value.__qualname__}>"
        if kind.__dict__.get("__module__") in self.own_modules or isinstance(value, self.types.InjectedBase):
            attributes = getattr(value, "__dict__", {}).items()
            inside = ", ".join(sorted(f"{name}={self.description(item, inner)}" for name, item in attributes))
            return f"{kind.__name__}({inside})"
        if isinstance(value, ITERATORS):
            return f"<{kind.__name__}>"
        try:
            return f"{kind.__name__}: {ADDRESS.sub('', repr(value))}"
        except Exception:
            return f"<{kind.__name__}>"

    def more(self, items):
        return f", ... {len(items)}" if len(items) > ITEMS else ""

    def changed_containers(self):
        """Injected lists, dictionaries and sets that the program changed."""
        for path, container, before in self.containers:
            after = self.describe(container)
            if after != before:
                yield f"{path} is now {after}"

    def globals_now(self, namespace):
        found = {}
        for name, value in list(namespace.items()):
            if not name.startswith("__") and not isinstance(value, (types.ModuleType, type, *FUNCTIONS)):
                found[name] = self.describe(value)
        return found

    def entries(self):
        """The trace; writes between two calls are sorted, the last one to each place counts."""
        result, writes = [], {}
        for kind, text in self.trace:
            if kind == "write":
                place, _, value = text.partition(" = ")
                writes[place] = value
                continue
            result.extend(("write", f"{place} = {writes[place]}") for place in sorted(writes))
            writes = {}
            result.append((kind, text))
        result.extend(("write", f"{place} = {writes[place]}") for place in sorted(writes))
        return result

    def told(self):
        """(entries, values given): what the parent is told at the end."""
        return self.entries(), list(self.given.items())[:200]
