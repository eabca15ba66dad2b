"""and/or/not and conditional expressions used as values and as control flow."""


def say(word, value):
    print(word, end=" ")
    return value


class Truthy:
    calls = 0

    def __init__(self, v):
        self.v = v

    def __bool__(self):
        Truthy.calls += 1
        return self.v

    def __repr__(self):
        return f"T({self.v})"


print(say("a", 0) or say("b", "") or say("c", None))
print(say("a", 1) and say("b", []) and say("c", 3))
print(say("a", 0) and say("b", 1) or say("c", 2) and say("d", 3))
print(not say("a", 0), not (say("a", 1) and say("b", 0)))
print((say("a", 0) or say("b", 5)) if say("test", True) else say("else", 1))
T, F = Truthy(True), Truthy(False)
print(T and F, F or T, T or F, F and T, not T, Truthy.calls)
print((T if F else F) if T else T, Truthy.calls)
if T and F or T and not F:
    print("if", Truthy.calls)
if not (F or F):
    print("if not", Truthy.calls)
while T and Truthy.calls < 18:
    pass
print("while", Truthy.calls)
print([x for x in (T, F, T) if x and not F], Truthy.calls)
print(any([F, T, F]), all([T, F, T]), Truthy.calls)
assert T or F
a = F or T and "last"
b = a if a else "none" if F else "some"
print(a, b, Truthy.calls)
name = None
print((name or "anonymous").title(), name and name.upper(), (name if name is not None else "x") * 2)
first = {}.get("k") or [][:1] or () or 0 or "" or {}
print(first, type(first).__name__)
f = T and (lambda: "called") or None
print(f(), (F and 1 / 0), (T or 1 / 0), 0 if True else 1 / 0)
grade = lambda s: "A" if s > 90 else "B" if s > 80 else "C" if s > 70 else "F"
print([grade(s) for s in (95, 85, 75, 5)])
x = y = 0
x or (y := y + 1) or print("never")
x and (y := y + 100)
print(y, x if y else -1, [1, 2][not y], {True: "yes", False: "no"}[not not y])
print(1 if [] else 2 if {} else 3, (1, 2) if y else (3,), *([1] if y else []))
print(Truthy.calls)


def find(items, want):
    return next((i for i, v in enumerate(items) if v == want), None) or "first or missing"


print(find("abc", "b"), find("abc", "a"), find("abc", "z"))
