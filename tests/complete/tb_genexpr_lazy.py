"""Uncaught: generator expression consumed later than it was written."""

values = [4, 2, "0", 1]
inverted = (8 // v for v in values)
doubled = (2 * q for q in inverted if q)


def consume(it):
    out = []
    for item in it:
        out.append(item)
        print("so far", out)
    return out


def drive(*sources):
    return [consume(
        source
    ) for source in sources]


print(next(doubled))
drive((c for c in "ab"), doubled)
