"""Uncaught ValueError from unpacking in a for target."""

records = [
    ("ann", (1, 2), {"a": 1}),
    ("bob", (3, 4), {}),
    ("cy", (5, 6, 7), {"z": 0}),
]

for position, (name, (x, y), extra) in enumerate(records, start=1):
    print(position, name, x + y, {**extra, "n": name})
