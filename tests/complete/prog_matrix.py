"""Matrix class with operators, slicing, determinant, inverse over fractions."""
from fractions import Fraction
from itertools import permutations
from functools import reduce
import operator


class ShapeError(ValueError):
    def __init__(self, op, a, b): super().__init__(f"cannot {op} {a.shape} and {b.shape}")


class Matrix:
    def __init__(self, rows):
        self.rows = [[Fraction(v) for v in row] for row in rows]
        if len({len(r) for r in self.rows}) != 1: raise ValueError("ragged rows: %s" % [len(r) for r in self.rows])

    @classmethod
    def identity(cls, n): return cls([[int(i == j) for j in range(n)] for i in range(n)])

    @property
    def shape(self): return len(self.rows), len(self.rows[0])

    @property
    def T(self): return type(self)(zip(*self.rows))

    def __getitem__(self, key):
        if isinstance(key, tuple):
            r, c = key
            if isinstance(r, slice) or isinstance(c, slice):
                rows = self.rows[r] if isinstance(r, slice) else [self.rows[r]]
                return Matrix([row[c] if isinstance(c, slice) else [row[c]] for row in rows])
            return self.rows[r][c]
        return self.rows[key]

    def __setitem__(self, key, value):
        r, c = key
        self.rows[r][c] = Fraction(value)

    def _zip(self, other, fn, name):
        if self.shape != other.shape: raise ShapeError(name, self, other)
        return Matrix([[fn(a, b) for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __add__(self, o): return self._zip(o, operator.add, "add") if isinstance(o, Matrix) else NotImplemented
    def __sub__(self, o): return self._zip(o, operator.sub, "subtract")
    def __mul__(self, k): return Matrix([[v * k for v in r] for r in self.rows])
    __rmul__ = __mul__
    def __neg__(self): return -1 * self
    def __eq__(self, o): return isinstance(o, Matrix) and self.rows == o.rows
    def __iter__(self): return (v for r in self.rows for v in r)

    def __matmul__(self, o):
        if self.shape[1] != o.shape[0]: raise ShapeError("multiply", self, o)
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])

    def __pow__(self, n):
        if n < 0: return self.inverse() ** -n
        return reduce(operator.matmul, [self] * n, Matrix.identity(self.shape[0]))

    def det(self):
        n = len(self.rows)
        def sign(p): return (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        return sum(sign(p) * reduce(operator.mul, (self[i, p[i]] for i in range(n)), 1) for p in permutations(range(n)))

    def inverse(self):
        n, (m, _) = len(self.rows), self.shape
        aug = [r[:] + i for r, i in zip(self.rows, Matrix.identity(n).rows)]
        for col in range(n):
            pivot = next((r for r in range(col, n) if aug[r][col]), None)
            if pivot is None: raise ZeroDivisionError(f"singular matrix, column {col}")
            aug[col], aug[pivot] = aug[pivot], aug[col]
            aug[col] = [v / aug[col][col] for v in aug[col]]
            for r in range(n):
                if r != col and (f := aug[r][col]): aug[r] = [a - f * b for a, b in zip(aug[r], aug[col])]
        return Matrix([r[n:] for r in aug])

    def __repr__(self): return "[" + "; ".join(" ".join(map(str, r)) for r in self.rows) + "]"


A, B = Matrix([[1, 2], [3, 4]]), Matrix([[0, 1], [1, 0]])
print(A + B, A - B, A @ B, 2 * A, A * Fraction(1, 2), -A, A ** 3, A.T, A == A.T.T, A != B)
print(A.det(), A.inverse(), A @ A ** -1 == Matrix.identity(2), sum(A), max(A), [*A][1:3], A[0, 1], A[:, 1], A[1, :], A[1])
A[0, 0] = "1/3"; A[0, 1] += 1; print(A, A.shape)
C = Matrix([[2, 0, 1], [1, 3, 2], [1, 1, 4]]); print(C.det(), C.inverse(), (C @ C.inverse())[0:2, 0:2], C ** 0 == Matrix.identity(3))
for bad in (lambda: A + C, lambda: A @ C, lambda: Matrix([[1], [2, 3]]), lambda: Matrix([[1, 2], [2, 4]]).inverse(), lambda: A + 1, lambda: A[5, 0], lambda: A["x", 1]):
    try: print(bad())
    except (ValueError, ArithmeticError, TypeError, IndexError) as e: print(type(e).__name__, e)
fib = Matrix([[1, 1], [1, 0]]); print([str((fib ** n)[0, 1]) for n in range(10)], (fib ** 50)[0][1])
print((Matrix([[1, 2]]) @ A @ Matrix([[1], [2]]) @ Matrix([[1, 0]]) @ C).det())
