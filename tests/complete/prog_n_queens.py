"""N-queens by backtracking, with bitmasks and with generators."""
import sys


def queens(n):
    def place(row, cols, diag1, diag2, board):
        if row == n:
            yield tuple(board)
            return
        for col in range(n):
            if col in cols or (row - col) in diag1 or (row + col) in diag2:
                continue
            yield from place(row + 1, cols | {col}, diag1 | {row - col},
                             diag2 | {row + col}, board + [col])
    yield from place(0, frozenset(), frozenset(), frozenset(), [])


def count(n):
    full = (1 << n) - 1

    def go(cols, left, right):
        if cols == full:
            return 1
        free, total = full & ~(cols | left | right), 0
        while free:
            bit = free & -free
            free ^= bit
            total += go(cols | bit, (left | bit) << 1, (right | bit) >> 1)
        return total
    return go(0, 0, 0)


def draw(solution):
    size = len(solution)
    return "\n".join(" ".join("Q" if c == q else "." for c in range(size)) for q in solution)


def symmetric(s):
    n = len(s)
    variants, cur = set(), s
    for _ in range(4):
        cur = tuple(cur.index(n - 1 - i) for i in range(n))
        variants |= {cur, cur[::-1]}
    return min(variants)


def main():
    for n in range(1, 7):
        found = list(queens(n))
        unique = {symmetric(s) for s in found}
        print(f"n={n}: {len(found)} solutions, {len(unique)} unique, bits say {count(n)}")
        assert len(found) == count(n), (n, len(found))
    print(draw(next(queens(8))))
    for i, s in enumerate(queens(6)):
        print(i, s, *(f"{chr(97 + c)}{r + 1}" for r, c in enumerate(s)))
    print(count(8), file=sys.stderr)
    return 0 if count(7) == 40 else 1


if __name__ == "__main__":
    sys.exit(main())
