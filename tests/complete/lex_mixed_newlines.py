"""Mixed line ends."""
x = 1
y = 2z = """a
bc
d"""
print(x, y, repr(z))
if x:
    print("crlf body")
    print("lf body")    print("cr body")

def f(a,
      b):
    return a\
        + b
print(f(1, 2))
print(f(x, [y][
    1
]))
