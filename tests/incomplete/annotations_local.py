def dot(a, b):
    result: Vector = 0
    rows: Matrix[int]
    for x, y in zip(a, b):
        result += x * y
    return result

print(dot([1, 2], [3, 4]))
