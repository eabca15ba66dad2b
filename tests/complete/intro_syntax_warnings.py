"""SyntaxWarnings the compiler gives for this very file, on stderr, with line text."""
x = 5
if x is 5:
    print("is with a literal")
if x is not "s": print("is not with a literal")
assert (x, "always true")
print("call", callable(None))
def f():
    return x is (), "\d invalid escape", b"\q bytes escape"
print(f())
try:
    print("str" (1))
except TypeError as e:
    print(e)
try:
    print([1, 2] [3, 4])
except TypeError as e:
    print(e)
try: print((1, 2) ("x"))
except TypeError as e: print(e)
try: {"a": 1} (2)
except TypeError as e: print(e)
try: print("abc" ["k"], f"{x}" (1))
except TypeError as e: print(e)
print(f"{x is 5} {'a' is 'a'}", [y for y in (1,) if y is 1], x == 5 is True)
while x is 5: x = "\w"
lambda: x is -1
class A:
    """Doc with \c escape."""
    v = x is 1
print(A.v, repr(A.__doc__), x)
