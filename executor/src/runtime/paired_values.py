"""Values of paired runs, drawn by path and salt."""

import zlib

from _surmise_answers import CHAIN
from _surmise_values import CONSTANTS, safe_repr

OTHER_CLASSES = (
    *("none", "object", "str", "positive-int", "none", "true", "false"),
    *("list", "dict", "zero-int", "empty-str", "none"),
)
LONGEST_PATH = 300


class PairedValues:
    """Needs what `Paired` has: salt, classes, texts, numbers, aliases, containers, given."""

    # -- drawing ------------------------------------------------------------------------------------------------

    def hash_of(self, text):
        """64 bits that are the same in every process."""
        mixed = zlib.crc32(text.encode("utf-8", "replace")) | zlib.adler32(text.encode("utf-8", "replace")) << 32
        mixed = (mixed ^ (self.salt * 0x9E3779B97F4A7C15)) & 0xFFFFFFFFFFFFFFFF
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = ((mixed ^ (mixed >> shift)) * factor) & 0xFFFFFFFFFFFFFFFF
        return mixed ^ (mixed >> 31)

    def draw(self, what, count):
        """One of so many, always 0 without a salt."""
        return (self.hash_of(what) >> 8) % count if self.salt else 0

    def unusual(self, what, odds):
        """True for one in so many: less in the tame runs, which come farther."""
        wildness = (0, 2, 1, 1)[self.salt // 2 % 4]
        return self.salt != 0 and wildness > 0 and self.draw(what, odds * wildness) == 1

    def path(self, name):
        root = name.partition(".")[0].partition("[")[0].partition("(")[0]
        name = self.aliases.get(root, root) + name[len(root) :]
        if len(name) > LONGEST_PATH:
            # As long as it may be: a path of this path is itself.
            name = f"{name[: LONGEST_PATH - 9]}~{zlib.crc32(name.encode('utf-8', 'replace')):08x}"
        return name

    def epoch(self, stand_in):
        total = 0
        while stand_in is not None:
            total += self.epochs.get(stand_in._surmise_state.name, 0)
            stand_in = stand_in._surmise_state.parent
        return total

    # -- values -------------------------------------------------------------------------------------------------

    def assigned(self, site):
        kind, name, assigned, role, count = self.native.site(site)
        given = self.classes.get(f"{kind}:{self.aliases.get(name, name)}")
        return kind, name, assigned if given is None or assigned is None else given[0], role, count

    def make(self, site, parent=None, name=None, variant=None):
        kind, site_name, _assigned, role, count = self.assigned(site)
        key = f"{kind}:{self.aliases.get(site_name, site_name)}"
        value, made = self.value(self.path(name or site_name), key, variant, parent, count)
        awaited = made != "none" and kind == "return value" and role == "awaited"
        self.native.injected(site, made, safe_repr(value))
        return self.types.Awaitable(value) if awaited and type(value) is not self.types.StandIn else value

    def value(self, path, key, variant=None, parent=None, count=None):
        """(the value of a path, its class)."""
        made, literal = self.classes.get(key, ("object", None))
        if variant is not None:
            made, literal = variant, None
        elif self.is_log(path):
            made, literal = "object", None  # logging works
        elif literal is None and self.unusual(f"{path}:class", 8):
            made = OTHER_CLASSES[self.draw(f"{path}:other", len(OTHER_CLASSES))]
        kind, given = literal or (None, None)
        if kind in ("text", "number") or (made == "str" and kind in ("length", "holds")):
            value = "a" * given if kind == "length" else given
        elif made in CONSTANTS:
            value = self.constant(made, path) if self.salt else CONSTANTS[made]
        else:
            value = self.made(made, path, parent, key, given if kind == "length" else count)
            if kind == "length" and type(value) is self.types.StandIn:
                value._surmise_state.length = given
            if kind == "holds":
                value = self.holding(value, given)
        if type(value) in (list, set, dict, self.types.Dict, tuple):
            self.containers.append((path, value, self.describe(value)))
        if type(value) is not self.types.StandIn:
            self.given[path] = safe_repr(value)
            if made in CONSTANTS:
                self.constants.add((type(value), value))
        return value, made

    def constant(self, made, path):
        """Another value of the class for each path, often one that the code names itself."""
        what = f"{path}:value"
        if made == "str":
            own = "".join(letter for letter in path.rpartition(".")[2] if letter.isalnum())[:8] or "a"
            if not self.texts or self.draw(what, 5) < 2:
                return f"{own}{self.draw(path, 10)}"
            text = self.texts[self.draw(f"{what}:text", len(self.texts))]
            return (text, text, f"{own}{text}b", f"{text}{own}", f"{own}{text}")[self.draw(f"{what}:form", 5)]
        if made == "positive-int":
            near = [abs(number) + step for number in self.numbers for step in (0, 0, 1, -1)]
            pool = [number for number in near if number > 0] + [1, 2, 3, 7 + self.draw(path, 90)]
            return pool[self.draw(what, len(pool))]
        if made == "negative-int":
            return -1 - self.draw(what, 3)
        if made == "positive-float":
            return (1.0, 0.5, 2.5, 7.25 + self.draw(path, 50))[self.draw(what, 4)]
        return CONSTANTS[made]

    def made(self, made, path, parent, key, count):
        """A container or a stand-in."""
        if made in ("list", "tuple", "set"):
            wanted = (1, 2, 3, 2)[self.draw(f"{path}:length", 4)] if count is None else count
            if self.chain(parent, "part") >= CHAIN - 2:
                wanted = count or 0
            items = [self.part(f"{path}[{number}]", parent) for number in range(wanted)]
            value = {"list": list, "tuple": tuple, "set": set}[made](items)
        elif made == "dict":
            names = [text for text in self.texts if self.salt and self.draw(f"{path}:has {text}", 2)][:8] or ["a"]
            value = self.types.Dict((name, self.part(f"{path}[{name!r}]", parent)) for name in names)
        elif made in ("empty-list", "empty-tuple", "empty-set", "empty-dict"):
            value = {"l": list, "t": tuple, "s": set, "d": dict}[made[6]]()
        else:
            return self.types.StandIn(path, made, parent, key)
        self.injected[id(value)] = value
        return value

    def part(self, path, parent=None):
        """An element of a container: mostly a stand-in; all of one container are of one class."""
        whole = path.rpartition("[")[0]
        if self.unusual(f"{whole}:parts", 3):
            return self.value(path, "", ("str", "positive-int")[self.draw(f"{whole}:sort", 2)], parent)[0]
        return self.fresh(path, parent, "part")

    def fresh(self, name, parent=None, origin=None):
        return self.types.StandIn(self.path(name), "object", parent, origin)
