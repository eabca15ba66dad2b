"""Pancake flips over all permutations: integer arithmetic, list slices and subscripts (fannkuch-redux)."""


def fannkuch(n):
    counts = list(range(1, n + 1))
    most_flips = 0
    checksum = 0
    number = 0
    permutation = list(range(n))
    remaining = n
    while True:
        while remaining > 1:
            counts[remaining - 1] = remaining
            remaining -= 1
        first = permutation[0]
        if first != 0:
            stack = permutation[:]
            flips = 0
            while first != 0:
                stack[: first + 1] = stack[first::-1]
                flips += 1
                first = stack[0]
            if flips > most_flips:
                most_flips = flips
            if number % 2 == 0:
                checksum += flips
            else:
                checksum -= flips
        while True:
            if remaining == n:
                return checksum, most_flips
            front = permutation[0]
            index = 0
            while index < remaining:
                permutation[index] = permutation[index + 1]
                index += 1
            permutation[remaining] = front
            counts[remaining] -= 1
            if counts[remaining] > 0:
                break
            remaining += 1
        number += 1


def main():
    size = 9
    checksum, flips = fannkuch(size)
    print(checksum)
    print("Pfannkuchen(%d) = %d" % (size, flips))


main()
