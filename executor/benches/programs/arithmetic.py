"""Nothing but integer arithmetic in a `while` loop of a function: what marking lines costs, with no other hook."""


def collatz(limit):
    longest = 0
    total = 0
    start = 1
    while start < limit:
        value = start
        length = 1
        while value != 1:
            if value % 2:
                value = 3 * value + 1
            else:
                value //= 2
            length += 1
        if length > longest:
            longest = length
        total += length
        start += 1
    return longest, total


print(*collatz(60_000))
