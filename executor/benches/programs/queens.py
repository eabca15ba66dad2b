"""All placements of queens on boards: generators, recursion and sets."""


def place(size, row, columns, rising, falling, placement):
    if row == size:
        yield tuple(placement)
        return
    for column in range(size):
        if column in columns or row + column in rising or row - column in falling:
            continue
        columns.add(column)
        rising.add(row + column)
        falling.add(row - column)
        placement.append(column)
        yield from place(size, row + 1, columns, rising, falling, placement)
        placement.pop()
        columns.remove(column)
        rising.remove(row + column)
        falling.remove(row - column)


def is_valid(placement):
    return all(
        abs(placement[i] - placement[j]) != i - j for i in range(len(placement)) for j in range(i)
    )


def main():
    checksum = 0
    for size in (8, 9, 10, 11):
        found = 0
        for placement in place(size, 0, set(), set(), set(), []):
            assert is_valid(placement)
            found += 1
            for column in placement:
                checksum = (checksum * 31 + column) % 1_000_003
        print(size, found)
    print(checksum)


main()
