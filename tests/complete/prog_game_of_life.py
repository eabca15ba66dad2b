"""Conway's game of life on a set of cells; patterns, periods, gliders."""
from collections import Counter
from itertools import islice, product

OFFSETS = [d for d in product((-1, 0, 1), repeat=2) if d != (0, 0)]


class Life:
    def __init__(self, cells, *, rule=("3", "23")):
        self.cells = frozenset(cells)
        self.born, self.survive = ({int(c) for c in part} for part in rule)

    @classmethod
    def parse(cls, text, **kw):
        return cls(((r, c) for r, row in enumerate(text.strip("\n").splitlines()) for c, ch in enumerate(row) if ch == "#"), **kw)

    def neighbours(self):
        return Counter((r + dr, c + dc) for r, c in self.cells for dr, dc in OFFSETS)

    def __next__(self):
        counts = self.neighbours()
        new = {cell for cell, n in counts.items() if n in self.born or n in self.survive and cell in self.cells}
        self.cells = frozenset(new | ({c for c in self.cells if c not in counts} if 0 in self.survive else set()))
        if not self.cells: raise StopIteration
        return self

    def __iter__(self):
        while True:
            yield self
            try: next(self)
            except StopIteration: return

    @property
    def box(self):
        rows, cols = zip(*self.cells)
        return min(rows), min(cols), max(rows) + 1, max(cols) + 1

    def __str__(self):
        top, left, bottom, right = self.box
        return "\n".join("".join(".#"[(r, c) in self.cells] for c in range(left, right)) for r in range(top, bottom))

    def normal(self):
        top, left, *_ = self.box
        return frozenset((r - top, c - left) for r, c in self.cells)

    def period(self, limit=40):
        seen = {}
        for gen, state in enumerate(islice(self, limit)):
            key = state.normal()
            if key in seen: return gen - seen[key], seen[key]
            seen[key] = gen
        else:
            return None


PATTERNS = {
    "block": "##\n##",
    "blinker": "###",
    "glider": ".#.\n..#\n###",
    "toad": ".###\n###.",
    "diehardish": "#.#\n.#.",
    "r-pentomino": ".##\n##.\n.#.",
    "beacon": "##..\n##..\n..##\n..##",
}
for name, text in PATTERNS.items():
    try:
        print(name, Life.parse(text).period(), end=" ")
        life = Life.parse(text)
        for gen, state in zip(range(30), life): pass
        print(gen, len(state.cells), state.box if state.cells else "dead")
    except ValueError as e:
        print("died:", e)
glider = Life.parse(PATTERNS["glider"])
for state in islice(glider, 0, 13, 4): print(state.box[:2], str(state).replace("\n", "/"))
print("\n\n".join(str(s) for s in islice(Life.parse(PATTERNS["r-pentomino"]), 3)))
print(Life.parse("###", rule=("36", "23")).period(), Life.parse("#", rule=("1", "0")).period(6))
print(len(next(next(Life.parse("##\n##\n##"))).cells))
print(str(next(Life.parse("#.."))))
