"""Uncaught: a failure inside nested comprehensions and a generator argument."""

matrix = [[1, 2, 3], [4, 0, 6], [7, 8]]


def column(rows, i):
    return [row[i] for row in rows if row]


def ratios(rows):
    return {n: [a / b for a, b in zip(row, row[1:])] for n, row in enumerate(rows)}


print(column(matrix, 1))
print(sum(x * x for row in matrix for x in row))
print(any(
    value == 3
    for row in matrix
    for value in row
))
try:
    print(column(matrix, 2))
except IndexError as e:
    print("caught", e)
print(ratios(matrix[:1]), "then", ratios(matrix))
