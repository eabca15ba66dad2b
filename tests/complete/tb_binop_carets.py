"""Uncaught: caret ranges of binary operations on a line with several."""


def scale(width, height, depth):
    area = width * height + width / (height - depth) + depth ** 2
    return area


def total(rows):
    result = 0
    for row in rows:
        result += scale(row[0], row[1], row[2]) - scale(row[2], row[1] + 1, row[0])
    return result


print("start", total([(1, 2, 3), (4, 5, 6)]))
print("more", total([(1, 2, 1)]))
print("next", scale(2, 3, 1) + total([(9, 8, 1), (7, 7, 7)]) * 2 - scale(1, 1, 0))
print("never")
