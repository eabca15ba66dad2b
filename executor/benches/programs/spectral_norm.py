"""Spectral norm of an infinite matrix: many calls of a tiny function (Benchmarks Game)."""


def element(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(vector):
    size = range(len(vector))
    return [sum(element(i, j) * vector[j] for j in size) for i in size]


def transposed_times(vector):
    result = []
    for i in range(len(vector)):
        total = 0.0
        for j, value in enumerate(vector):
            total += element(j, i) * value
        result.append(total)
    return result


def main():
    u = [1.0] * 260
    v = u
    for _ in range(10):
        v = transposed_times(times(u))
        u = transposed_times(times(v))
    product = norm = 0.0
    for left, right in zip(u, v):
        product += left * right
        norm += right * right
    print("%.9f" % (product / norm) ** 0.5)


main()
