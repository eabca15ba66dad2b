"""Chained comparisons with side effects and unusual operators."""


class N:
    count = 0

    def __init__(self, v):
        self.v = v
        N.count += 1

    def __lt__(self, o):
        print(f"{self.v}<{o.v}", end=" ")
        return Answer(self.v < o.v)

    def __eq__(self, o):
        print(f"{self.v}=={o.v}", end=" ")
        return self.v == o.v

    def __contains__(self, o):
        print(f"{o} in {self.v}", end=" ")
        return o == self.v


class Answer:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        print("bool", end=" ")
        return self.v

    def __repr__(self):
        return f"Answer({self.v})"


def n(v):
    print(f"n({v})", end=" ")
    return N(v)


print(n(1) < n(2) < n(3))
print(n(3) < n(2) < n(9))
print(n(1) < n(2) == n(2) < n(5) < n(4))
print(not n(1) < n(2), N.count)
print(n(1) == n(1) != n(2))
x = 5
print(1 < x < 10, 10 > x >= 5 == 5, x in [5] == True, (x in [5]) == True, not x in [1], x is not None is not False)
print(1 < (x := x + 1) < 10, x, 3 < 2 < (x := 100), x)
print("a" in "abc" in ["abc"], 2 in n(2), 7 not in n(2))
if 0 <= x < 3 or 5 < x != 7:
    print("if branch")
while 0 < x <= 6:
    x -= 4
    print("loop", x)
print([i for i in range(10) if 2 < i <= 5 or i == 9 != 8])
print((lambda a, b, c: a < b < c)(1, 2, 3), f"{1 < 2 < 3}", [1 < 2 > 1, x == x is not None])
r = n(1) < n(0)
print(r, r and "t" or "f")
print(n(1) < n(2) and n(3) < n(4) or n(0))
assert 1 < 2 < 3 < 4, "message"
print(max([1, 2, 3], key=lambda v: 1 < v < 3), sorted("bca", key=lambda c: "a" < c < "c"))
try:
    1 < 2 < "x"
except TypeError as e:
    print(e)
print(1 > 2 < "x")
