"""Functions of many shapes, for rewrites that keep behaviour."""

import os


def shapes(rows, *, limit=None, **options):
    kept, count = [], 0
    names = {}
    first = rows
    for number, (row, mark) in enumerate(rows):
        if row.name == "skip" or mark != number:
            continue
        while count < limit:
            count += 1
        with open(row.path) as file, file as again:
            text = f"{row!r:>{count}} {mark} {file}"
        kept.append((lambda item=row, *more: (item, more, text))())
    try:
        found = [inner for outer in kept if outer for inner in outer if (last := inner)]
    except (OSError, ValueError) as error:
        raise RuntimeError("no rows") from error
    else:
        total: int = sum(found)
    return {name: (total, last) for name, value in options.items() if value == first.name} or \
        names


async def asynchronous(source):
    async for part in source:
        yield part
    async with source as opened:
        result = await opened.read()
    if not result: return
    print(result); del result


class Outer:
    path = os.sep
    other = path

    def method(self):
        path = self.path
        size = 0

        def inner():
            nonlocal size
            size += len(path)
            return size + 1

        return inner() if path == self.other else (yield inner)

    def debug(self, value):
        other = value
        copy = other
        print(f"{other=}", f"{copy}")
        return [
            copy,
            self.method(),
        ]
