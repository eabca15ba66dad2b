"""Sudoku solver by constraint propagation and search (after Norvig)."""
DIGITS = COLS = "123456789"
ROWS = "ABCDEFGHI"


def cross(a, b):
    return [x + y for x in a for y in b]


SQUARES = cross(ROWS, COLS)
UNITLIST = ([cross(ROWS, c) for c in COLS] + [cross(r, COLS) for r in ROWS]
            + [cross(rs, cs) for rs in ("ABC", "DEF", "GHI") for cs in ("123", "456", "789")])
UNITS = {s: [u for u in UNITLIST if s in u] for s in SQUARES}
PEERS = {s: set(sum(UNITS[s], [])) - {s} for s in SQUARES}
stats = {"assign": 0, "eliminate": 0, "search": 0}


class Contradiction(Exception):
    def __init__(self, square, why):
        super().__init__(f"{square}: {why}")


def parse(grid):
    values = dict.fromkeys(SQUARES, DIGITS)
    chars = [c for c in grid if c in DIGITS or c in "0."]
    assert len(chars) == 81, f"expected 81 cells, got {len(chars)}"
    for s, d in zip(SQUARES, chars):
        if d in DIGITS:
            assign(values, s, d)
    return values


def assign(values, s, d):
    stats["assign"] += 1
    for d2 in values[s].replace(d, ""):
        eliminate(values, s, d2)
    return values


def eliminate(values, s, d):
    stats["eliminate"] += 1
    if d not in values[s]:
        return
    values[s] = values[s].replace(d, "")
    if not values[s]:
        raise Contradiction(s, f"no candidates after removing {d}")
    elif len(values[s]) == 1:
        d2, = values[s]
        for s2 in sorted(PEERS[s]):
            eliminate(values, s2, d2)
    for u in UNITS[s]:
        places = [q for q in u if d in values[q]]
        if not places:
            raise Contradiction(s, f"no place for {d}")
        if len(places) == 1 and len(values[places[0]]) > 1:
            assign(values, places[0], d)


def search(values):
    stats["search"] += 1
    if all(len(v) == 1 for v in values.values()):
        return values
    n, s = min((len(values[s]), s) for s in SQUARES if len(values[s]) > 1)
    for d in values[s]:
        try:
            return search(assign(values.copy(), s, d))
        except Contradiction:
            continue
    raise Contradiction(s, "all candidates failed")


def show(values):
    width = 1 + max(len(v) for v in values.values())
    line = "+".join(["-" * (width * 3)] * 3)
    for r in ROWS:
        print("".join(values[r + c].center(width) + ("|" if c in "36" else "") for c in COLS).rstrip())
        if r in "CF":
            print(line)


easy = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"
hard = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
for puzzle in (easy, hard):
    for k in stats: stats[k] = 0
    show(search(parse(puzzle)))
    print(stats)
try:
    parse("55" + "." * 79)
except Contradiction as e:
    print("impossible:", e)
try:
    parse("123")
except AssertionError as e:
    print("assertion:", e)
search(parse(".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4"[:72] + "." * 9)) if False else None
print(parse("5" * 2 + hard[2:]))
